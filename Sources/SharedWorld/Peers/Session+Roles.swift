import PeerProtocol
import PeerTransport
import WorldModel

/// The peers that decide about a session.
public enum SessionAuthority: Hashable, Sendable {
  /// The session is open: every peer admits, and the host of the moment removes members and locks.
  case host
  /// The peer that begins the session. It and the moderators that it names admit, remove and lock, by signed statements that every
  /// peer checks, no matter which peer hosts.
  case creator
  /// As ``creator``, and members share no maps: the creator, the moderators and the publishers do.
  case curated
}

/// The part that newcomers get in a creator's session.
public enum NewcomerRole: Hashable, Sendable {
  /// They are members.
  case members
  /// They are guests until the creator makes them members. A moderator lets them in, and makes no members of them.
  case guests
}

/// The part of a peer in a creator's session.
@nonexhaustive
public enum PeerRole: String, Hashable, Sendable {
  /// It began the session, and names the moderators.
  case creator
  /// It admits and removes members, and locks the session.
  case moderator
  /// It takes part.
  case member
  /// It sees, is seen, and sends messages; every peer ignores the anchors, kinds, attachments and maps that it writes.
  case guest
  /// A member that also shares maps in a ``SessionAuthority/curated`` session.
  case publisher
}

extension PeerRole {
  init(_ role: SessionRole) {
    switch role {
    case .creator: self = .creator
    case .moderator: self = .moderator
    case .member: self = .member
    case .guest: self = .guest
    case .publisher: self = .publisher
    }
  }

  fileprivate var sessionRole: SessionRole {
    switch self {
    case .creator: .creator
    case .moderator: .moderator
    case .member: .member
    case .guest: .guest
    case .publisher: .publisher
    }
  }
}

extension Session {
  /// The peer that began a creator's session; nil in an open one.
  func creator() -> Peer? {
    let creator = try? read { node, _ in node.ownedSession.roles.first { $0.value == .creator }?.key }
    return (creator ?? nil).map(peer)
  }

  /// The part of a peer, this one included, in a creator's session; nil of one that is not admitted, and in an open session.
  func role(of peer: PeerID) -> PeerRole? {
    let role = try? read { node, _ in node.ownedSession.roles[peer] }
    return (role ?? nil).map { PeerRole($0) }
  }

  /// Gives a peer a part in a creator's session.
  func setRole(_ role: PeerRole, of peer: PeerID, for time: Duration?) throws(SessionError) {
    guard try read({ node, _ in node.ownedSession.isOwned }) else {
      throw SessionError(
        .notPermitted, "nobody has a role in an open session; begin it with hosting.authority = .creator")
    }
    try handle(.setRole(role.sessionRole, of: peer, for: time.map { max($0, .milliseconds(1)) }))
  }

  /// How long a peer has its part in a creator's session from now; nil for a part without an end, for none, and in an open session.
  func roleTime(of peer: PeerID) -> Duration? {
    let time = try? read { node, now in node.roleTime(of: peer, at: now) }
    return time ?? nil
  }

  /// Whether the session has a creator, in which the statements say whom one may remove.
  var isOwned: Bool { (try? read { node, _ in node.ownedSession.isOwned }) ?? false }
}

extension PeerIdentity {
  /// Signs with this identity's key.
  var signatures: Signatures {
    Signatures(
      publicKey: tls.publicKey, sign: { [tls] in try? tls.signature(over: $0) },
      verify: { TLSIdentity.verifies($0, over: $1, key: $2) }, peerID: { TLSIdentity.peerID(ofKey: $0) })
  }
}
