/// Where a TCP endpoint is: an IP address and a port, with no name to look up.
///
/// An IPv4 address that arrives mapped into IPv6 (`::ffff:192.0.2.1`, RFC 4291 §2.5.5.2) becomes the IPv4 address, so
/// that one device has one address on a dual-stack socket.
package struct SocketAddress: Hashable, Sendable, Comparable {
  /// An address without a port.
  package enum Host: Hashable, Sendable, Comparable {
    /// Four bytes, big-endian.
    case ipv4(UInt32)
    /// Sixteen bytes, big-endian, and the interface index of a link-local address (0 for any other).
    case ipv6(high: UInt64, low: UInt64, scope: UInt32)
  }

  /// The address.
  package let host: Host
  /// The TCP port; 0 asks for any free one when listening.
  package let port: UInt16

  /// An endpoint; a mapped IPv4 address is unwrapped, and the scope of an address that needs none is dropped.
  package init(host: Host, port: UInt16) {
    self.port = port
    switch host {
    case .ipv6(0, let low, _) where low >> 32 == 0xffff: self.host = .ipv4(UInt32(truncatingIfNeeded: low))
    case .ipv6(let high, let low, let scope) where scope != 0 && !host.isLinkLocal:
      self.host = .ipv6(high: high, low: low, scope: 0)
    case .ipv4, .ipv6: self.host = host
    }
  }

  /// Reads 4 bytes (IPv4) or 16 bytes (IPv6) in network order; nil for any other count.
  package init?(bytes: some Collection<UInt8>, port: UInt16, scope: UInt32 = 0) {
    switch bytes.count {
    case 4:
      self.init(host: .ipv4(bytes.reduce(0) { $0 << 8 | UInt32($1) }), port: port)
    case 16:
      let high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
      let low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
      self.init(host: .ipv6(high: high, low: low, scope: scope), port: port)
    default:
      return nil
    }
  }

  /// Every address of this machine, IPv4 and IPv6.
  package static func any(port: UInt16) -> Self { Self(host: .ipv6(high: 0, low: 0, scope: 0), port: port) }

  /// This machine itself over IPv4, 127.0.0.1.
  package static func loopback(port: UInt16) -> Self { Self(host: .ipv4(0x7f00_0001), port: port) }

  /// The address in network order: 4 or 16 bytes.
  package var bytes: [UInt8] { host.bytes }

  /// The interface index of a link-local IPv6 address, else 0.
  package var scope: UInt32 { host.scope }

  /// The same address with another port.
  package func with(port: UInt16) -> Self { Self(host: host, port: port) }

  /// Orders by bytes, scope and port; an IPv4 address sorts where its mapped form would.
  package static func < (left: Self, right: Self) -> Bool {
    left.sortKey < right.sortKey
  }

  private var sortKey: (UInt64, UInt64, UInt32, UInt16) {
    switch host {
    case .ipv4(let word): (0, 0xffff_0000_0000 | UInt64(word), 0, port)
    case .ipv6(let high, let low, let scope): (high, low, scope, port)
    }
  }
}

extension SocketAddress.Host {
  /// The address in network order: 4 or 16 bytes.
  package var bytes: [UInt8] {
    switch self {
    case .ipv4(let word):
      stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    case .ipv6(let high, let low, _):
      [high, low].flatMap { word in
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
      }
    }
  }

  /// The interface index of a link-local IPv6 address, else 0.
  package var scope: UInt32 {
    if case .ipv6(_, _, let scope) = self { scope } else { 0 }
  }

  /// Whether the address reaches only its own link: `169.254.0.0/16` (RFC 3927) or `fe80::/10` (RFC 4291 §2.5.6).
  package var isLinkLocal: Bool {
    switch self {
    case .ipv4(let word): word >> 16 == 0xa9fe
    case .ipv6(let high, _, _): high >> 54 == 0xfe80 >> 6
    }
  }

  /// Whether the address can be that of one machine: not `0.0.0.0/8` or `::` (unspecified), multicast (`224.0.0.0/4`,
  /// `ff00::/8`) or reserved (`240.0.0.0/4`, with the broadcast address).
  package var isUnicast: Bool {
    switch self {
    case .ipv4(let word): word >> 24 != 0 && word >> 28 < 0xe
    case .ipv6(let high, let low, _): (high != 0 || low != 0) && high >> 56 != 0xff
    }
  }

  /// Whether the address reaches only this machine: `127.0.0.0/8` or `::1`.
  package var isLoopback: Bool {
    switch self {
    case .ipv4(let word): word >> 24 == 127
    case .ipv6(let high, let low, _): high == 0 && low == 1
    }
  }
}
