import Basics
import WorldModel

/// A record of a peer that is not believed yet, because it says the opposite of what this node sees itself.
struct Dispute: Sendable {
  /// The record that would stand if it were believed.
  let entry: RosterEntry
  /// Who said so.
  let tellers: [PeerID]
  /// When it was heard first.
  let since: Instant
}
