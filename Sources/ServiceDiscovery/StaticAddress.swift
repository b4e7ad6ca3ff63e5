internal import Glibc

/// An address that a person has typed: `192.0.2.1:4000`, `[fe80::1%eth0]:4000` or `kitchen.example:4000`.
package enum StaticAddress: Hashable, Sendable {
  /// The address needs no look-up.
  case numeric(ResolvedEndpoint)

  /// The host is a name, which ``endpoints()`` looks up.
  case named(host: String, port: UInt16)

  /// Reads `host:port` or `[address]:port`; does not look anything up.
  package init(parsing text: String) throws(DiscoveryError) {
    let (host, port, isBracketed) = try Self.split(text)
    if let bytes = Self.bytes(of: host, family: AF_INET, count: 4), !isBracketed {
      self = try Self.numeric(bytes, port: port, scopeID: 0, text: text)
      return
    }
    guard isBracketed else {
      guard Self.isHostName(host) else { throw .invalidEndpoint(text, reason: "\"\(host)\" is no host name") }
      self = .named(host: host, port: port)
      return
    }
    let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let bytes = Self.bytes(of: String(parts[0]), family: AF_INET6, count: 16) else {
      throw .invalidEndpoint(text, reason: "\"\(host)\" is no IPv6 address")
    }
    let scopeID = try parts.count == 2 ? Self.scopeID(of: String(parts[1]), text: text) : 0
    self = try Self.numeric(bytes, port: port, scopeID: scopeID, text: text)
  }

  private static func numeric(
    _ bytes: [UInt8], port: UInt16, scopeID: UInt32, text: String
  ) throws(DiscoveryError) -> StaticAddress {
    guard let endpoint = ResolvedEndpoint(address: bytes, port: port, scopeID: scopeID) else {
      throw .invalidEndpoint(text, reason: "it is no IP address")
    }
    return .numeric(endpoint)
  }

  private static func split(_ text: String) throws(DiscoveryError) -> (host: String, port: UInt16, isBracketed: Bool) {
    // C would read such a text to the zero only.
    guard !text.utf8.contains(0) else { throw .invalidEndpoint(text, reason: "it holds a zero byte") }
    guard let colon = text.lastIndex(of: ":") else { throw .invalidEndpoint(text, reason: "the port is missing") }
    let digits = text[text.index(after: colon)...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port > 0 else {
      throw .invalidEndpoint(text, reason: "the port must be a number from 1 to 65535")
    }
    let host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      return (String(host.dropFirst().dropLast()), port, true)
    }
    guard !host.contains(":") else {
      throw .invalidEndpoint(text, reason: "an IPv6 address must stand in brackets, as in [::1]:4000")
    }
    return (String(host), port, false)
  }

  private static func bytes(of host: String, family: Int32, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return inet_pton(family, host, &bytes) == 1 ? bytes : nil
  }

  private static func scopeID(of scope: String, text: String) throws(DiscoveryError) -> UInt32 {
    if let number = UInt32(scope), number > 0 { return number }
    let index = if_nametoindex(scope)
    guard index > 0 else { throw .invalidEndpoint(text, reason: "there is no interface \"\(scope)\"") }
    return index
  }

  /// RFC 1123 §2.1 letters, digits, hyphens and dots, with the underscore that many networks use.
  private static func isHostName(_ host: String) -> Bool {
    guard (1...253).contains(host.utf8.count) else { return false }
    return host.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
      default: false
      }
    }
  }
}
