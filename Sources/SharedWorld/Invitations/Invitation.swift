/// An invitation received from another peer.
public struct Invitation: Identifiable, Sendable {
  /// Tells it from every other invitation of the session, earlier ones of the same peer included.
  public let id: UInt64
  /// The peer that invites: proven by TLS, the name chosen by that peer.
  public let peer: Peer
  /// Data of the inviting app, at most 4 KiB; untrusted.
  public let context: [UInt8]
  /// How the key of the peer compares with those that this device has admitted before.
  public let recognition: Recognition

  package init(id: UInt64, peer: Peer, context: [UInt8], recognition: Recognition = .untracked) {
    (self.id, self.peer, self.context, self.recognition) = (id, peer, context, recognition)
  }
}

/// The peer to invite.
public enum InvitationTarget: Hashable, Sendable {
  /// A service that was discovered.
  case candidate(Candidate.ID)
  /// A service of the session's type that a ``Browser`` of the app has found.
  case service(Candidate.ID, by: Browser)
  /// A peer that this device has admitted before, at the addresses at which it could last be dialled: for networks without
  /// discovery. It needs a ``TrustPolicy`` that records keys.
  case known(PeerID)
  /// A host and port known by other means.
  case address(PeerAddress)
  /// The target of a link.
  case link(InvitationLink)
}

extension InvitationTarget {
  /// The peer at `HOST:PORT`, or behind a link.
  ///
  /// - Throws: ``SessionError`` with the code `invalidArgument`.
  package init(place: String) throws(SessionError) {
    if place.contains("://") {
      self = .link(try InvitationLink(place))
    } else if let address = PeerAddress(place) {
      self = .address(address)
    } else {
      throw SessionError(
        .invalidArgument,
        "'\(place)' is not an address and a port; write HOST:PORT, or [ADDRESS]:PORT for IPv6, or a whole link")
    }
  }

  /// The link; nil for an address or a service.
  package var link: InvitationLink? { if case .link(let link) = self { link } else { nil } }

  /// The service that is invited; nil for addresses.
  package var candidate: Candidate.ID? { if case .candidate(let id) = self { id } else { nil } }
}

extension InvitationTarget: CustomStringConvertible {
  /// The service's id, or the host and port, the first of those of a link.
  public var description: String {
    switch self {
    case .candidate(let id), .service(let id, _): id
    case .known(let peer): peer.short
    case .address(let address): "\(address)"
    case .link(let link): link.addresses[0].description
    }
  }
}
