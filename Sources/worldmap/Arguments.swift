import WorldPeerKit

/// An option of a command.
struct Option {
  /// With the dashes, such as `--size`.
  var name: String
  /// What follows it, such as `WxH`; nil for a switch.
  var value: String?
  var help: String

  init(_ name: String, _ value: String? = nil, _ help: String) {
    self.name = name
    self.value = value
    self.help = help
  }

  /// As a synopsis has it.
  var usage: String { value.map { "\(name) \($0)" } ?? name }
}

/// The words of a command line, sorted into options and the rest.
struct Arguments {
  /// What is no option, in order.
  private(set) var operands: [String] = []
  private var values: [String: String] = [:]

  /// Sorts `words` by what `options` allow.
  ///
  /// `--name value` and `--name=value` are the same, after `--` nothing is an
  /// option.
  init(_ words: [String], options: [Option]) throws(Failure) {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        return
      }
      guard word.hasPrefix("-"), word != "-", Double(word) == nil else {
        operands.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let option = options.first(where: { $0.name == parts[0] }) else {
        throw Failure(.usage, "there is no option \(parts[0])" + Self.hint(parts[0], options.map(\.name)))
      }
      guard values[option.name] == nil else { throw Failure(.usage, "\(option.name) is given twice") }
      if option.value == nil {
        guard parts.count == 1 else { throw Failure(.usage, "\(option.name) takes no value") }
        values[option.name] = ""
      } else if parts.count == 2 {
        values[option.name] = parts[1]
      } else {
        guard let value = rest.popFirst() else { throw Failure(.usage, "\(option.usage): the value is missing") }
        values[option.name] = value
      }
    }
  }

  /// Whether a switch is on.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// The value of an option; nil when it is not given.
  subscript(_ name: String) -> String? { values[name] }

  /// The value of an option as a number within `range`; nil when it is not given.
  func number<N: LosslessStringConvertible & Comparable>(
    _ name: String, in range: ClosedRange<N>
  ) throws(Failure) -> N? {
    guard let text = values[name] else { return nil }
    guard let number = N(text), range.contains(number) else {
      throw Failure(.usage, "\(name): \(text) is no number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// The value of an option as `count` finite numbers with commas between them; nil when it is not given.
  func list(_ name: String, count: Int) throws(Failure) -> [Float]? {
    guard let text = values[name] else { return nil }
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { Float($0) }
    guard numbers.count == count, numbers.allSatisfy(\.isFinite), text.count(where: { $0 == "," }) == count - 1 else {
      throw Failure(.usage, "\(name): \(text) is not \(count) numbers with commas between them")
    }
    return numbers
  }

  /// A suggestion for a mistyped word.
  static func hint(_ word: String, _ known: [String]) -> String {
    similar(to: word, among: known).map { "; did you mean \($0)?" } ?? ""
  }
}
