import PeerProtocol

/// An app's own authentication of the peer at the other end of one connection: a state machine on both ends, between TLS and
/// admission.
///
/// The session makes an authenticator for each connection by ``Session/Configuration/Authentication/authenticator``. All data
/// of the other authenticator reach it until it is authenticated; nobody is invited or admitted on the connection, and nothing
/// else of the app travels, before the authenticators of both ends are. After a wrong secret, or
/// ``Session/Configuration/Authentication/authenticatorTimeout``, the connection ends on both sides with the code
/// `authenticationFailed` and the reason: thrown by ``Session/Peers/invite(_:expecting:context:timeout:)``, told to the side
/// that was dialled, and of members, by ``Session/Event/problem(_:)``, once for each key until it is authenticated.
///
/// TLS has proven the key of the peer before, so nobody listens. But TLS does not say whose key that is: somebody with two
/// connections may stand between the peers and pass every byte on. So let what an authenticator proves depend on
/// ``AuthenticationContext/channelBinding``, and on who proves it, or the proof that one side sends is good on another
/// connection or in the other direction too.
///
/// An authenticator sends at most 4 KiB at once, 12 KiB in all and 16 times. Its methods are called one after the other, in
/// child tasks of the session that are cancelled when the connection ends.
public protocol Authenticator: Sendable {
  /// The connection is up, and the proof of the passcode done where there is one; called once, before all other calls.
  mutating func opened() async -> AuthenticationStep

  /// The other authenticator has sent this: at most 4 KiB, of a peer that is not authenticated.
  mutating func received(_ data: [UInt8]) async -> AuthenticationStep
}

/// How far an authenticator has come.
public enum AuthenticationState: Hashable, Sendable {
  /// It waits for data of the other authenticator.
  case authenticating
  /// The peer is who it has to be. Later data of the other authenticator is dropped, so let this be the answer to the last
  /// that is needed.
  case authenticated
  /// The peer is refused, and the connection ends. The reason is told to both sides: at most 255 bytes of UTF-8, without secrets.
  case failed(reason: String)
}

/// The answer of an authenticator to an event of its connection.
public struct AuthenticationStep: Hashable, Sendable {
  /// How far the authenticator has come.
  public var state: AuthenticationState
  /// Data for the other authenticator, which leave before the state takes effect; nil for none.
  public var data: [UInt8]?

  /// A step to a state, with data for the other authenticator.
  public init(_ state: AuthenticationState, sending data: [UInt8]? = nil) {
    self.state = state
    self.data = data
  }

  /// The authenticator waits for more.
  public static let wait = AuthenticationStep(.authenticating)

  /// The authenticator sends data and waits for more.
  public static func send(_ data: [UInt8]) -> AuthenticationStep { AuthenticationStep(.authenticating, sending: data) }

  /// The peer is authenticated.
  public static let authenticated = AuthenticationStep(.authenticated)

  /// The peer is refused.
  public static func failed(_ reason: String) -> AuthenticationStep { AuthenticationStep(.failed(reason: reason)) }
}

/// The connection that an authenticator is made for.
public struct AuthenticationContext: Sendable {
  /// The peer at the other end: its key is proven by TLS, its name chosen by itself.
  public let peer: Peer
  /// This peer.
  public let localPeer: Peer
  /// Whether this side has made the connection: it invites the peer, or connects to it as another member.
  public let isDialler: Bool
  /// Whether authenticators have authenticated this peer in this session before: it comes back, or the connection takes the place of
  /// another one.
  public let isResumed: Bool
  /// 32 bytes that the two ends of this connection share and nobody else has, different for every connection (the exporter of
  /// TLS 1.3, RFC 8446 §7.5).
  ///
  /// A proof that depends on them cannot be recorded and used on another connection, nor passed on by somebody between two
  /// connections, whose ends have different ones.
  public let channelBinding: [UInt8]

  init(_ opening: HandshakeOpening, with peer: Peer, at localPeer: Peer) {
    (self.peer, self.localPeer) = (peer, localPeer)
    (isDialler, isResumed, channelBinding) = (opening.isDialled, opening.isResumed, opening.binding)
  }
}
