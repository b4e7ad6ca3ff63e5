import Testing

/// Names have the American spelling of Swift and its libraries, so that nobody has to guess which of two is ours.
///
/// Prose is free. A word of Swift, and a line of the C interface, is a name wherever it stands in code; in the other
/// languages, of which nothing here knows the comments, a word is one that has an underscore or a capital inside.
@Suite("Names with American spelling")
struct Spelling {
  static let british = [
    "analyse", "armour", "artefact", "authoris", "behaviour", "canonicalis", "catalogue", "centre", "colour",
    "customis", "defence", "favour", "finalis", "flavour", "generalis", "grey", "honour", "initialis", "judgement",
    "labelled", "licence", "localis", "metre", "minimis", "modelled", "neighbour", "normalis", "offence",
    "organis", "parametris", "prioritis", "quantis", "randomis", "recognis", "sceptic", "serialis", "signalled",
    "summaris", "synchronis", "tokenis", "towards", "travelled", "utilis", "visualis",
  ]

  @Test("no identifier is spelled the British way")
  func identifiers() {
    var places: [Substring: SourceFile] = [:]
    for file in Repository.files {
      for word in Self.names(in: file) { places[word] = places[word] ?? file }
    }
    #expect(places.count > 10_000)
    report(
      places.filter { Self.isBritish($0.key) }.map { word, file in
        let line = Self.lines(of: file.text).firstIndex { $0.contains(word) }
        return Finding(path: file.path, line: (line ?? 0) + 1, advice: "\(word): use the American spelling")
      })
  }

  @Test("no file is named the British way")
  func files() {
    report(
      Repository.files.filter { Self.isBritish(Substring($0.path)) }.map {
        Finding(path: $0.path, line: 1, advice: "rename it: the American spelling")
      })
  }

  @Test("stems are found in any case and place; prose of other languages is not")
  func found() {
    #expect(["isSynchronised", "SW_COLOUR_RED", "neighbour"].allSatisfy { Self.isBritish($0) })
    #expect(["isCancelled", "isSynchronized", "parameter", "optimistic"].allSatisfy { !Self.isBritish($0) })
    let text: Substring = "is_grey = 1  # the colour of metres, greyShare and Organised"
    #expect(Declarations.words(of: text).filter { Self.isCompound($0) } == ["is_grey", "greyShare"])
  }

  /// The names that a file holds, as far as they can be told from its prose.
  private static func names(in file: SourceFile) -> [Substring] {
    if file.path.hasSuffix(".swift") { return Declarations.words(of: Substring(file.code)) }
    if file.path == "Fixtures/CInterface/interface.txt" { return Declarations.words(of: Substring(file.text)) }
    guard [".h", ".c", ".cpp", ".py", ".js"].contains(where: { file.path.hasSuffix($0) }) else { return [] }
    return Declarations.words(of: Substring(file.text)).filter { isCompound($0) }
  }

  /// Whether a word has an underscore or a capital behind its first letter, as no word of prose has.
  private static func isCompound(_ word: Substring) -> Bool {
    word.contains("_") || zip(word, word.dropFirst()).contains { $0.isLowercase && $1.isUppercase }
  }

  private static func isBritish(_ word: Substring) -> Bool {
    let word = word.lowercased()
    return british.contains { word.contains($0) }
  }

  private static func lines(of text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}
