import WorldModel

/// A record of a peer that is not believed yet, because it says the opposite of what this node sees itself.
struct Dispute: Sendable {
  /// The record that would stand if it were believed.
  var entry: RosterEntry
  /// Who said so.
  var tellers: [PeerID]
  /// When it was heard first.
  var since: Instant

  /// Notes that `peer` said `other`; the record that would stand is kept.
  mutating func add(_ other: RosterEntry, from peer: PeerID) {
    if other.replaces(entry) { entry = other }
    if !tellers.contains(peer) { tellers.append(peer) }
  }
}
