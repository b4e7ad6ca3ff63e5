import PeerCLI
import SharedWorld

/// The words of one command, read from first to last.
struct Words: Sendable {
  private var rest: ArraySlice<String>

  init(_ words: [String]) {
    rest = words[...]
  }

  /// Splits a line at blanks.
  ///
  /// Quotes, single or double, keep blanks; in double quotes and outside of quotes a backslash
  /// takes the next character as it is; a number sign at the beginning of a word starts a comment.
  static func split(_ line: String) throws(UsageError) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var characters = line.makeIterator()
    while let character = characters.next() {
      if let open = quote {
        if character == open {
          quote = nil
        } else if character == "\\", open == "\"", let next = characters.next() {
          word?.append(next)
        } else {
          word?.append(character)
        }
      } else if character == "\"" || character == "'" {
        quote = character
        word = word ?? ""
      } else if character.isWhitespace {
        if let word { words.append(word) }
        word = nil
      } else if character == "#", word == nil {
        break
      } else {
        word = (word ?? "") + String(character == "\\" ? characters.next() ?? character : character)
      }
    }
    if let quote { throw UsageError("a quote is not closed: add \(quote)") }
    return words + (word.map { [$0] } ?? [])
  }

  var isEmpty: Bool { rest.isEmpty }

  mutating func popFirst() -> String? { rest.popFirst() }

  /// All words that are left, with a blank between them; nil when there are none.
  mutating func popAll() -> String? {
    defer { rest = [] }
    return rest.isEmpty ? nil : rest.joined(separator: " ")
  }

  /// The next word, if it is one of these.
  mutating func popFirst(among words: [String]) -> String? {
    guard let first = rest.first, words.contains(first) else { return nil }
    return rest.popFirst()
  }

  /// The next word; `what` names it in the error when there is none.
  mutating func next(_ what: String) throws(UsageError) -> String {
    guard let word = rest.popFirst() else { throw UsageError("missing \(what)") }
    return word
  }

  /// A finite number.
  mutating func number(_ what: String) throws(UsageError) -> Float {
    let word = try next(what)
    guard let number = Float(word), number.isFinite else { throw UsageError("\(what): '\(word)' is not a number") }
    return number
  }

  /// A number from 0 to 1.
  mutating func fraction(_ what: String) throws(UsageError) -> Float {
    let number = try number(what)
    guard (0...1).contains(number) else { throw UsageError("\(what): \(number) is not from 0 to 1") }
    return number
  }

  /// Three numbers (metres); `prefix` stands before X, Y and Z in the error.
  mutating func point(_ prefix: String) throws(UsageError) -> SIMD3<Float> {
    [try number(prefix + "X"), try number(prefix + "Y"), try number(prefix + "Z")]
  }

  /// A length of time, at most a day (seconds).
  mutating func seconds() throws(UsageError) -> Double {
    let word = try next("SECONDS")
    guard let number = Double(word), (0...86_400).contains(number) else {
      throw UsageError("'\(word)' is not a number of seconds from 0 to 86400")
    }
    return number
  }

  /// The width of a drawing (characters); nil when the line does not say.
  mutating func columns() throws(UsageError) -> Int? {
    guard let word = popFirst() else { return nil }
    guard let number = Int(word), (20...500).contains(number) else {
      throw UsageError("'\(word)' is not a number of columns from 20 to 500")
    }
    return number
  }

  /// How many anchors a burst places, at most as many as a session holds.
  mutating func burstCount() throws(UsageError) -> Int {
    let word = try next("N")
    guard let number = Int(word), (1...Limits.anchors).contains(number) else {
      throw UsageError("'\(word)' is not a number of anchors from 1 to \(Limits.anchors)")
    }
    return number
  }

  /// How often something happens in a second.
  mutating func rate() throws(UsageError) -> Double {
    let word = try next("RATE")
    guard let number = Double(word), (0.1...10_000).contains(number) else {
      throw UsageError("'\(word)' is not a rate from 0.1 to 10000 a second")
    }
    return number
  }

  /// Fails when words are left.
  func finish() throws(UsageError) {
    if let word = rest.first { throw UsageError("unexpected argument '\(word)'") }
  }
}
