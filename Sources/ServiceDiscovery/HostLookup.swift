internal import Glibc

extension StaticAddress {
  /// The endpoints of the address, in the system's order of preference (RFC 6724).
  ///
  /// A numeric address is returned as it is. A name is looked up with `getaddrinfo(3)`, which blocks for as long as
  /// the system's resolver likes; it gets a thread of its own, so that no other task waits. The look-up itself cannot
  /// be interrupted.
  package func endpoints() async throws(DiscoveryError) -> [ResolvedEndpoint] {
    switch self {
    case .numeric(let endpoint):
      return [endpoint]
    case .named(let host, let port):
      let result: Result<[ResolvedEndpoint], DiscoveryError> = await withCheckedContinuation { continuation in
        do throws(DiscoveryError) {
          let thread = try WorkerThread {
            continuation.resume(returning: lookUp(host: host, port: port))
          }
          thread.detach()
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
      return try result.get()
    }
  }
}

private func lookUp(host: String, port: UInt16) -> Result<[ResolvedEndpoint], DiscoveryError> {
  var hints = addrinfo()
  hints.ai_family = AF_UNSPEC
  hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
  var list: UnsafeMutablePointer<addrinfo>?
  let error = getaddrinfo(host, nil, &hints, &list)
  guard error == 0 else {
    return .failure(.unknownHost(host, reason: String(cString: gai_strerror(error))))
  }
  defer { freeaddrinfo(list) }
  var endpoints: [ResolvedEndpoint] = []
  for entry in sequence(first: list, next: { $0?.pointee.ai_next }) {
    guard let address = entry?.pointee.ai_addr, let (bytes, scopeID) = ipAddress(address) else { continue }
    guard let endpoint = ResolvedEndpoint(address: bytes, port: port, scopeID: scopeID) else { continue }
    if !endpoints.contains(endpoint) { endpoints.append(endpoint) }
  }
  return endpoints.isEmpty ? .failure(.unknownHost(host, reason: "it has no IP address")) : .success(endpoints)
}

/// The address bytes and the scope of a socket address; `nil` for a family other than IPv4 and IPv6.
func ipAddress(_ address: UnsafePointer<sockaddr>) -> (bytes: [UInt8], scopeID: UInt32)? {
  let raw = UnsafeRawPointer(address)
  switch Int32(address.pointee.sa_family) {
  case AF_INET:
    let socketAddress = raw.loadUnaligned(as: sockaddr_in.self)
    return (withUnsafeBytes(of: socketAddress.sin_addr) { Array($0) }, 0)
  case AF_INET6:
    let socketAddress = raw.loadUnaligned(as: sockaddr_in6.self)
    return (withUnsafeBytes(of: socketAddress.sin6_addr) { Array($0) }, socketAddress.sin6_scope_id)
  default:
    return nil
  }
}
