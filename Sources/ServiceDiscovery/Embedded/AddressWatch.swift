internal import CAvahiCore
internal import Glibc

/// Tells when the addresses of this machine may have changed, from the kernel's routing messages (rtnetlink(7)).
///
/// avahi-core watches them too, but reports nothing, and here it does not publish them.
final class AddressWatch {
  private let socket: Int32
  private let loop: UnsafePointer<AvahiPoll>
  private var watch: OpaquePointer?
  private let onChange: () -> Void

  /// Watches from `loop`; `nil` where the system forbids it, and the addresses then stay those of the start.
  init?(loop: UnsafePointer<AvahiPoll>, onChange: @escaping () -> Void) {
    self.loop = loop
    self.onChange = onChange
    let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    socket = Glibc.socket(AF_NETLINK, type, NETLINK_ROUTE)
    guard socket >= 0 else { return nil }
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    address.nl_groups = UInt32(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR)
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
      }
    }
    guard bound == 0 else {
      close(socket)
      return nil
    }
    watch = loop.pointee.watch_new(
      loop, socket, AVAHI_WATCH_IN, addressesChanged, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Ends the watch; call it before the loop is freed.
  func stop() {
    guard let watch else { return }
    loop.pointee.watch_free(watch)
    self.watch = nil
    close(socket)
  }

  fileprivate func readable() {
    // The messages only trigger a new read of the list: drain the socket and ignore their content.
    var buffer = [UInt8](repeating: 0, count: 8192)
    while recv(socket, &buffer, buffer.count, 0) > 0 {}
    onChange()
  }
}

private func addressesChanged(
  _: OpaquePointer?, _: Int32, _: AvahiWatchEvent, context: UnsafeMutableRawPointer?
) {
  guard let context else { return }
  Unmanaged<AddressWatch>.fromOpaque(context).takeUnretainedValue().readable()
}
