/// Six digits that two people compare: equal on both screens if nobody stands between the two devices.
package struct ComparisonCode: Equatable, Sendable, CustomStringConvertible {
  /// The number of different codes.
  static let count: UInt64 = 1_000_000

  /// 0 to 999,999.
  let number: UInt32

  /// The code that a derived key stands for: its first eight bytes as a little-endian number, modulo a million.
  init(derivedKey: [UInt8]) {
    let number = derivedKey.prefix(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    self.number = UInt32(number % Self.count)
  }

  /// The six digits, zeros in front included.
  package var description: String {
    let digits = String(number)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }
}
