import Basics
import BasicsLinux
import Glibc

/// A socket that never blocks; closed when it is dropped.
final class HTTPSocket: Sendable {
  let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Listens on `address`.
  static func listen(on address: SocketAddress) throws(SystemCallFailure) -> HTTPSocket {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let opened = Glibc.socket(address.family, type, 0)
    guard opened >= 0 else { throw SystemCallFailure("socket", code: errno) }
    let socket = HTTPSocket(descriptor: opened)
    var yes: Int32 = 1
    setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard address.withSystemAddress({ bind(opened, $0, $1) }) == 0 else { throw SystemCallFailure("bind", code: errno) }
    guard Glibc.listen(opened, 16) == 0 else { throw SystemCallFailure("listen", code: errno) }
    return socket
  }

  /// The port it is bound to; nil when the system does not say.
  var localPort: UInt16? { SocketAddress.read { getsockname(descriptor, $0, $1) == 0 }?.port }

  /// Waits for a connection; nil when there is none, now or permanently.
  func accept() async -> HTTPSocket? {
    guard await Watch.wait(descriptor, for: .reading) else { return nil }
    let accepted = Glibc.accept(descriptor, nil, nil)
    guard accepted >= 0 else { return nil }
    _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    return HTTPSocket(descriptor: accepted)
  }

  /// Reads what is there, waiting for the first byte; nil at the end, after a fault or the timeout.
  func read(timeout: Duration? = nil) async -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count > 0 { return Array(chunk[..<count]) }
      guard count < 0, errno == EAGAIN || errno == EINTR else { return nil }
      guard await Watch.wait(descriptor, for: .reading, timeout: timeout) else { return nil }
    }
  }

  /// Writes everything; false when the client is gone or takes nothing for `timeout`.
  func write(_ bytes: [UInt8], timeout: Duration) async -> Bool {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress! + written, $0.count - written, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        written += count
      } else {
        guard errno == EAGAIN || errno == EINTR else { return false }
        guard await Watch.wait(descriptor, for: .writing, timeout: timeout) else { return false }
      }
    }
    return true
  }

  /// Says that no more comes, and reads on for a moment, since closing with unread bytes would destroy the answer.
  func finish() async {
    shutdown(descriptor, Int32(SHUT_WR))
    for _ in 0..<8 where await read(timeout: .seconds(1)) == nil { return }
  }
}
