/// A number of a JSON text.
struct JSONNumber {
  /// The powers of ten that a `Double` holds exactly.
  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  private let text: ArraySlice<UInt8>
  private var isNegative = false
  /// Whether it has neither a fraction nor an exponent.
  private var isWhole = true
  /// All digits, as if there were no point; nil when they are too many.
  private var digits: UInt64? = 0
  /// Multiplied by ten to this power they are the number.
  private var power = 0

  /// The number that these bytes, which the scanner has checked, stand for.
  init(_ text: ArraySlice<UInt8>) {
    self.text = text
    var isFraction = false
    var index = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): (isFraction, isWhole) = (true, false)
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        isWhole = false
        power += Self.exponent(text[(index + 1)...])
        return
      case let digit:
        append(digit - UInt8(ascii: "0"))
        if isFraction { power -= 1 }
      }
      index += 1
    }
  }

  /// An exponent; one that is out of reach of any `Double` may be another such one.
  private static func exponent(_ text: ArraySlice<UInt8>) -> Int {
    let limit = 1000
    return min(max(Int(String(decoding: text, as: UTF8.self)) ?? limit, -limit), limit)
  }

  private mutating func append(_ digit: UInt8) {
    guard let known = digits else { return }
    let (tens, isTooLong) = known.multipliedReportingOverflow(by: 10)
    let (sum, isTooLarge) = tens.addingReportingOverflow(UInt64(digit))
    digits = isTooLong || isTooLarge ? nil : sum
  }

  /// The number as an integer; nil for another one, for -0 and for one that does not fit.
  func integer<Value: FixedWidthInteger>(as type: Value.Type) -> Value? {
    guard isWhole, let digits else { return nil }
    guard isNegative else { return Value(exactly: digits) }
    guard digits > 0, let magnitude = Int64(exactly: digits) else { return nil }
    return Value(exactly: -magnitude)
  }

  /// The nearest `Double`; nil for one that is too large, and for one so small that digits are lost.
  var double: Double? {
    if let exact { return exact }
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isNormal else { return nil }
    return value
  }

  /// The number from one operation on two numbers that are exact, so that the result is the nearest; nil where they are not.
  ///
  /// Source: William D. Clinger, "How to Read Floating Point Numbers Accurately", 1990.
  private var exact: Double? {
    guard let digits, digits <= 1 << 53, power.magnitude < Self.powers.count else { return nil }
    let value = power < 0 ? Double(digits) / Self.powers[-power] : Double(digits) * Self.powers[power]
    return isNegative ? -value : value
  }

  /// The nearest `Float`; nil for one that is too large, and for one so small that digits are lost.
  var float: Float? {
    guard let double else { return nil }
    // Just in the middle between two the digits behind decide, which the `Double` has lost.
    let isBetween = double.bitPattern & 0x1FFF_FFFF == 0x1000_0000
    let value = isBetween ? Float(String(decoding: text, as: UTF8.self)) : Float(double)
    guard let value, value.isNormal || double == 0 else { return nil }
    return value
  }
}
