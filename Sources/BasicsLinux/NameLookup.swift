package import Basics
import Glibc

/// Looks names of hosts up in the system's resolver.
package enum NameLookup {
  /// The addresses of `host` at `port`, each once, in the system's order of preference (RFC 6724); at least one.
  ///
  /// `host` is an IPv4 or IPv6 address, which is returned as it is, or a name. The scope of an IPv6 address may be the name of
  /// an interface. A name is looked up with getaddrinfo(3), which blocks for as long as it likes and cannot be interrupted, so
  /// it gets a thread of its own.
  package static func addresses(of host: String, port: UInt16) async throws(NameLookupFailure) -> [SocketAddress] {
    if let numeric = try numeric(host) { return [SocketAddress(host: numeric, port: port)] }
    guard isName(host) else { throw .invalid(host, reason: "it is neither an IP address nor a host name") }
    let result: Result<[SocketAddress], NameLookupFailure> = await withCheckedContinuation { continuation in
      do throws(SystemCallFailure) {
        _ = try POSIXThread(named: "sharedworld-dns") { continuation.resume(returning: lookUp(host, port: port)) }
      } catch {
        continuation.resume(returning: .failure(.system(error)))
      }
    }
    return try result.get()
  }

  /// Reads an address with the index or the name of an interface; nil for what may be a name.
  private static func numeric(_ text: String) throws(NameLookupFailure) -> SocketAddress.Host? {
    if let host = SocketAddress.Host(text) { return host }
    guard text.contains(":") else { return nil }
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard case .ipv6(let high, let low, _) = SocketAddress.Host(parts[0]), parts.count == 2 else {
      throw .invalid(text, reason: "it is not an IPv6 address")
    }
    // C would read a text with a zero byte only as far as the zero.
    let index = parts[1].utf8.contains(0) ? 0 : if_nametoindex(parts[1])
    guard index > 0 else { throw .invalid(text, reason: "this machine has no interface '\(parts[1])'") }
    return .ipv6(high: high, low: low, scope: index)
  }

  /// Letters, digits, hyphens and dots (RFC 1123 §2.1), and the underscore that many networks use; 1 to 253 bytes.
  private static func isName(_ text: String) -> Bool {
    guard (1...253).contains(text.utf8.count) else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
      default: false
      }
    }
  }

  private static func lookUp(_ name: String, port: UInt16) -> Result<[SocketAddress], NameLookupFailure> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, nil, &hints, &list)
    guard code == 0 else { return .failure(.unknown(name, reason: String(cString: gai_strerror(code)))) }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    for entry in sequence(first: list, next: { $0?.pointee.ai_next }) {
      guard let raw = entry?.pointee.ai_addr, let address = SocketAddress(raw)?.with(port: port) else { continue }
      if !addresses.contains(address) { addresses.append(address) }
    }
    return addresses.isEmpty ? .failure(.unknown(name, reason: "it has no IP address")) : .success(addresses)
  }
}

/// Why a host has no address.
package enum NameLookupFailure: Error, Equatable, Sendable {
  /// The text cannot name a host.
  case invalid(String, reason: String)
  /// The system's resolver does not know the name, or has no server to ask now.
  case unknown(String, reason: String)
  /// The look-up could not be started.
  case system(SystemCallFailure)
}

extension NameLookupFailure: CustomStringConvertible {
  /// A sentence for people.
  package var description: String {
    switch self {
    case .invalid(let text, let reason): "host '\(text)' is invalid: \(reason)"
    case .unknown(let name, let reason): "host '\(name)' cannot be resolved: \(reason)"
    case .system(let failure): "the name cannot be looked up: \(failure)"
    }
  }
}
