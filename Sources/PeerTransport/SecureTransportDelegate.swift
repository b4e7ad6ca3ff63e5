package import Basics
package import PeerProtocol
package import WorldModel

/// What a ``SecureTransport`` tells its driver; every call comes on the loop, never from inside a call of the driver's.
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

  /// The queue of a link had risen over the low watermark, or took less than it was given, and is low again.
  func linkWritable(_ link: LinkID)

  /// A link is gone, without a failure when the peer closed it in order.
  func linkClosed(_ link: LinkID, _ failure: TransportFailure?)

  /// A dial has a TCP connection and goes on with TLS; for those that ask who is there.
  func dialConnected(_ dial: DialID)

  /// A dial came to nothing.
  func dialFailed(_ dial: DialID, _ failure: TransportFailure)

  /// A connection from outside failed before its peer was proven; for logs.
  ///
  /// Those that the gate turns away are not told.
  func strangerFailed(_ remote: SocketAddress, _ failure: TransportFailure)

  /// No connection can be accepted for the moment (out of descriptors, say); it is tried again every second.
  func listenerPaused(_ failure: TransportFailure)

  /// Connections are accepted again.
  func listenerResumed()
}

extension SecureTransportDelegate {
  /// Ignores it.
  package func dialConnected(_ dial: DialID) {}

  /// Ignores it.
  package func strangerFailed(_ remote: SocketAddress, _ failure: TransportFailure) {}
}
