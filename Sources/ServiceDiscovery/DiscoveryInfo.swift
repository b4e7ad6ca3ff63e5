/// The TXT record of a service: a short ordered list of keys with optional binary values (RFC 6763 §6).
///
/// Keys are case-insensitive and held in lower case. Nothing in it can be trusted: anybody on the network can
/// publish any record.
package struct DiscoveryInfo: Hashable, Sendable {
  /// The longest `key=value` string, in bytes; DNS cannot carry a longer one.
  static let maximumStringLength = 255

  /// The longest encoded record that we publish, in bytes, so that an announcement fits one packet (RFC 6763 §6.2).
  package static let maximumLength = 400

  /// The longest key that we publish, in characters (RFC 6763 §6.4).
  static let maximumKeyLength = 9

  /// The most keys read from a received record; further ones are ignored.
  package static let maximumReceivedKeys = 64

  private struct Entry: Hashable {
    let key: String
    /// `nil` for a key without "=", which RFC 6763 §6.4 tells from an empty value.
    let value: [UInt8]?

    var string: [UInt8] {
      guard let value else { return Array(key.utf8) }
      return Array(key.utf8) + [UInt8(ascii: "=")] + value
    }
  }

  private var entries: [Entry] = []

  /// A record without keys.
  package init() {}

  /// Builds a record to publish; refuses bad or repeated keys and records over the limits.
  package init(_ pairs: [(key: String, value: [UInt8])]) throws(DiscoveryError) {
    for pair in pairs {
      let key = pair.key.lowercased()
      guard (1...Self.maximumKeyLength).contains(key.utf8.count) else {
        throw .invalidInfo(reason: "key \"\(key)\" must have 1 to \(Self.maximumKeyLength) characters")
      }
      guard key.utf8.allSatisfy(Self.isKeyByte) else {
        throw .invalidInfo(reason: "key \"\(key)\" must be printable ASCII without \"=\"")
      }
      guard self[key] == nil else { throw .invalidInfo(reason: "key \"\(key)\" appears twice") }
      let entry = Entry(key: key, value: pair.value)
      guard entry.string.count <= Self.maximumStringLength else {
        throw .invalidInfo(reason: "key \"\(key)\" and its value exceed \(Self.maximumStringLength) bytes")
      }
      entries.append(entry)
    }
    guard encoded.count <= Self.maximumLength else {
      throw .invalidInfo(reason: "the record has \(encoded.count) bytes, the limit is \(Self.maximumLength)")
    }
  }

  /// Reads a received record as RFC 6763 §6 demands, and never fails.
  ///
  /// Strings without a usable key are ignored, the first of several equal keys wins, and a string that claims to be
  /// longer than the record ends the reading.
  package init(parsing bytes: [UInt8]) {
    var seen: Set<String> = []
    var position = 0
    while position < bytes.count, entries.count < Self.maximumReceivedKeys {
      let end = position + 1 + Int(bytes[position])
      guard end <= bytes.count else { return }
      if let entry = Self.entry(parsing: bytes[(position + 1)..<end]), seen.insert(entry.key).inserted {
        entries.append(entry)
      }
      position = end
    }
  }

  /// The value of `key` in any case; empty for a key that has none, `nil` if the key is missing.
  package subscript(key: String) -> [UInt8]? {
    let wanted = key.lowercased()
    guard let entry = entries.first(where: { $0.key == wanted }) else { return nil }
    return entry.value ?? []
  }

  /// The keys in the order of the record.
  package var keys: [String] { entries.map(\.key) }

  /// The record as DNS carries it: strings preceded by their length, or one zero byte when there is none (§6.1).
  package var encoded: [UInt8] {
    guard !entries.isEmpty else { return [0] }
    return entries.flatMap { entry in
      let string = entry.string
      return [UInt8(string.count)] + string
    }
  }

  private static func entry(parsing string: ArraySlice<UInt8>) -> Entry? {
    let split = string.firstIndex(of: UInt8(ascii: "="))
    let key = string[..<(split ?? string.endIndex)]
    guard !key.isEmpty, key.allSatisfy(isKeyByte) else { return nil }
    let value = split.map { Array(string[($0 + 1)...]) }
    return Entry(key: String(decoding: key, as: UTF8.self).lowercased(), value: value)
  }

  private static func isKeyByte(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "=")
  }
}
