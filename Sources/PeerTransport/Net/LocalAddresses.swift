import Basics
import CLinux
import Glibc

/// The addresses under which other machines may reach this one.
enum LocalAddresses {
  /// The addresses to tell others when listening on `address`: itself, or for the wildcard every address of every
  /// interface that is up, those of other machines' reach first.
  static func reachable(listeningOn address: SocketAddress) -> [SocketAddress] {
    guard address.bytes.allSatisfy({ $0 == 0 }) else { return [address] }
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var found: [(isLoopback: Bool, address: SocketAddress)] = []
    var entry = list
    while let interface = entry?.pointee {
      entry = interface.ifa_next
      guard interface.ifa_flags & UInt32(IFF_UP) != 0, let raw = interface.ifa_addr,
        let address = read(raw), address.scope == 0
      else { continue }
      found.append((interface.ifa_flags & UInt32(IFF_LOOPBACK) != 0, address))
    }
    // A loopback address only helps a peer on the same machine, and only when there is no other way.
    let outward = found.filter { !$0.isLoopback }.map(\.address)
    return outward.isEmpty ? found.map(\.address) : outward
  }

  private static func read(_ raw: UnsafeMutablePointer<sockaddr>) -> SocketAddress? {
    let size: Int
    switch Int32(raw.pointee.sa_family) {
    case AF_INET: size = MemoryLayout<sockaddr_in>.size
    case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
    default: return nil
    }
    return SocketAddress.read { storage, _ in
      memcpy(storage, raw, size)
      return true
    }
  }
}
