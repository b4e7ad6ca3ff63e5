/// Blanks the comments and strings of Swift code, so that a rule about code does not trip over prose.
struct Scrubber {
  private let input: [UInt8]
  private var output: [UInt8] = []
  private var index = 0
  private static let newline = UInt8(ascii: "\n")

  /// The code of `text`, with every line where it was.
  static func code(of text: String) -> String {
    var scrubber = Scrubber(input: Array(text.utf8))
    scrubber.copyCode(until: nil)
    return String(decoding: scrubber.output, as: UTF8.self)
  }

  private init(input: [UInt8]) {
    self.input = input
  }

  /// Copies code up to the end, or to the parenthesis that closes an interpolation.
  private mutating func copyCode(until closing: UInt8?) {
    var depth = 0
    while index < input.count {
      if closing != nil, depth == 0, input[index] == closing { return }
      if starts("//") {
        blank { $0.input[$0.index] == Self.newline }
      } else if starts("/*") {
        blank { $0.starts("*/") }
        blank(2)
      } else if let hashes = hashesOfString() {
        copyString(hashes: hashes)
      } else {
        if input[index] == UInt8(ascii: "(") { depth += 1 }
        if input[index] == UInt8(ascii: ")") { depth -= 1 }
        output.append(input[index])
        index += 1
      }
    }
  }

  /// Blanks a string, but keeps the code of its interpolations.
  private mutating func copyString(hashes: Int) {
    let fence = String(repeating: "#", count: hashes)
    blank(hashes)
    let quotes = starts("\"\"\"") ? "\"\"\"" : "\""
    blank(quotes.count)
    while index < input.count, !starts(quotes + fence) {
      if starts("\\" + fence + "(") {
        blank(hashes + 2)
        copyCode(until: UInt8(ascii: ")"))
        blank(1)
      } else {
        blank(starts("\\" + fence) ? hashes + 2 : 1)
      }
    }
    blank(quotes.count + hashes)
  }

  /// How many number signs open the string that begins here, or nil when none begins here.
  private func hashesOfString() -> Int? {
    var end = index
    while end < input.count, input[end] == UInt8(ascii: "#") { end += 1 }
    return end < input.count && input[end] == UInt8(ascii: "\"") ? end - index : nil
  }

  private func starts(_ text: String) -> Bool {
    input[index...].starts(with: text.utf8)
  }

  private mutating func blank(_ count: Int) {
    for _ in 0..<count where index < input.count {
      output.append(input[index] == Self.newline ? Self.newline : UInt8(ascii: " "))
      index += 1
    }
  }

  private mutating func blank(until ends: (Self) -> Bool) {
    while index < input.count, !ends(self) { blank(1) }
  }
}
