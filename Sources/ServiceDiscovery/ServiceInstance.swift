import Basics

/// One advertised service, by its name on the network.
///
/// Names are compared byte by byte. Swift's own string comparison would take two spellings of one accented letter
/// for the same name; DNS treats them as two services, and so must a table of services.
package struct ServiceInstance: Hashable, Sendable, CustomStringConvertible {
  /// The longest name that a DNS label can carry, in UTF-8 bytes (RFC 6763 §4.1.1).
  package static let maximumNameLength = 63

  /// The instance name, 1 to 63 bytes of UTF-8.
  package let name: String

  /// The service type of the instance.
  package let type: ServiceType

  /// The DNS domain without a trailing dot; multicast DNS has only `local`.
  package let domain: String

  /// Checks the name against RFC 6763 §4.1.1 (1 to 63 bytes) and ``PlainText``, which refuses more than its control characters.
  package init(name: String, type: ServiceType, domain: String = "local") throws(DiscoveryError) {
    let bytes = name.utf8
    guard (1...Self.maximumNameLength).contains(bytes.count) else {
      throw .invalidInstanceName(name, reason: "it must have 1 to \(Self.maximumNameLength) bytes of UTF-8")
    }
    guard PlainText.allows(name + domain) else {
      throw .invalidInstanceName(
        PlainText.cleaned(name), reason: "it must not hold characters that steer a terminal or turn a line around")
    }
    self.name = name
    self.type = type
    self.domain = domain.hasSuffix(".") ? String(domain.dropLast()) : domain
  }

  package var description: String { "\(name).\(type.dnsName).\(domain)" }

  package static func == (left: Self, right: Self) -> Bool {
    left.type == right.type && left.name.utf8.elementsEqual(right.name.utf8)
      && left.domain.utf8.elementsEqual(right.domain.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    for byte in name.utf8 { hasher.combine(byte) }
  }
}

extension ServiceInstance {
  /// The next name to try when this one is taken: `lamp`, `lamp #2`, `lamp #3` and so on (RFC 6763 appendix D).
  ///
  /// The name is shortened by whole characters where the number would make it too long for DNS.
  package var alternative: ServiceInstance {
    var base = Substring(name)
    var number = 2
    if let mark = name.ranges(of: " #").last, let current = Int(name[mark.upperBound...]),
      (2..<Int.max).contains(current)
    {
      base = name[..<mark.lowerBound]
      number = current + 1
    }
    let suffix = " #\(number)"
    while base.utf8.count + suffix.utf8.count > Self.maximumNameLength { base.removeLast() }
    return ServiceInstance(unchecked: base + suffix, type: type, domain: domain)
  }

  /// Takes a name that is known to obey the rules.
  private init(unchecked name: String, type: ServiceType, domain: String) {
    self.name = name
    self.type = type
    self.domain = domain
  }
}

/// A service to publish.
package struct Advertisement: Equatable, Sendable {
  /// The wanted name; a conflict may change it, see ``DiscoveryEvent/advertised(_:)``.
  package let instance: ServiceInstance

  /// The TCP port on which the service listens.
  package let port: UInt16

  /// The TXT record.
  package var info: DiscoveryInfo

  /// An advertisement of `instance` on `port`.
  package init(instance: ServiceInstance, port: UInt16, info: DiscoveryInfo) {
    self.instance = instance
    self.port = port
    self.info = info
  }

  /// The same service under the next name, because this one is taken.
  package func renamed() -> Advertisement { Advertisement(instance: instance.alternative, port: port, info: info) }
}
