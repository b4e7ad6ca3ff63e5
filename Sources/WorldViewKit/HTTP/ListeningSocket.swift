import Basics
import BasicsLinux
import Glibc

/// A TCP socket that listens.
final class ListeningSocket: Sendable {
  let descriptor: Int32

  /// Listens on `address`.
  init(on address: SocketAddress) throws(SystemCallFailure) {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    descriptor = socket(address.family, type, 0)
    guard descriptor >= 0 else { throw SystemCallFailure("socket", code: errno) }
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let descriptor = descriptor
    guard address.withSystemAddress({ bind(descriptor, $0, $1) }) == 0 else {
      throw SystemCallFailure("bind", code: errno)
    }
    // A connection for which there is no room here is tried again a second later.
    guard listen(descriptor, SOMAXCONN) == 0 else { throw SystemCallFailure("listen", code: errno) }
  }

  deinit {
    close(descriptor)
  }

  /// The port it is bound to; nil when the system does not say.
  var port: UInt16? { SocketAddress.read { getsockname(descriptor, $0, $1) == 0 }?.port }
}
