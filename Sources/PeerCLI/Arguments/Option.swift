extension ArgumentParser {
  /// One option: how it is written, what it does, and where its value goes.
  package struct Option {
    /// The name with its two dashes.
    package let name: String
    /// The placeholder of the value in the help; nil for an option without one.
    package let placeholder: String?
    package let help: String
    var isRequired = false
    var repeats = false
    let store: (inout Options, String) throws(UsageError) -> Void
  }
}

extension ArgumentParser.Option {
  /// An option with a value that must be given.
  package static func required<V: ArgumentValue>(
    _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, V>, help: String
  ) -> Self {
    var option = value(name, placeholder, path, help: help)
    option.isRequired = true
    return option
  }

  /// An option with a value.
  package static func value<V: ArgumentValue>(
    _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, V>, help: String
  ) -> Self {
    Self(name: name, placeholder: placeholder, help: help) { (options: inout Options, word) throws(UsageError) in
      options[keyPath: path] = try V(argument: word)
    }
  }

  /// An option with a value and no default.
  package static func optional<V: ArgumentValue>(
    _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, V?>, help: String
  ) -> Self {
    Self(name: name, placeholder: placeholder, help: help) { (options: inout Options, word) throws(UsageError) in
      options[keyPath: path] = try V(argument: word)
    }
  }

  /// An option that can be given several times.
  package static func list<V: ArgumentValue>(
    _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, [V]>, help: String
  ) -> Self {
    var option = Self(name: name, placeholder: placeholder, help: help) {
      (options: inout Options, word) throws(UsageError) in
      options[keyPath: path].append(try V(argument: word))
    }
    option.repeats = true
    return option
  }

  /// An option whose value is one of `choices`, which its help lists.
  package static func choice<V: RawRepresentable<String>>(
    _ name: String, _ path: WritableKeyPath<Options, V>, among choices: [V], help: String
  ) -> Self {
    let placeholder = choices.map(\.rawValue).joined(separator: "|")
    return Self(name: name, placeholder: placeholder, help: help) {
      (options: inout Options, word) throws(UsageError) in
      options[keyPath: path] = try V(argument: word, among: choices)
    }
  }

  /// An option whose value is one of `choices`, and that has no default.
  package static func choice<V: RawRepresentable<String>>(
    _ name: String, _ path: WritableKeyPath<Options, V?>, among choices: [V], help: String
  ) -> Self {
    let placeholder = choices.map(\.rawValue).joined(separator: "|")
    return Self(name: name, placeholder: placeholder, help: help) {
      (options: inout Options, word) throws(UsageError) in
      options[keyPath: path] = try V(argument: word, among: choices)
    }
  }

  /// An option with a number within `range`.
  package static func number<N: LosslessStringConvertible & Comparable>(
    _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, N?>, in range: ClosedRange<N>, help: String
  ) -> Self {
    Self(name: name, placeholder: placeholder, help: help) { (options: inout Options, word) throws(UsageError) in
      guard let number = N(word), range.contains(number) else {
        throw UsageError("'\(word)' is not a number from \(range.lowerBound) to \(range.upperBound)")
      }
      options[keyPath: path] = number
    }
  }

  /// An option with as many finite numbers, with commas between them, as its placeholder has words.
  package static func numbers(
    _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, [Float]?>, help: String
  ) -> Self {
    let count = placeholder.split(separator: ",").count
    return Self(name: name, placeholder: placeholder, help: help) {
      (options: inout Options, word) throws(UsageError) in
      let parts = word.split(separator: ",", omittingEmptySubsequences: false)
      let numbers = parts.compactMap { Float($0) }.filter(\.isFinite)
      guard parts.count == count, numbers.count == count else {
        throw UsageError("'\(word)' is not \(count) numbers with commas between them: \(placeholder)")
      }
      options[keyPath: path] = numbers
    }
  }

  /// An option without a value.
  package static func flag(_ name: String, _ path: WritableKeyPath<Options, Bool>, help: String) -> Self {
    Self(name: name, placeholder: nil, help: help) { (options: inout Options, _) throws(UsageError) in
      options[keyPath: path] = true
    }
  }
}

extension ArgumentParser.Option {
  /// `--json`: a program looks for it before it reads anything else, so that mistakes are reported in JSON too.
  package static func json(_ help: String) -> Self {
    Self(name: Console.Format.option, placeholder: nil, help: help) { (_: inout Options, _) throws(UsageError) in }
  }
}

extension RawRepresentable<String> {
  /// The one of `choices` that `argument` names.
  fileprivate init(argument: String, among choices: [Self]) throws(UsageError) {
    guard let choice = choices.first(where: { $0.rawValue == argument }) else {
      let known = choices.map(\.rawValue)
      throw UsageError(
        "'\(argument)' is not one of \(known.joined(separator: ", "))\(suggestion(for: argument, among: known))")
    }
    self = choice
  }
}
