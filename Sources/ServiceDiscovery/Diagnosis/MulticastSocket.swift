internal import Basics
internal import BasicsLinux
internal import Glibc

/// A socket on the port of multicast DNS that shares it with every responder, in one family of addresses.
final class MulticastSocket {
  private static let port: UInt16 = 5353

  let descriptor: Int32
  private let isIPv4: Bool
  private let group: SocketAddress

  /// Opens the socket; nil when the port is held by a program that does not share it, or the family is switched off.
  init?(isIPv4: Bool) {
    self.isIPv4 = isIPv4
    let (family, kind) = (isIPv4 ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue))
    // 224.0.0.251 and ff02::fb (RFC 6762 §3).
    let host: SocketAddress.Host = isIPv4 ? .ipv4(0xE000_00FB) : .ipv6(high: 0xFF02 << 48, low: 0xFB, scope: 0)
    group = SocketAddress(host: host, port: Self.port)
    descriptor = socket(family, kind, 0)
    guard descriptor >= 0 else { return nil }
    for option in [SO_REUSEADDR, SO_REUSEPORT] { set(SOL_SOCKET, option, Int32(1)) }
    if !isIPv4 { set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, Int32(1)) }
    let any = SocketAddress(host: isIPv4 ? .ipv4(0) : .ipv6(high: 0, low: 0, scope: 0), port: Self.port)
    guard any.withSystemAddress({ bind(descriptor, $0, $1) }) == 0 else { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Joins the group on an interface and sends a datagram there; returns why not, or nil.
  func send(_ bytes: [UInt8], on interface: UInt32) -> SystemCallFailure? {
    join(interface)
    let sent = group.withSystemAddress { sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
    return sent == bytes.count ? nil : SystemCallFailure("sendto", code: errno)
  }

  /// A datagram that has come, and who sent it; nil when there is none.
  func receive() -> (bytes: ArraySlice<UInt8>, sender: SocketAddress.Host)? {
    var buffer = [UInt8](repeating: 0, count: 9000)
    var count = 0
    let sender = SocketAddress.read { address, size in
      count = recvfrom(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT), address, size)
      return count >= 0
    }
    return sender.map { (buffer.prefix(count), $0.host) }
  }

  private func join(_ interface: UInt32) {
    if isIPv4 {
      let wish = ip_mreqn(
        imr_multiaddr: in_addr(s_addr: UInt32(0xE000_00FB).bigEndian), imr_address: in_addr(s_addr: 0),
        imr_ifindex: Int32(interface))
      // A failure shows as a question that nobody answers.
      set(Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, wish)
      set(Int32(IPPROTO_IP), IP_MULTICAST_IF, wish)
      set(Int32(IPPROTO_IP), IP_MULTICAST_TTL, Int32(255))
    } else {
      var wish = ipv6_mreq()
      wish.ipv6mr_interface = interface
      withUnsafeMutableBytes(of: &wish.ipv6mr_multiaddr) { $0.copyBytes(from: group.host.bytes) }
      set(Int32(IPPROTO_IPV6), IPV6_ADD_MEMBERSHIP, wish)
      set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_IF, Int32(interface))
      set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_HOPS, Int32(255))
    }
  }

  private func set<Value>(_ level: Int32, _ option: Int32, _ value: Value) {
    withUnsafeBytes(of: value) { _ = setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count)) }
  }
}
