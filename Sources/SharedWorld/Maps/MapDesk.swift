import Basics
import PeerProtocol
import WorldModel

/// The maps of a session: the latest one that is complete, those that are being opened, and who waits for a decoded one.
struct MapDesk {
  /// A map as it is here.
  enum Contents {
    /// Whole and verified; nobody has asked for its points yet.
    case packed(MapPackage, provider: PeerID)
    case decoded(WorldMap)
  }

  /// Where chunks of maps are kept; nil for nowhere.
  let store: ChunkStore?
  /// The latest map; larger ones take longer, so a number says which one is later.
  private(set) var latest: (id: MapID, contents: Contents, points: Int, number: UInt64)?
  /// Whether the app knows that chunks cannot be kept.
  var cacheFailure = FailureNotice()
  /// The numbers of maps in the order in which they have arrived, or are shared.
  var numbers = Numbers()
  private var opening = 0
  /// The digest of the news that waits until the maps before it are opened.
  private var digestToTell: SHA256Digest?
  /// By a map's number, the callers that wait until it is decoded.
  private var callers: Table<UInt64, [CheckedContinuation<WorldMap?, Never>]> = [:]

  init(store: ChunkStore?) {
    self.store = store
  }

  /// Records a map, unless a later one is here.
  mutating func keep(_ contents: Contents, of points: Int, id: MapID, number: UInt64) {
    if let latest, latest.number > number { return }
    latest = (id, contents, points, number)
  }

  /// A map is being opened.
  mutating func beginOpening() { opening += 1 }

  /// A map is opened or failed to be; returns the digest that has waited for it.
  mutating func endOpening() -> SHA256Digest? {
    opening -= 1
    return opening == 0 ? digestToTell.take() : nil
  }

  /// Whether the news of `digest` has to wait for a map that is being opened.
  mutating func defers(_ digest: SHA256Digest) -> Bool {
    guard opening > 0 else { return false }
    digestToTell = digest
    return true
  }

  // MARK: Decoding

  /// A caller waits for a map; whether it is the first, so that decoding has to begin.
  mutating func await(_ number: UInt64, _ caller: CheckedContinuation<WorldMap?, Never>) -> Bool {
    callers[number, default: []].append(caller)
    return callers[number]?.count == 1
  }

  /// Keeps the decoded form of a map if it is still the latest.
  mutating func keepDecoded(_ map: WorldMap, number: UInt64) {
    if latest?.number == number { latest?.contents = .decoded(map) }
  }

  /// Drops a map that cannot be decoded.
  mutating func drop(_ number: UInt64) {
    if latest?.number == number { latest = nil }
  }

  /// Resumes those that wait for a map.
  mutating func finish(_ number: UInt64, _ map: WorldMap?) {
    for caller in callers.removeValue(forKey: number) ?? [] { caller.resume(returning: map) }
  }

  /// Resumes everybody with nothing: no map will be decoded any more.
  mutating func endAll() {
    for number in callers.keys { finish(number, nil) }
    latest = nil
  }
}
