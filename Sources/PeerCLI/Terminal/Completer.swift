import Basics

/// Completes the word at the end of a command that a user types.
package struct Completer: Sendable {
  /// The words that a session knows at the moment.
  package struct Words: Equatable, Sendable {
    /// Names of peers: in the session, in sight, and those that ask for an answer.
    package var peers: [String] = []
    /// Names of anchors.
    package var anchors: [String] = []
    /// Ids and names of files that are offered or attached.
    package var files: [String] = []
    package var groups: [String] = []

    package init() {}
  }

  /// The effect of Tab.
  package struct Completion: Equatable, Sendable {
    /// The scalars before the cursor that are replaced.
    package let replaced: Int
    package let text: String
    /// The words that fit, in order.
    package let candidates: [String]
  }

  /// The forms of the commands, such as `kick PEER`, by their verbs.
  private let usages: [String: String]
  private let verbs: [String]

  /// A completer for commands of these forms: a slot in capitals says which words fit, one in small letters is the word.
  package init(usages: [String]) {
    verbs = usages.map { String($0.prefix { $0 != " " }) }
    self.usages = Dictionary(zip(verbs, usages)) { first, _ in first }
  }

  /// The completion of the text that stands before the cursor; nil when no word fits.
  ///
  /// - Parameters:
  ///   - words: The words of the session.
  ///   - paths: The paths that begin like this, folders with a slash at their end.
  package func complete(_ line: String, _ words: Words, paths: (String) -> [String]) -> Completion? {
    guard let typed = Typed(line) else { return nil }
    let fitting = self.fitting(typed, words, paths).filter { $0.hasPrefix(typed.word) }
    let candidates = Set(fitting).inOrder()
    guard let first = candidates.first else { return nil }
    let common = candidates.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    let isWhole = candidates.count == 1 && !common.hasSuffix("/")
    // Marks that join one character must not be parted.
    let text = isWhole || common.count >= typed.word.count ? common : typed.word
    return Completion(
      replaced: typed.length, text: Self.quoted(text, with: typed.quote, isWhole: isWhole), candidates: candidates)
  }

  /// All words that can stand there.
  private func fitting(_ typed: Typed, _ words: Words, _ paths: (String) -> [String]) -> [String] {
    guard let verb = typed.before.first else { return verbs }
    guard let usage = usages[verb] else { return [] }
    let slots = Slots(usage)
    if typed.word.hasPrefix("-") { return slots.options }
    var arguments = typed.before.dropFirst()
    // An option stands before the slots, some with a word behind it.
    while let first = arguments.first, slots.options.contains(first) {
      arguments.removeFirst()
      if slots.optionsWithValue.contains(first) {
        if arguments.isEmpty { return words.groups }
        arguments.removeFirst()
      }
    }
    return slots[arguments.count].flatMap { slot -> [String] in
      switch slot {
      case "PEER": words.peers
      case "ANCHOR": words.anchors
      case "ID": words.files
      case "FILE": paths(typed.word)
      case "COMMAND": verbs
      default: slot.first?.isLowercase == true ? [slot] : []
      }
    }
  }

  /// A word as `Words` of a command reads it back.
  private static func quoted(_ word: String, with quote: Character?, isWhole: Bool) -> String {
    let end = isWhole ? " " : ""
    let special = word.contains { $0.isWhitespace || $0 == "\"" || $0 == "'" || $0 == "\\" } || word.hasPrefix("#")
    guard special || quote != nil else { return word + end }
    let mark: Character = quote ?? (word.contains("'") ? "\"" : "'")
    // Nothing is special between single quotes; a single quote itself ends them for a moment.
    let inner =
      mark == "'"
      ? word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      : word.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    return "\(mark)\(inner)\(isWhole ? String(mark) : "")\(end)"
  }
}

/// The text before the cursor, as words.
private struct Typed {
  /// The words that are complete.
  var before: [String] = []
  /// The last word as far as it is typed, without its quotes.
  var word = ""
  /// The scalars of the line that the last word takes.
  var length = 0
  /// The quote that is open at its beginning.
  var quote: Character?

  /// Reads a line; nil within a comment.
  init?(_ line: String) {
    var (open, isInWord): (Character?, Bool) = (nil, false)
    var start = line.startIndex
    var characters = line.indices.makeIterator()
    while let index = characters.next() {
      let character = line[index]
      if !isInWord, !character.isWhitespace {
        if character == "#" { return nil }
        (isInWord, start, word, quote) = (true, index, "", nil)
      }
      switch (open, character) {
      case (let mark?, _) where mark == character: open = nil
      case (nil, "\""), (nil, "'"):
        open = character
        if index == start { quote = character }
      case (nil, _) where character.isWhitespace:
        if isInWord { before.append(word) }
        (isInWord, word, quote) = (false, "", nil)
      case (let mark, "\\") where mark != "'":
        if let next = characters.next() { word.append(line[next]) }
      default: word.append(character)
      }
    }
    if isInWord { length = line[start...].unicodeScalars.count }
  }
}

/// The places for words in the form of a command.
private struct Slots {
  private(set) var options: [String] = []
  private(set) var optionsWithValue: [String] = []
  private var slots: [[String]] = []

  init(_ usage: String) {
    let rest = usage.drop { $0 != " " }.dropFirst()
    var (depth, part): (Int, String) = (0, "")
    var parts: [String] = []
    for character in rest {
      depth += character == "[" ? 1 : character == "]" ? -1 : 0
      if character == " ", depth == 0 {
        parts.append(part)
        part = ""
      } else {
        part.append(character)
      }
    }
    parts.append(part)
    // A choice of words with arguments of their own, such as `peers N|host`, is one slot.
    if parts.contains(where: { $0.contains("|") && !$0.hasPrefix("[") }) {
      parts = ["[\(parts.filter { !$0.hasPrefix("[") }.joined(separator: " "))]"]
    }
    for part in parts where !part.isEmpty {
      let choices = part.filter { $0 != "[" && $0 != "]" }.split(separator: "|").map(String.init)
      let words = choices.map { String($0.prefix { $0 != " " }) }
      if words[0].hasPrefix("--") {
        options += words
        optionsWithValue += choices.filter { $0.contains(" ") }.map { String($0.prefix { $0 != " " }) }
      } else {
        slots.append(words)
      }
    }
  }

  /// The words of a slot; what may be left out shares its place with what follows.
  subscript(index: Int) -> [String] { slots.indices.contains(index) ? slots[index] : [] }
}

extension String {
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
