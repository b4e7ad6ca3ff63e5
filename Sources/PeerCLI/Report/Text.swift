/// The numbers of reports, as people read them.
package enum Text {
  /// A count with a comma before every third digit from the right.
  package static func count(_ number: Int) -> String {
    let digits = Array(String(number))
    return digits.indices.map { index in
      (index > 0 && (digits.count - index) % 3 == 0 ? "," : "") + String(digits[index])
    }.joined()
  }

  /// A number with `digits` decimals.
  package static func decimal(_ number: Float, _ digits: Int = 3) -> String {
    guard number.magnitude < 1e9 else { return "\(number)" }
    let scale = (0..<digits).reduce(1) { value, _ in value * 10 }
    let scaled = Int((Double(number.magnitude) * Double(scale)).rounded())
    let fraction = String(scaled % scale + scale).dropFirst()
    return (number < 0 && scaled > 0 ? "-" : "") + "\(scaled / scale)" + (digits > 0 ? ".\(fraction)" : "")
  }

  /// A position or size in metres, to the millimetre.
  package static func vector(_ vector: SIMD3<Float>) -> String {
    "(" + (0..<3).map { decimal(vector[$0]) }.joined(separator: ", ") + ")"
  }

  /// A size in bytes, kilobytes or megabytes (powers of 1,000).
  package static func bytes(_ count: Int) -> String {
    switch count {
    case ..<10_000: "\(Self.count(count)) bytes"
    case ..<10_000_000: decimal(Float(count) / 1_000, 1) + " kB"
    default: decimal(Float(count) / 1_000_000, 1) + " MB"
    }
  }

  /// A number with the right form of a word.
  package static func plural(_ number: Int, _ word: String) -> String {
    "\(count(number)) \(word)\(number == 1 ? "" : "s")"
  }
}

/// The beginning of an id, enough for people.
package func shortened(_ id: String) -> String { String(id.prefix(8)) }

extension Line.StringInterpolation {
  /// A position in metres, to the millimetre.
  package mutating func appendInterpolation(position: SIMD3<Float>) {
    appendInterpolation(Text.vector(position), .place)
  }
}
