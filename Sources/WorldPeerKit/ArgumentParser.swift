/// What is wrong with a command line, as a sentence for the person who typed it.
package struct UsageError: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// A type that can be read from one word of a command line.
package protocol ArgumentValue {
  init(argument: String) throws(UsageError)
}

extension String: ArgumentValue {
  package init(argument: String) throws(UsageError) {
    self = argument
  }
}

extension ArgumentValue where Self: CaseIterable & RawRepresentable, RawValue == String {
  package init(argument: String) throws(UsageError) {
    guard let value = Self(rawValue: argument) else {
      throw UsageError("'\(argument)' is not one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self = value
  }
}

/// Reads options such as `--name kitchen`, `--name=kitchen` and `--json` into a value of type `Options`.
///
/// Options come in any order. One that is given twice, unknown, without its value or with a value that its type
/// refuses is an error that names it.
package struct ArgumentParser<Options> {
  /// One option: how it is written, what it does, and where its value goes.
  package struct Option {
    /// With its two dashes.
    package let name: String
    /// What stands for the value in the help, nil for an option without one.
    package let placeholder: String?
    package let help: String
    let isRequired: Bool
    let repeats: Bool
    let store: (inout Options, String) throws(UsageError) -> Void
  }

  package let options: [Option]

  package init(_ options: [Option]) {
    self.options = options
  }

  /// Reads `arguments` over the defaults in `options`; nil when help was asked for.
  package func parse(_ arguments: [String], over defaults: Options) throws(UsageError) -> Options? {
    var result = defaults
    var seen: Set<String> = []
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if word == "--help" || word == "-h" { return nil }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let option = try option(named: parts[0])
      guard seen.insert(option.name).inserted || option.repeats else {
        throw UsageError("\(option.name) is given twice")
      }
      let value = try value(of: option, attached: parts.count == 2 ? parts[1] : nil, from: &rest)
      do {
        try option.store(&result, value)
      } catch {
        throw UsageError("\(option.name): \(error)")
      }
    }
    if let missing = options.first(where: { $0.isRequired && !seen.contains($0.name) }) {
      throw UsageError("\(missing.name) \(missing.placeholder ?? "") is missing")
    }
    return result
  }

  /// The options and what they do, a line each.
  package var help: String {
    let rows = options.map { (form: $0.name + ($0.placeholder.map { " " + $0 } ?? ""), help: $0.help) }
    return helpTable(rows + [(form: "--help", help: "print this text")])
  }

  private func option(named name: String) throws(UsageError) -> Option {
    if let option = options.first(where: { $0.name == name }) { return option }
    guard name.hasPrefix("-") else { throw UsageError("'\(name)' is not an option") }
    let similar = similar(to: name, among: options.map(\.name))
    throw UsageError("there is no option \(name)" + (similar.map { "; \($0) is meant?" } ?? ""))
  }

  private func value(
    of option: Option, attached: String?, from rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let placeholder = option.placeholder else {
      if attached != nil { throw UsageError("\(option.name) takes no value") }
      return ""
    }
    if let attached { return attached }
    // A forgotten value must not swallow the next option; one that begins with dashes can be attached with "=".
    guard let next = rest.first, !next.hasPrefix("--") else {
      throw UsageError("\(option.name) needs a value: \(option.name) \(placeholder)")
    }
    return rest.removeFirst()
  }
}

extension ArgumentParser.Option {
  /// An option with a value that must be given.
  package static func required<V: ArgumentValue>(
    _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, V>, help: String
  ) -> Self {
    Self(name: name, placeholder: placeholder, help: help, isRequired: true, repeats: false) {
      (options: inout Options, word) throws(UsageError) in options[keyPath: path] = try V(argument: word)
    }
  }

  /// An option with a value.
  package static func value<V: ArgumentValue>(
    _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, V>, help: String
  ) -> Self {
    Self(name: name, placeholder: placeholder, help: help, isRequired: false, repeats: false) {
      (options: inout Options, word) throws(UsageError) in options[keyPath: path] = try V(argument: word)
    }
  }

  /// An option with a value and no default.
  package static func optional<V: ArgumentValue>(
    _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, V?>, help: String
  ) -> Self {
    Self(name: name, placeholder: placeholder, help: help, isRequired: false, repeats: false) {
      (options: inout Options, word) throws(UsageError) in options[keyPath: path] = try V(argument: word)
    }
  }

  /// An option that can be given several times.
  package static func list<V: ArgumentValue>(
    _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, [V]>, help: String
  ) -> Self {
    Self(name: name, placeholder: placeholder, help: help, isRequired: false, repeats: true) {
      (options: inout Options, word) throws(UsageError) in options[keyPath: path].append(try V(argument: word))
    }
  }

  /// An option without a value.
  package static func flag(_ name: String, _ path: WritableKeyPath<Options, Bool>, help: String) -> Self {
    Self(name: name, placeholder: nil, help: help, isRequired: false, repeats: false) {
      (options: inout Options, _) throws(UsageError) in options[keyPath: path] = true
    }
  }
}

/// Lines of two columns, the second one aligned.
package func helpTable(_ rows: [(form: String, help: String)]) -> String {
  let width = rows.map(\.form.count).max() ?? 0
  return rows.map { "  \($0.form)\(String(repeating: " ", count: width - $0.form.count))  \($0.help)" }
    .joined(separator: "\n")
}

/// The word that was meant, if one differs in no more than two letters from what was typed.
package func similar(to word: String, among known: [String]) -> String? {
  known.first { editDistance($0, word) <= 2 }
}

/// How many letters must be typed differently to turn one word into the other (Levenshtein).
private func editDistance(_ left: String, _ right: String) -> Int {
  let right = Array(right)
  var row = Array(0...right.count)
  for (number, letter) in left.enumerated() {
    var diagonal = row[0]
    row[0] = number + 1
    for column in right.indices {
      let changed = diagonal + (right[column] == letter ? 0 : 1)
      diagonal = row[column + 1]
      row[column + 1] = min(changed, row[column] + 1, diagonal + 1)
    }
  }
  return row[right.count]
}
