import Basics
import WorldModel

/// The second connections to members, for pieces of maps: the state of each.
///
/// Only the side that dialled the control link knows a way to the other, so it dials; the token of the offer ties the new
/// connection to the control link. Until it stands, and if it never does, pieces travel on the control link.
struct BulkLinks: Sendable {
  private enum State: Sendable {
    /// It was offered, and the side that is to dial does; it is given up at this moment.
    case awaited(BulkOffer.Token, until: Instant)
    /// It stands.
    case open(LinkRef)
    /// It failed, and is not tried before this moment.
    case failed(until: Instant)
  }

  /// By peer, one at most.
  private var states: Table<PeerID, State> = [:]
  private var dials: Table<DialID, (peer: PeerID, token: BulkOffer.Token)> = [:]

  /// The link to `peer`, if there is one.
  func link(to peer: PeerID) -> LinkRef? {
    if case .open(let link) = states[peer] { link } else { nil }
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

  /// One was offered.
  mutating func await(_ token: BulkOffer.Token, from peer: PeerID, at now: Instant) {
    states[peer] = .awaited(token, until: now + ProtocolTimes.bulkPause)
  }

  /// It stands.
  mutating func open(_ link: LinkRef, to peer: PeerID) { states[peer] = .open(link) }

  /// It is gone, or the control link is, and every offer with it.
  mutating func forget(_ peer: PeerID) { states[peer] = nil }

  /// Dials for one.
  mutating func dial(_ peer: PeerID, _ token: BulkOffer.Token, at address: SocketAddress, in turn: inout Turn) {
    let dial = DialID(rawValue: turn.freshNumber())
    dials[dial] = (peer, token)
    turn.emit(.connect(dial, address))
  }

  /// The purpose of a dial; nil for one of another organ.
  mutating func takeDial(_ dial: DialID) -> (peer: PeerID, token: BulkOffer.Token)? { dials.removeValue(forKey: dial) }

  /// A dial came to nothing: the control link goes on carrying everything.
  mutating func dialFailed(_ dial: DialID, at now: Instant) {
    guard let (peer, _) = dials.removeValue(forKey: dial) else { return }
    states[peer] = .failed(until: now + ProtocolTimes.bulkPause)
  }
}
