package import Basics
package import Glibc

extension SocketAddress {
  /// Reads the kernel's form, which is as long as its family says; nil for a family other than IPv4 and IPv6.
  package init?(_ system: UnsafePointer<sockaddr>) {
    let raw = UnsafeRawPointer(system)
    switch Int32(system.pointee.sa_family) {
    case AF_INET:
      let address = raw.loadUnaligned(as: sockaddr_in.self)
      self.init(host: .ipv4(UInt32(bigEndian: address.sin_addr.s_addr)), port: UInt16(bigEndian: address.sin_port))
    case AF_INET6:
      let address = raw.loadUnaligned(as: sockaddr_in6.self)
      let bytes = withUnsafeBytes(of: address.sin6_addr) { Array($0) }
      self.init(bytes: bytes, port: UInt16(bigEndian: address.sin6_port), scope: address.sin6_scope_id)
    default:
      return nil
    }
  }

  /// The address family for `socket(2)`.
  package var family: Int32 {
    switch host {
    case .ipv4: AF_INET
    case .ipv6: AF_INET6
    }
  }

  /// Calls `body` with the kernel's form of the address.
  package func withSystemAddress<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    switch host {
    case .ipv4(let word):
      let address = sockaddr_in(
        sin_family: sa_family_t(AF_INET), sin_port: port.bigEndian, sin_addr: in_addr(s_addr: word.bigEndian),
        sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in.self) }
    case .ipv6(let high, let low, let scope):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_scope_id = scope
      withUnsafeMutableBytes(of: &address.sin6_addr) {
        $0.storeBytes(of: high.bigEndian, as: UInt64.self)
        $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
      }
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in6.self) }
      size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    }
    return withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
    }
  }

  /// Calls a function that fills in a `sockaddr_storage`; nil when it fails or the family is foreign.
  package static func read(_ fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Bool) -> Self? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { fill($0, &size) ? Self($0) : nil }
    }
  }
}
