import Basics
import WorldModel

/// Peers that this node has accepted, until they admit it too.
///
/// Only then does a peer take a place: one that is accepted and says no more fills nothing, and no member hears of it.
struct Admissions: Sendable {
  private struct Admission: Sendable {
    /// Whether this node enters the other's session rather than the other this one.
    let isEntering: Bool
    /// Until when its link waits for its admission; nil when that is over.
    var linkEnd: Instant?
    let end: Instant
  }

  private var pending: Table<PeerID, Admission> = [:]

  /// When the next one expires, or its link is to end.
  var deadline: Instant? { pending.values.map { $0.linkEnd ?? $0.end }.min() }

  /// Whether a peer was accepted and has not admitted this node yet.
  func has(_ peer: PeerID) -> Bool { pending[peer] != nil }

  /// Records that a peer is accepted; of too many the oldest is accepted no more.
  mutating func begin(_ peer: PeerID, isEntering: Bool, at now: Instant) {
    guard pending[peer] == nil else { return }
    if pending.count >= ProtocolLimits.members,
      let oldest = pending.min(by: { ($0.value.end, $0.key) < ($1.value.end, $1.key) })?.key
    {
      pending[oldest] = nil
    }
    pending[peer] = Admission(
      isEntering: isEntering, linkEnd: now + ProtocolTimes.admission, end: now + ProtocolTimes.acceptance)
  }

  /// Takes out a peer; whether this node enters its session, nil when it was not accepted.
  mutating func end(_ peer: PeerID) -> Bool? { pending.removeValue(forKey: peer)?.isEntering }

  /// Takes out the peers whose time is over; returns those whose link has waited long enough, in the order of their ids.
  ///
  /// A peer is accepted for longer than that: its app was told that it is a member, and a link that broke before its word
  /// came does not take that back.
  mutating func expire(at now: Instant) -> [PeerID] {
    let late = pending.filter { $0.value.linkEnd.map { $0 <= now } ?? false }.keys
    for peer in late { pending[peer]?.linkEnd = nil }
    pending = pending.filter { $0.value.end > now }
    return late
  }
}
