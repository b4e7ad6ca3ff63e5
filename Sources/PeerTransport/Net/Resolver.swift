import Basics
import CLinux
import Glibc

/// Looks names up on threads of their own, because `getaddrinfo` blocks for as long as it likes.
enum Resolver {
  /// Looks `name` up and calls `done` on the loop with at least one address.
  static func resolve(
    _ name: String, port: UInt16, on loop: EventLoop,
    _ done: @escaping @Sendable (Result<[SocketAddress], TransportFailure>) -> Void
  ) throws(TransportFailure) {
    let thread = try Thread.start(named: "resolve") {
      let result = lookUp(name, port: port)
      loop.execute { done(result) }
    }
    pthread_detach(thread)
  }

  private static func lookUp(_ name: String, port: UInt16) -> Result<[SocketAddress], TransportFailure> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, nil, &hints, &list)
    guard code == 0 else {
      return .failure(.unresolved(name: name, reason: String(cString: gai_strerror(code))))
    }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var entry = list
    while let info = entry?.pointee {
      let address = SocketAddress.read { storage, size in
        guard info.ai_addrlen <= size.pointee else { return false }
        memcpy(storage, info.ai_addr, Int(info.ai_addrlen))
        return true
      }
      if let address, !addresses.contains(address.with(port: port)) { addresses.append(address.with(port: port)) }
      entry = info.ai_next
    }
    return addresses.isEmpty ? .failure(.unresolved(name: name, reason: "it has no address")) : .success(addresses)
  }
}
