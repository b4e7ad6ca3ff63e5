/// The endpoints that a reader takes messages of.
///
/// An endpoint is words between slashes, such as `draw/strokes/red`. In a pattern `*` stands for any one word, and `**` at
/// the end for any number of words, also none: `draw/*/red`, `draw/**`. All else is compared as it is.
struct EndpointPattern: Hashable, Sendable {
  private let words: [Substring]
  private let isOpen: Bool

  init(_ text: String) {
    let words = Self.words(of: text)
    isOpen = words.last == "**"
    self.words = isOpen ? words.dropLast() : words
  }

  /// Whether the endpoint is one of these.
  func matches(_ endpoint: String) -> Bool {
    let others = Self.words(of: endpoint)
    guard isOpen ? others.count >= words.count : others.count == words.count else { return false }
    return zip(words, others).allSatisfy { $0 == "*" || $0 == $1 }
  }

  private static func words(of text: String) -> [Substring] {
    text.split(separator: "/", omittingEmptySubsequences: false)
  }
}
