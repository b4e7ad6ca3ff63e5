import Basics
import BasicsLinux
import Glibc

/// A non-blocking TCP socket, closed when it is dropped.
struct Socket: ~Copyable {
  let descriptor: Int32

  /// Owns a descriptor that `accept` returned.
  init(accepted descriptor: Int32) {
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit {
    close(descriptor)
  }

  /// A new socket for the family of `address`.
  init(for address: SocketAddress) throws(TransportFailure) {
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let opened = socket(address.family, Int32(kind), 0)
    guard opened >= 0 else { throw .system(SystemCallFailure("socket", code: errno)) }
    descriptor = opened
  }

  /// Sets what every link needs: no Nagle, dead peers noticed, and a short queue in the kernel so that what is urgent
  /// does not wait behind a map.
  func configureLink(_ options: SecureTransport.Configuration) {
    detachFilter()
    set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    set(SOL_SOCKET, SO_KEEPALIVE, 1)
    set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 10)
    set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 5)
    set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
    set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: options.userTimeout / 1_000_000))
    set(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, Int32(clamping: options.unsentLimit))
  }

  /// Sets a socket option; the options used here exist on every kernel that has epoll, so a failure means nothing.
  func set(_ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Bounds the bytes the kernel keeps for this socket, sent and not acknowledged or not sent yet.
  ///
  /// The kernel doubles the value, for its own bookkeeping.
  func setSendBuffer(_ bytes: Int) {
    set(SOL_SOCKET, SO_SNDBUF, Int32(clamping: bytes / 2))
  }

  /// The round trip to the peer and the bytes in flight; nil if the kernel reports neither.
  var path: PathState? {
    withUnsafeTemporaryAllocation(byteCount: PathState.infoSize, alignment: 8) { info in
      var size = socklen_t(info.count)
      guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, info.baseAddress, &size) == 0 else { return nil }
      return PathState(info: UnsafeRawBufferPointer(rebasing: info[..<Int(size)]))
    }
  }

  /// Makes closing discard everything and send a reset (SO_LINGER of 0).
  func resetOnClose() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }

  /// The error of a connection attempt that ended, 0 for success.
  var pendingError: Int32 {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
  }

  /// Where this socket is bound.
  var localAddress: SocketAddress? {
    SocketAddress.read { getsockname(descriptor, $0, $1) == 0 }
  }

  /// Starts to connect; the socket becomes writable when the attempt has ended.
  func connect(to address: SocketAddress) throws(TransportFailure) {
    let result = address.withSystemAddress { Glibc.connect(descriptor, $0, $1) }
    guard result == 0 || errno == EINPROGRESS else { throw .system(SystemCallFailure("connect", code: errno)) }
  }

  /// Binds and listens.
  func listen(on address: SocketAddress) throws(TransportFailure) {
    set(SOL_SOCKET, SO_REUSEADDR, 1)
    if address.family == AF_INET6 { set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
    guard address.withSystemAddress({ bind(descriptor, $0, $1) }) == 0 else {
      throw .system(SystemCallFailure("bind", code: errno))
    }
    guard Glibc.listen(descriptor, 128) == 0 else { throw .system(SystemCallFailure("listen", code: errno)) }
  }
}
