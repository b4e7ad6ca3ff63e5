import Basics

/// The app's name of an anchor: 128 random bits, written as a UUID (RFC 9562), never reused.
public struct AnchorID: Hashable, Sendable, Comparable {
  /// The first 8 bytes, big-endian.
  package let high: UInt64
  /// The last 8 bytes, big-endian.
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A new version-4 UUID from `generator`.
  public init(using generator: inout some RandomNumberGenerator) {
    high = generator.next() & ~0xf000 | 0x4000
    low = generator.next() & ~(3 << 62) | 2 << 62
  }

  /// A new version-4 UUID.
  public init() {
    var generator = SystemRandomNumberGenerator()
    self.init(using: &generator)
  }

  /// Reads 16 bytes; nil for any other count.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads the form 8-4-4-4-12, upper or lower case; nil for anything else.
  public init?(_ text: String) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], let bytes = [UInt8](hexadecimal: groups.joined()) else {
      return nil
    }
    self.init(bytes: bytes)
  }

  /// The 16 bytes, in order.
  public var bytes: [UInt8] {
    [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
  }

  /// Orders by bytes, first byte first.
  public static func < (left: Self, right: Self) -> Bool { (left.high, left.low) < (right.high, right.low) }
}

extension AnchorID: CustomStringConvertible {
  /// The form 8-4-4-4-12 in lower case.
  public var description: String {
    let text = bytes.hexadecimal
    var rest = Substring(text)
    return [8, 4, 4, 4, 12].map { count in
      defer { rest = rest.dropFirst(count) }
      return String(rest.prefix(count))
    }.joined(separator: "-")
  }
}
