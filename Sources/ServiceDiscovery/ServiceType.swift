/// The kind of service that an app offers, without the DNS decoration: `sharedworld`.
///
/// The rules are those of RFC 6335 §5.1: 1 to 15 of the characters a–z, 0–9 and hyphen, at least one letter,
/// and no hyphen first, last or doubled. Upper-case letters are refused rather than folded, because two apps
/// that spell the type differently should notice.
package struct ServiceType: Hashable, Sendable, CustomStringConvertible {
  /// The bare name, such as `sharedworld`.
  package let name: String

  /// Checks `name` against RFC 6335 §5.1.
  package init(_ name: String) throws(DiscoveryError) {
    if let reason = Self.fault(in: Array(name.utf8)) {
      throw .invalidServiceType(name, reason: reason)
    }
    self.name = name
  }

  /// The name as DNS-SD writes it: `_sharedworld._tcp`.
  package var dnsName: String { "_\(name)._tcp" }

  package var description: String { name }

  private static func fault(in bytes: [UInt8]) -> String? {
    guard (1...15).contains(bytes.count) else { return "it must have 1 to 15 characters" }
    let hyphen = UInt8(ascii: "-")
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard bytes.allSatisfy({ letters.contains($0) || digits.contains($0) || $0 == hyphen }) else {
      return "only a to z, 0 to 9 and hyphens are allowed"
    }
    guard bytes.contains(where: letters.contains) else { return "it needs at least one letter" }
    guard bytes.first != hyphen, bytes.last != hyphen else { return "it must not begin or end with a hyphen" }
    guard !zip(bytes, bytes.dropFirst()).contains(where: { $0 == hyphen && $1 == hyphen }) else {
      return "it must not have two hyphens in a row"
    }
    return nil
  }
}
