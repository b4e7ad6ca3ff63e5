import Basics
import BasicsLinux

extension SocketAddress {
  /// The addresses to tell others when listening on this one: itself, or for the wildcard every address of every interface
  /// that is up; for that of IPv4 those of IPv4 alone.
  var reachable: [SocketAddress] {
    guard bytes.allSatisfy({ $0 == 0 }) else { return [self] }
    // A link-local address of IPv6 means nothing on another machine.
    let found = InterfaceAddress.all().filter {
      $0.flags.contains(.up) && $0.host.scope == 0 && (bytes.count == 16 || $0.host.bytes.count == 4)
    }
    // A loopback address only helps a peer on the same machine, and only when there is no other way.
    let outward = found.filter { !$0.flags.contains(.loopback) }
    return (outward.isEmpty ? found : outward).map { SocketAddress(host: $0.host, port: port) }.byTurns
  }
}
