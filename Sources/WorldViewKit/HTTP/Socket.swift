import Glibc

/// A socket that never blocks; closed when it is dropped.
final class Socket: Sendable {
  let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Listens on a host and port; `port` becomes the one chosen.
  static func listen(host: String, port: UInt16) throws(HTTPFailure) -> (socket: Socket, port: UInt16) {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, "\(port)", &hints, &list)
    guard status == 0, let first = list?.pointee else {
      throw HTTPFailure(500, "\(host): \(String(cString: gai_strerror(status)))")
    }
    defer { freeaddrinfo(list) }
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let socket = Socket(descriptor: Glibc.socket(first.ai_family, type, 0))
    var yes: Int32 = 1
    setsockopt(socket.descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard bind(socket.descriptor, first.ai_addr, first.ai_addrlen) == 0, Glibc.listen(socket.descriptor, 16) == 0 else {
      throw HTTPFailure(500, "cannot listen on \(host):\(port): \(String(cString: strerror(errno)))")
    }
    return (socket, socket.localPort)
  }

  private var localPort: UInt16 {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    withUnsafeMutableBytes(of: &address) { bytes in
      _ = getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
    }
    // The port lies at the same place for IPv4 and IPv6, big-endian.
    return withUnsafeBytes(of: address) { UInt16($0[2]) << 8 | UInt16($0[3]) }
  }

  /// Waits for a connection; nil when there is none, for a moment or for good.
  func accept() async -> Socket? {
    guard await Watch.wait(descriptor, for: .reading) else { return nil }
    let accepted = Glibc.accept(descriptor, nil, nil)
    guard accepted >= 0 else { return nil }
    _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    return Socket(descriptor: accepted)
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
