import Basics
import BasicsLinux
import Glibc
import PeerTransport

/// A UDP socket of one family of addresses on the session's loop.
final class DatagramSocket: EventHandler {
  /// Datagrams that are read in one round of the loop: a flood leaves time for the session.
  private static let round = 32

  private let descriptor: Int32
  private let isIPv4: Bool
  private let loop: EventLoop
  private let onDatagram: ([UInt8], SocketAddress) -> Void
  private var buffer = [UInt8](repeating: 0, count: 2048)

  /// Opens a socket on a port that other processes may share, or on any free one (0).
  ///
  /// - Throws: ``SystemCallFailure`` where the family is switched off or another program holds the port alone.
  init(
    isIPv4: Bool, port: UInt16, loop: EventLoop, _ onDatagram: @escaping ([UInt8], SocketAddress) -> Void
  ) throws {
    (self.isIPv4, self.loop, self.onDatagram) = (isIPv4, loop, onDatagram)
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = socket(isIPv4 ? AF_INET : AF_INET6, kind, 0)
    guard descriptor >= 0 else { throw SystemCallFailure("socket", code: errno) }
    if port > 0 { for option in [SO_REUSEADDR, SO_REUSEPORT] { set(SOL_SOCKET, option, 1) } }
    if isIPv4 { set(SOL_SOCKET, SO_BROADCAST, 1) } else { set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
    let any = SocketAddress(host: isIPv4 ? .ipv4(0) : .ipv6(high: 0, low: 0, scope: 0), port: port)
    guard any.withSystemAddress({ bind(descriptor, $0, $1) }) == 0 else {
      defer { close(descriptor) }
      throw SystemCallFailure("bind", code: errno)
    }
    try loop.watch(descriptor, for: .readable, handler: self)
  }

  /// Closes the socket; nothing is received afterwards.
  func stop() {
    loop.unwatch(descriptor)
    close(descriptor)
  }

  /// Sends a datagram if it is for this family, by an interface where the destination is that of all machines on a link.
  ///
  /// A datagram that the system refuses is lost, as any datagram may be.
  func send(_ bytes: [UInt8], to destination: SocketAddress, by interface: UInt32 = 0) {
    guard (destination.family == AF_INET) == isIPv4 else { return }
    // The index is big-endian (ip(7)); IPv6 takes it from the scope of the address.
    if isIPv4 { set(Int32(IPPROTO_IP), IP_UNICAST_IF, Int32(bitPattern: interface.bigEndian)) }
    _ = destination.withSystemAddress { sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
  }

  func handle(_ readiness: Readiness) {
    for _ in 0..<Self.round {
      var count = 0
      let sender = SocketAddress.read { address, size in
        count = recvfrom(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT), address, size)
        return count >= 0
      }
      guard let sender else { return }
      onDatagram(Array(buffer.prefix(count)), sender)
    }
  }

  private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
    _ = withUnsafeBytes(of: value) { setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count)) }
  }
}
