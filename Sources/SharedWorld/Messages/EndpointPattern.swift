/// The endpoints that a reader takes messages of.
///
/// An endpoint is words between slashes, such as `draw/strokes/red`. In a pattern `*` stands for any one word, and `**` at
/// the end for any number of words, also none: `draw/*/red`, `draw/**`. All else is compared as it is.
struct EndpointPattern: Equatable, Sendable {
  private let words: [Substring]
  private let isOpen: Bool
  /// The only endpoint that matches; nil where several do.
  private let endpoint: String?

  init(_ text: String) {
    let words = Self.words(of: text)
    isOpen = words.last == "**"
    self.words = isOpen ? words.dropLast() : words
    endpoint = isOpen || words.contains("*") ? nil : text
  }

  /// Whether the endpoint is one of these.
  func matches(_ endpoint: String) -> Bool {
    // To take an endpoint apart costs more than all else on its way to a reader.
    if let only = self.endpoint { return only == endpoint }
    guard !isOpen || !words.isEmpty else { return true }
    let others = Self.words(of: endpoint)
    guard isOpen ? others.count >= words.count : others.count == words.count else { return false }
    return zip(words, others).allSatisfy { $0 == "*" || $0 == $1 }
  }

  private static func words(of text: String) -> [Substring] {
    text.split(separator: "/", omittingEmptySubsequences: false)
  }
}
