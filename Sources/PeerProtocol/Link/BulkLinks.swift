import Basics
import WorldModel

/// The second connections to members, for pieces of maps.
struct BulkLinks: Sendable {
  /// How far one has come about.
  enum State: Sendable {
    /// It was offered, and whoever is to dial does; it is given up at this moment.
    case awaited(BulkOffer.Token, until: Instant)
    /// It stands.
    case open(LinkID)
    /// It did not come about, and is not tried before this moment.
    case failed(until: Instant)
  }

  /// By peer, one at most.
  var states: [PeerID: State] = [:]

  /// The link to `peer`, if there is one.
  func link(to peer: PeerID) -> LinkID? {
    if case .open(let id) = states[peer] { id } else { nil }
  }

  /// Whether one with this token is awaited from `peer`.
  func awaits(_ token: BulkOffer.Token, from peer: PeerID) -> Bool {
    if case .awaited(token, _) = states[peer] { true } else { false }
  }

  /// Whether one to `peer` may be tried now.
  func mayTry(_ peer: PeerID, at now: Instant) -> Bool {
    switch states[peer] {
    case nil: true
    case .awaited(_, let until), .failed(let until): now >= until
    case .open: false
    }
  }
}
