internal import Glibc

/// An address of this machine on one interface.
struct LocalAddress: Hashable {
  /// The index of the interface.
  let interface: Int32

  /// 4 or 16 bytes in network order.
  let bytes: [UInt8]

  /// The addresses on which multicast DNS can be spoken now, in the system's order.
  ///
  /// Loopback counts: it is how two processes on one machine meet when there is no other network. Point-to-point links
  /// do not, because avahi-core leaves them out.
  static func current() -> [LocalAddress] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var found: [LocalAddress] = []
    for entry in sequence(first: list, next: { $0?.pointee.ifa_next }) {
      guard let entry, speaksMulticast(entry.pointee.ifa_flags), let address = entry.pointee.ifa_addr else { continue }
      let interface = Int32(if_nametoindex(entry.pointee.ifa_name))
      guard interface > 0, let (bytes, _) = ipAddress(address) else { continue }
      found.append(LocalAddress(interface: interface, bytes: bytes))
    }
    return found
  }

  private static func speaksMulticast(_ flags: UInt32) -> Bool {
    let isUp = flags & UInt32(IFF_UP) != 0
    let isLoopback = flags & UInt32(IFF_LOOPBACK) != 0
    let hasMulticast = flags & UInt32(IFF_MULTICAST) != 0
    let isPointToPoint = flags & UInt32(IFF_POINTOPOINT) != 0
    return isUp && (isLoopback || hasMulticast) && !isPointToPoint
  }
}
