import CLinux
import Glibc

/// A descriptor that is readable when the addresses of this machine may have changed (rtnetlink(7)).
///
/// It is closed with the last reference.
package final class AddressNews: Sendable {
  /// For poll(2) and epoll(7).
  package let descriptor: Int32

  /// Begins to listen to the kernel; nil where the system forbids it, and the addresses then stay those of the start.
  package init?() {
    let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = socket(AF_NETLINK, type, NETLINK_ROUTE)
    guard descriptor >= 0 else { return nil }
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    address.nl_groups = UInt32(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR)
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size)) == 0
      }
    }
    guard isBound else { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Makes the descriptor unreadable again: the messages only ask for a new look at the list.
  package func drain() {
    var buffer = [UInt8](repeating: 0, count: 8192)
    while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
  }
}
