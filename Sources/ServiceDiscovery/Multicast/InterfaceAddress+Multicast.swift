internal import Basics
internal import BasicsLinux

extension InterfaceAddress {
  /// The addresses on which multicast DNS can be spoken now, in the system's order.
  ///
  /// Loopback counts: it is how two processes on one machine meet when there is no other network. Point-to-point links
  /// do not, because avahi-core leaves them out.
  static func multicast() -> [InterfaceAddress] {
    all().filter { address in
      let flags = address.flags
      return flags.contains(.up) && !flags.contains(.pointToPoint) && !flags.isDisjoint(with: [.loopback, .multicast])
    }
  }

  /// Whether the address is one of IPv4.
  var isIPv4: Bool {
    switch host {
    case .ipv4: true
    case .ipv6: false
    }
  }

  /// The interface and IP version of the address.
  var path: MulticastPath {
    MulticastPath(interface: interface, isIPv4: isIPv4, isLoopback: flags.contains(.loopback))
  }
}

/// An interface and an IP version, on which multicast DNS is spoken by itself.
struct MulticastPath: Hashable {
  let interface: UInt32
  let isIPv4: Bool
  let isLoopback: Bool

  /// Those on which it can be spoken now.
  static func all() -> Set<MulticastPath> { Set(InterfaceAddress.multicast().map(\.path)) }
}
