package import Basics
import Glibc

/// An address of this machine on one of its network interfaces.
package struct InterfaceAddress: Equatable, Sendable {
  /// Capabilities and present state of an interface (netdevice(7)).
  package struct Flags: OptionSet, Equatable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
      self.rawValue = rawValue
    }

    /// The interface is up.
    package static let up = Self(rawValue: UInt32(IFF_UP))
    /// It leads back to this machine.
    package static let loopback = Self(rawValue: UInt32(IFF_LOOPBACK))
    /// It can multicast.
    package static let multicast = Self(rawValue: UInt32(IFF_MULTICAST))
    /// It leads to one other machine, as a tunnel does.
    package static let pointToPoint = Self(rawValue: UInt32(IFF_POINTOPOINT))
  }

  /// The index of the interface, at least 1.
  package let interface: UInt32
  /// Capabilities and state of the interface.
  package let flags: Flags
  /// The address.
  package let host: SocketAddress.Host

  /// The index of the interface that leads back to this machine; nil when there is none.
  package static var loopbackIndex: UInt32? { all().first { $0.flags.contains(.loopback) }?.interface }

  /// The addresses of every interface, up or not, in the system's order; empty when the system refuses the list.
  package static func all() -> [InterfaceAddress] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    return sequence(first: list, next: { $0?.pointee.ifa_next }).compactMap { entry in
      guard let entry = entry?.pointee, let raw = entry.ifa_addr, let address = SocketAddress(raw) else { return nil }
      let index = if_nametoindex(entry.ifa_name)
      // The interface may have been removed since the list was made.
      guard index > 0 else { return nil }
      return InterfaceAddress(interface: index, flags: Flags(rawValue: entry.ifa_flags), host: address.host)
    }
  }
}
