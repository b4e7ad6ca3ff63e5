internal import Glibc

/// A numeric network address with a port, as `connect(2)` needs it.
package struct ResolvedEndpoint: Hashable, Sendable, CustomStringConvertible {
  /// The IP version.
  package enum Family: Hashable, Sendable {
    /// IPv4: four address bytes.
    case ipv4
    /// IPv6: sixteen address bytes.
    case ipv6
  }

  /// The IP version of ``address``.
  package let family: Family

  /// The address in network order: 4 bytes for IPv4, 16 for IPv6.
  package let address: [UInt8]

  /// The interface index of a link-local IPv6 address (`fe80::/10`), which means nothing without it; otherwise 0.
  package let scopeID: UInt32

  /// The TCP port.
  package let port: UInt16

  /// Takes 4 or 16 address bytes; `nil` for another number.
  ///
  /// The scope is kept for link-local IPv6 only.
  package init?(address: [UInt8], port: UInt16, scopeID: UInt32 = 0) {
    switch address.count {
    case 4: family = .ipv4
    case 16: family = .ipv6
    default: return nil
    }
    self.address = address
    self.port = port
    self.scopeID = Self.isLinkLocalIPv6(address) ? scopeID : 0
  }

  /// Whether the address reaches only its own link: `169.254/16` or `fe80::/10`.
  package var isLinkLocal: Bool {
    Self.isLinkLocalIPv6(address) || (family == .ipv4 && address[0] == 169 && address[1] == 254)
  }

  /// Whether the address is of this machine only: `127/8` or `::1`.
  package var isLoopback: Bool {
    family == .ipv4 ? address[0] == 127 : address.dropLast().allSatisfy { $0 == 0 } && address[15] == 1
  }

  /// `192.0.2.1:4000`, `[2001:db8::1]:4000` or `[fe80::1%2]:4000`.
  package var description: String {
    switch family {
    case .ipv4: "\(host):\(port)"
    case .ipv6: "[\(host)]:\(port)"
    }
  }

  /// The address without the port, with the scope where there is one.
  package var host: String {
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
      inet_ntop(family == .ipv4 ? AF_INET : AF_INET6, address, buffer.baseAddress, socklen_t(buffer.count))
        .map { String(cString: $0) } ?? ""
    }
    return scopeID == 0 ? text : "\(text)%\(scopeID)"
  }

  /// Reads a numeric address; the scope may be an index or the name of an interface of this machine.
  package init(parsing text: String) throws(DiscoveryError) {
    switch try StaticAddress(parsing: text) {
    case .numeric(let endpoint): self = endpoint
    case .named: throw .invalidEndpoint(text, reason: "it must be a numeric address")
    }
  }

  private static func isLinkLocalIPv6(_ address: [UInt8]) -> Bool {
    address.count == 16 && address[0] == 0xFE && address[1] & 0xC0 == 0x80
  }
}
