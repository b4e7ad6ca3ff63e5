/// Reads options such as `--name kitchen`, `--name=kitchen` and `--json`, and operands, into a value of type `Options`.
///
/// Options come in any order, before, after and between operands; after `--` everything is an operand. An option that
/// is unknown, given twice, without its value or with a value that its type refuses is an error that names it, and so
/// is an operand too many or too few.
package struct ArgumentParser<Options> {
  /// A word without a name, recognised by its position.
  package struct Operand {
    /// The placeholder in the help, in capitals.
    package let placeholder: String
    let store: (inout Options, String) throws(UsageError) -> Void
  }

  package let options: [Option]
  package let operands: [Operand]

  package init(_ options: [Option], operands: [Operand] = []) {
    self.options = options
    self.operands = operands
  }

  /// Reads `arguments` over the defaults in `options`; nil when they ask for help.
  package func parse(_ arguments: [String], over defaults: Options) throws(UsageError) -> Options? {
    if arguments.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) { return nil }
    var result = defaults
    var seen: Set<String> = []
    var words: [String] = []
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if word == "--" {
        words += rest
        break
      }
      guard Self.isOption(word) else {
        words.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let option = try option(named: parts[0])
      guard seen.insert(option.name).inserted || option.repeats else {
        throw UsageError("option '\(option.name)' is given twice; give it once")
      }
      let value = try value(of: option, attached: parts.count == 2 ? parts[1] : nil, from: &rest)
      try Self.named(option.name) { () throws(UsageError) in try option.store(&result, value) }
    }
    try store(words, into: &result, seen: seen)
    return result
  }

  /// The rows of the help: the options, and `--help`.
  package var helpRows: [HelpPage.Row] {
    options.map { ($0.name + ($0.placeholder.map { " " + $0 } ?? ""), $0.help) } + [
      ("--help", "print this text"), (versionOption, "print the version"),
    ]
  }

  /// Whether a word is an option: `-` alone and negative numbers are not.
  private static func isOption(_ word: String) -> Bool {
    word.hasPrefix("-") && word != "-" && Double(word) == nil
  }

  private func option(named name: String) throws(UsageError) -> Option {
    if let option = options.first(where: { $0.name == name }) { return option }
    throw UsageError("unknown option '\(name)'\(suggestion(for: name, among: options.map(\.name)))")
  }

  private func value(
    of option: Option, attached: String?, from rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let placeholder = option.placeholder else {
      if attached != nil { throw UsageError("option '\(option.name)' takes no value; leave out what follows the '='") }
      return ""
    }
    if let attached { return attached }
    // A forgotten value must not swallow the next option; one that begins with dashes can be attached with "=".
    guard let next = rest.first, !next.hasPrefix("--") else {
      throw UsageError("option '\(option.name)' needs a value: \(option.name) \(placeholder)")
    }
    return rest.removeFirst()
  }

  private func store(_ words: [String], into result: inout Options, seen: Set<String>) throws(UsageError) {
    let missing = options.first { $0.isRequired && !seen.contains($0.name) }
    if words.count > operands.count {
      throw UsageError("unexpected argument '\(words[operands.count])'\(hint(words[operands.count], missing))")
    }
    if let missing { throw UsageError("missing option '\(missing.name) \(missing.placeholder ?? "")'") }
    if words.count < operands.count {
      throw UsageError("missing argument \(operands[words.count].placeholder)")
    }
    for (operand, word) in zip(operands, words) {
      try Self.named(operand.placeholder) { () throws(UsageError) in try operand.store(&result, word) }
    }
  }

  /// The probable meaning of an unexpected word: the name of an option, or the value of the one that is missing.
  private func hint(_ word: String, _ missing: Option?) -> String {
    let similar = suggestion(for: word, among: options.map(\.name))
    guard similar.isEmpty, let missing else { return similar }
    return "; did you mean '\(missing.name) \(word)'?"
  }

  /// Adds to an error what it is about.
  private static func named(_ name: String, _ body: () throws(UsageError) -> Void) throws(UsageError) {
    do throws(UsageError) {
      try body()
    } catch {
      throw UsageError("\(name): \(error)")
    }
  }
}

extension ArgumentParser.Operand {
  /// An operand of any form, such as the path of a file.
  package static func word(_ placeholder: String, _ path: WritableKeyPath<Options, String>) -> Self {
    Self(placeholder: placeholder) { (options: inout Options, word) throws(UsageError) in options[keyPath: path] = word
    }
  }
}
