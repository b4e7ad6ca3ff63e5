import WorldPeerKit

/// What a command says: lines for people, or one JSON object for scripts.
struct Report {
  /// Lines for people.
  private(set) var lines: [String] = []
  /// The members of the object.
  private(set) var members: JSON.Members = [:]

  /// Adds a member, and a line unless `line` is nil.
  mutating func add(_ key: String, _ value: JSON, _ line: String? = nil) {
    members = members + [key: value]
    if let line { lines.append(line) }
  }

  /// Adds a line only for people.
  mutating func add(line: String) { lines.append(line) }

  /// The text for standard output.
  func text(json: Bool) -> String {
    json ? JSON.object(members).text + "\n" : lines.map { $0 + "\n" }.joined()
  }
}

/// How numbers are written for people.
enum Text {
  /// A count with a comma before every third digit from the right.
  static func count(_ number: Int) -> String {
    let digits = Array(String(number))
    return digits.indices.map { index in
      (index > 0 && (digits.count - index) % 3 == 0 ? "," : "") + String(digits[index])
    }.joined()
  }

  /// A number with `digits` decimals.
  static func decimal(_ number: Float, _ digits: Int = 3) -> String {
    guard number.magnitude < 1e9 else { return "\(number)" }
    let scale = (0..<digits).reduce(1) { value, _ in value * 10 }
    let scaled = Int((Double(number.magnitude) * Double(scale)).rounded())
    let fraction = String(scaled % scale + scale).dropFirst()
    return (number < 0 && scaled > 0 ? "-" : "") + "\(scaled / scale)" + (digits > 0 ? ".\(fraction)" : "")
  }

  /// A vector in metres.
  static func vector(_ vector: SIMD3<Float>) -> String {
    "(" + (0..<3).map { decimal(vector[$0]) }.joined(separator: ", ") + ")"
  }

  /// A size in bytes, kilobytes or megabytes (powers of 1,000).
  static func bytes(_ count: Int) -> String {
    switch count {
    case ..<10_000: "\(Self.count(count)) bytes"
    case ..<10_000_000: decimal(Float(count) / 1_000, 1) + " kB"
    default: decimal(Float(count) / 1_000_000, 1) + " MB"
    }
  }

  /// A number with the right form of a word.
  static func plural(_ number: Int, _ word: String) -> String { "\(count(number)) \(word)\(number == 1 ? "" : "s")" }
}
