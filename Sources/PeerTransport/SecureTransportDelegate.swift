package import Basics
package import PeerProtocol
package import WorldModel

/// The events of a ``SecureTransport``; every call comes on the loop, never from inside a call of the driver's.
///
/// It may call the transport back at once. A link is never mentioned again after
/// ``SecureTransport/close(_:flushing:)``.
package protocol SecureTransportDelegate: AnyObject {
  /// A link is up and its peer is proven. `dial` is nil when the peer connected to us.
  ///
  /// A link that a peer opened counts against the limits for strangers until ``SecureTransport/confirm(_:)``.
  func linkOpened(_ link: LinkID, dial: DialID?, peer: PeerID, remote: SocketAddress)

  /// Decrypted bytes, as many as had arrived (at most 512 KiB a call); they are lent for this call.
  func linkReceived(_ link: LinkID, _ bytes: RawSpan)

  /// The queue of a link rose over the low watermark, or accepted less than was given, and is low again.
  func linkWritable(_ link: LinkID)

  /// A link is gone, without a failure when the peer closed it in order.
  func linkClosed(_ link: LinkID, _ failure: TransportFailure?)

  /// A dial has a TCP connection and goes on with TLS; for those that ask who is there.
  func dialConnected(_ dial: DialID)

  /// A dial to `address` came to nothing.
  func dialFailed(_ dial: DialID, to address: SocketAddress, _ failure: TransportFailure)

  /// A connection from outside failed before its peer was proven; for logs.
  func strangerFailed(_ remote: SocketAddress, _ failure: TransportFailure)

  /// The gate had no place for a connection from outside; for logs, and as often as strangers try.
  func strangerRefused(_ remote: SocketAddress, _ refusal: AdmissionGate.Refusal)

  /// No connection can be accepted now (no descriptors, for example); the listener retries every second.
  func listenerPaused(_ failure: TransportFailure)

  /// Connections are accepted again.
  func listenerResumed()

  /// Whether a member of the session is known to have this address: such an address has places of its own.
  func isMember(at host: SocketAddress.Host) -> Bool

  /// The addresses that members of the session are known to have.
  var memberHosts: [SocketAddress.Host] { get }
}

extension SecureTransportDelegate {
  /// Knows nobody.
  package func isMember(at host: SocketAddress.Host) -> Bool { false }

  /// Knows nobody.
  package var memberHosts: [SocketAddress.Host] { [] }

  /// Ignores it.
  package func dialConnected(_ dial: DialID) {}

  /// Ignores it.
  package func strangerFailed(_ remote: SocketAddress, _ failure: TransportFailure) {}

  /// Ignores it.
  package func strangerRefused(_ remote: SocketAddress, _ refusal: AdmissionGate.Refusal) {}
}
