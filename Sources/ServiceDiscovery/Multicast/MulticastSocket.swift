internal import Basics
internal import BasicsLinux
internal import CLinux
internal import Glibc

/// A socket that speaks multicast DNS beside every responder of this machine, in one family of addresses.
final class MulticastSocket {
  /// The port of multicast DNS (RFC 6762 §3).
  static let port: UInt16 = 5353

  /// How a socket takes part.
  enum Role {
    /// Everything that comes to the port, for a short time: answers that a responder of this machine waits for come here instead.
    case port
    /// Whatever is sent to the group on one interface, by its index; takes nothing away from a responder.
    case group(UInt32)
    /// Answers to questions of its own alone, from a port of its own (RFC 6762 §6.7).
    case answers
  }

  let descriptor: Int32
  private let isIPv4: Bool
  private let group: SocketAddress

  /// Opens the socket; nil when the port is held by a program that does not share it, the family is switched off, or the group
  /// cannot be joined.
  init?(isIPv4: Bool, _ role: Role = .port) {
    self.isIPv4 = isIPv4
    let (family, kind) = (isIPv4 ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue))
    // 224.0.0.251 and ff02::fb (RFC 6762 §3).
    let host: SocketAddress.Host = isIPv4 ? .ipv4(0xE000_00FB) : .ipv6(high: 0xFF02 << 48, low: 0xFB, scope: 0)
    group = SocketAddress(host: host, port: Self.port)
    descriptor = socket(family, kind, 0)
    guard descriptor >= 0 else { return nil }
    for option in [SO_REUSEADDR, SO_REUSEPORT] { set(SOL_SOCKET, option, Int32(1)) }
    if !isIPv4 { set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, Int32(1)) }
    switch role {
    case .port:
      let any = SocketAddress(host: isIPv4 ? .ipv4(0) : .ipv6(high: 0, low: 0, scope: 0), port: Self.port)
      guard any.withSystemAddress({ bind(descriptor, $0, $1) }) == 0 else { return nil }
    case .group(let interface):
      // Without this option a socket gets what any other one of the machine has joined (ip(7)).
      if isIPv4 { set(Int32(IPPROTO_IP), IP_MULTICAST_ALL, Int32(0)) }
      guard bindToGroup(on: interface), join(interface) else { return nil }
    case .answers: break
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Joins the group on an interface and sends a datagram there; returns why not, or nil.
  ///
  /// A group that cannot be joined shows as a question that nobody answers.
  func send(_ bytes: [UInt8], on interface: UInt32) -> SystemCallFailure? {
    join(interface)
    let sent = group.withSystemAddress { sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
    return sent == bytes.count ? nil : SystemCallFailure("sendto", code: errno)
  }

  /// A datagram that has come, and who sent it; nil when there is none.
  func receive() -> (bytes: ArraySlice<UInt8>, sender: SocketAddress)? {
    var buffer = [UInt8](repeating: 0, count: 9000)
    var count = 0
    let sender = SocketAddress.read { address, size in
      count = recvfrom(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT), address, size)
      return count >= 0
    }
    return sender.map { (buffer.prefix(count), $0) }
  }

  /// How many datagrams the kernel has dropped because nobody read those before (sock_diag(7)).
  var dropped: UInt32 {
    var figures = [UInt32](repeating: 0, count: SK_MEMINFO_VARS)
    var size = socklen_t(figures.count * MemoryLayout<UInt32>.stride)
    getsockopt(descriptor, SOL_SOCKET, SO_MEMINFO, &figures, &size)
    return figures[SK_MEMINFO_DROPS]
  }

  /// Binds to the address of the group, so that nothing else comes.
  private func bindToGroup(on interface: UInt32) -> Bool {
    group.withSystemAddress { address, size in
      guard !isIPv4 else { return bind(descriptor, address, size) == 0 }
      // Linux wants the interface of a multicast address of one link (ipv6(7)); `SocketAddress` has one for hosts alone.
      return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { group in
        var scoped = group.pointee
        scoped.sin6_scope_id = interface
        return withUnsafePointer(to: &scoped) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
      }
    }
  }

  /// Joins the group on an interface, and lets it be the one on which is sent; returns whether it is joined, now or before.
  @discardableResult
  private func join(_ interface: UInt32) -> Bool {
    guard isIPv4 else {
      var wish = ipv6_mreq()
      wish.ipv6mr_interface = interface
      withUnsafeMutableBytes(of: &wish.ipv6mr_multiaddr) { $0.copyBytes(from: group.host.bytes) }
      set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_IF, Int32(interface))
      set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_HOPS, Int32(255))
      return set(Int32(IPPROTO_IPV6), IPV6_ADD_MEMBERSHIP, wish) || errno == EADDRINUSE
    }
    let wish = ip_mreqn(
      imr_multiaddr: in_addr(s_addr: UInt32(0xE000_00FB).bigEndian), imr_address: in_addr(s_addr: 0),
      imr_ifindex: Int32(interface))
    set(Int32(IPPROTO_IP), IP_MULTICAST_IF, wish)
    set(Int32(IPPROTO_IP), IP_MULTICAST_TTL, Int32(255))
    return set(Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, wish) || errno == EADDRINUSE
  }

  @discardableResult
  private func set<Value>(_ level: Int32, _ option: Int32, _ value: Value) -> Bool {
    withUnsafeBytes(of: value) { setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count)) == 0 }
  }
}
