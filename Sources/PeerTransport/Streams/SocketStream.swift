import BasicsLinux
import Glibc

/// A stream over a socket.
final class SocketStream: ByteStream {
  private var socket: Socket?
  private var loop: EventLoop?

  init(_ socket: consuming Socket) { self.socket = consume socket }

  private var descriptor: Int32 { socket?.descriptor ?? -1 }

  func open(
    _ interest: Readiness, on loop: EventLoop, handler: any EventHandler, limits: SecureTransport.Configuration
  ) throws(TransportFailure) {
    socket?.configureLink(limits)
    try loop.watch(descriptor, for: interest, handler: handler)
    self.loop = loop
  }

  func await(_ interest: Readiness) throws(TransportFailure) { try loop?.rewatch(descriptor, for: interest) }

  var connectFailure: TransportFailure? {
    let code = socket?.pendingError ?? EBADF
    return code == 0 ? nil : .system(SystemCallFailure("connect", code: code))
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> StreamResult {
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    return count == 0 ? .ended : result(count, of: "recv")
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> StreamResult {
    result(Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)), of: "send")
  }

  private func result(_ count: Int, of call: String) -> StreamResult {
    guard count < 0 else { return .moved(count) }
    let code = errno
    return code == EAGAIN || code == EINTR ? .blocked : .failed(.system(SystemCallFailure(call, code: code)))
  }

  /// Half-closed, not closed: a close with unread bytes sends a reset, which destroys bytes in flight.
  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  func close(discarding: Bool) {
    if discarding { socket?.resetOnClose() }
    // Before the descriptor is closed, since the kernel may give its number to the next connection.
    loop?.unwatch(descriptor)
    socket = nil
  }

  /// Not known: a session of this process may be there.
  var isInProcess: Bool { false }

  var path: PathState? { socket?.path }

  func limitInFlight(_ bytes: Int) { socket?.setSendBuffer(bytes) }
}
