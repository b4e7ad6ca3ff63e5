/// The DNS record types that discovery asks for and publishes (RFC 1035 §3.2.2, RFC 3596, RFC 2782).
enum RecordType: UInt16, Sendable {
  /// An IPv4 address.
  case address = 1
  /// A name that leads to another one.
  case pointer = 12
  /// The key-value record of a service.
  case text = 16
  /// An IPv6 address.
  case address6 = 28
  /// The host and port of a service.
  case service = 33
}

/// Where a service runs: the payload of an SRV record.
struct ServiceLocation: Equatable {
  /// The host as an escaped domain name, such as `kitchen.local`.
  let host: String

  /// The TCP port.
  let port: UInt16

  /// Reads uncompressed SRV data (RFC 2782): priority, weight and port in 2 bytes each, then the host's labels.
  ///
  /// Returns `nil` for data that is cut short, has a compressed or oversized name, or an unusable port.
  init?(parsing bytes: [UInt8]) {
    guard bytes.count > 6, let host = DomainName.escaped(labels: bytes[6...]) else { return nil }
    port = UInt16(bytes[4]) << 8 | UInt16(bytes[5])
    guard port > 0 else { return nil }
    self.host = host
  }
}

/// Domain names in the two forms that discovery meets: length-prefixed labels and escaped text.
enum DomainName {
  /// The longest name in label form, in bytes (RFC 1035 §2.3.4).
  static let maximumLength = 255

  /// Turns labels that end with a zero byte into text in which a dot within a label is escaped.
  ///
  /// Returns `nil` if the labels are cut short, too long, empty or compressed.
  static func escaped(labels bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.count <= maximumLength else { return nil }
    var rest = bytes
    var texts: [String] = []
    while let length = rest.popFirst() {
      guard length > 0 else { return rest.isEmpty && !texts.isEmpty ? texts.joined(separator: ".") : nil }
      guard length <= 63, rest.count >= length else { return nil }
      texts.append(escaped(label: rest.prefix(Int(length))))
      rest = rest.dropFirst(Int(length))
    }
    return nil
  }

  /// Writes one label as RFC 1035 §5.1 does: a backslash before dot and backslash, `\DDD` for other special bytes.
  static func escaped(label: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in label {
      switch byte {
      case UInt8(ascii: "."), UInt8(ascii: "\\"):
        text += "\\"
        text.unicodeScalars.append(Unicode.Scalar(byte))
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte)
        text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }
    }
    return text
  }
}

extension ServiceInstance {
  /// The name of the instance's own records, escaped: `my\032peer._sharedworld._tcp.local`.
  var recordName: String { "\(DomainName.escaped(label: name.utf8)).\(type.dnsName).\(domain)" }
}
