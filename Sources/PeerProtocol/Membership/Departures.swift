import Basics
import WorldModel

/// Where the records of peers that are out come from: which of them are given up first when the roster is full.
///
/// Such a record does nothing but keep an older one of its peer from being believed again. Those that one member invents
/// must not keep newcomers out, nor drive the others' out.
struct Departures: Sendable {
  private struct Origin: Sendable {
    let teller: PeerID?
    /// Rises in the order of arrival.
    let number: UInt64
    /// Whether the peer was never known here as a member.
    let isHearsay: Bool
  }

  private var origins: Table<PeerID, Origin> = [:]
  /// By teller, the records of peers that were never known here as members.
  private var hearsay: Table<PeerID, Int> = [:]
  private var lastNumber: UInt64 = 0

  /// Records who said that a peer is out; `teller` is nil for this node itself.
  mutating func add(_ peer: PeerID, from teller: PeerID?, isHearsay: Bool) {
    guard origins[peer] == nil else { return }
    lastNumber += 1
    let isHearsay = isHearsay && teller != nil
    origins[peer] = Origin(teller: teller, number: lastNumber, isHearsay: isHearsay)
    if isHearsay, let teller { hearsay[teller, default: 0] += 1 }
  }

  /// A peer is a member again, or its record is given up.
  mutating func remove(_ peer: PeerID) {
    guard let origin = origins.removeValue(forKey: peer), origin.isHearsay, let teller = origin.teller else { return }
    let rest = (hearsay[teller] ?? 1) - 1
    assert(rest >= 0, "a teller with fewer records than it has told")
    hearsay[teller] = rest > 0 ? rest : nil
  }

  /// Whether a member may name one more peer that is out and was never known here.
  func mayAdd(from teller: PeerID) -> Bool { hearsay[teller] ?? 0 < ProtocolLimits.departuresOfTeller }

  /// Whether a peer that is out was never known here as a member.
  func isHearsay(_ peer: PeerID) -> Bool { origins[peer]?.isHearsay ?? false }

  /// Which of these peers' records is given up first: the oldest of those that came from the member that named most, and this
  /// node's own last.
  func first(of peers: some Sequence<PeerID>) -> PeerID? {
    let most = hearsay.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    func rank(_ peer: PeerID) -> (Int, UInt64) {
      guard let origin = origins[peer] else { return (1, 0) }
      let rank = origin.isHearsay && origin.teller == most ? 0 : origin.isHearsay ? 1 : origin.teller != nil ? 2 : 3
      return (rank, origin.number)
    }
    return peers.map { (rank($0), $0) }.min { $0.0 < $1.0 }?.1
  }
}
