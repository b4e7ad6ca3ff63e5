package import Basics

/// One end of a connection's bytes, as a link uses it: in order, both ways, never blocking.
///
/// It is confined to the loop of its link.
package protocol ByteStream: AnyObject {
  /// Begins to tell `handler` of the readiness that it waits for; level-triggered, as epoll does.
  func open(
    _ interest: Readiness, on loop: EventLoop, handler: any EventHandler, limits: SecureTransport.Configuration
  ) throws(TransportFailure)

  /// Changes the readiness that the handler waits for.
  func await(_ interest: Readiness) throws(TransportFailure)

  /// Why the attempt to connect failed that has just ended; nil for success.
  var connectFailure: TransportFailure? { get }

  /// Moves what has come into a buffer.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> StreamResult

  /// Takes bytes to send, as many as there is room for.
  func send(_ bytes: UnsafeRawBufferPointer) -> StreamResult

  /// Says that nothing more will be sent; what the other side still sends is received.
  func finishSending()

  /// Ends the stream and tells the handler nothing more; what was sent may still arrive, unless it is discarded.
  func close(discarding: Bool)

  /// Whether both ends are in this process.
  var isInProcess: Bool { get }

  /// The state of the path to the peer; nil where it is not known.
  var path: PathState? { get }

  /// Bounds the bytes that are sent and not acknowledged.
  func limitInFlight(_ bytes: Int)
}

/// The outcome of moving bytes.
package enum StreamResult {
  /// So many bytes were moved, at least one.
  case moved(Int)
  /// Nothing can be moved now; the handler will be told.
  case blocked
  /// The other side has ended the stream.
  case ended
  /// The stream is broken.
  case failed(TransportFailure)
}

/// A way to make connections instead of TCP.
package protocol LinkMedium: AnyObject {
  /// Begins to connect; the stream becomes writable when the attempt has ended.
  func connect(to address: SocketAddress) throws(TransportFailure) -> any ByteStream

  /// Takes connections until ``stopListening()``, on the loop; returns the address that others reach.
  func listen(
    on address: SocketAddress, loop: EventLoop,
    _ accept: @escaping (any ByteStream, _ remote: SocketAddress) -> Void
  ) throws(TransportFailure) -> SocketAddress

  /// Takes no connections any more.
  func stopListening()
}
