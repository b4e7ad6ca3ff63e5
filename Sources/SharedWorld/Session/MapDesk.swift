import Basics
import WorldModel

/// The maps of a session: the latest one that is complete and decoded, and those that are being decoded.
struct MapDesk {
  /// The latest map; larger ones take longer, so a number says which one is later.
  private(set) var latest: (id: MapID, map: WorldMap, number: UInt64)?
  private var lastNumber: UInt64 = 0
  private var opening = 0
  /// The digest of the news that waits until the maps before it are decoded.
  private var digestToTell: SHA256Digest?

  /// The number of a map that has arrived, or is shared, now.
  mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Records a decoded map, unless a later one is here.
  mutating func keep(_ map: WorldMap, id: MapID, number: UInt64) {
    if let latest, latest.number > number { return }
    latest = (id, map, number)
  }

  /// A map is being decoded.
  mutating func beginOpening() { opening += 1 }

  /// A map is decoded or failed to be; returns the digest that has waited for it.
  mutating func endOpening() -> SHA256Digest? {
    opening -= 1
    return opening == 0 ? digestToTell.take() : nil
  }

  /// Whether the news of `digest` has to wait for a map that is being decoded.
  mutating func defers(_ digest: SHA256Digest) -> Bool {
    guard opening > 0 else { return false }
    digestToTell = digest
    return true
  }
}
