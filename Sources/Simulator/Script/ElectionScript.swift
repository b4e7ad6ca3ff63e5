/// A line of a script that cannot be read or does not hold.
package struct ScriptFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  package var line: Int
  /// The fault of the script.
  package var message: String

  package init(line: Int, message: String) {
    self.line = line
    self.message = message
  }

  package var description: String { "line \(line): \(message)" }
}

/// One command of the transcript language; nodes are numbered from 0 here and from 1 in the text.
package enum ScriptCommand: Hashable, Sendable {
  case fault(Fault)
  case startAll
  case run(Int64)
  case priority(Int, UInt8)
  case neverHost(Int)
  case preemption
  case handover(Int, Int)
  case request(Int)
  case resign(Int)
  case leave(Int)
  case join(Int, of: Int)
  /// Every running node of the component agrees on this host, at the latest after so long (ns).
  case expectHost(Int?, within: Int64)
  /// One node follows, or is, this host.
  case expectHostAt(Int, Int?)
  case expectEpoch(UInt64)
  /// Claims since the last mark.
  case expectClaims(Int)
  case mark
}

/// A readable run of the election: a number of nodes, and commands with what must come of them.
///
/// One command a line; `#` begins a comment. The language is described in Documentation/election.md.
package struct ElectionScript: Sendable {
  private let lines: ScriptLines<ScriptCommand>

  /// The seed of latencies and jitters.
  package var seed: UInt64 { lines.seed }
  /// The number of nodes.
  package var count: Int { lines.count }
  /// The commands with their lines, from 1.
  package var commands: [(line: Int, command: ScriptCommand)] { lines.commands }

  /// Reads a script.
  package init(_ text: String) throws(ScriptFailure) {
    lines = try ScriptLines(text) { (verb, reader) throws(ScriptFailure) in try reader.command(verb) }
  }
}

/// The lines of a script: a seed, a number of nodes, and commands.
struct ScriptLines<Command: Sendable>: Sendable {
  private(set) var seed: UInt64 = 1
  private(set) var count = 2
  /// The commands with their lines, from 1.
  private(set) var commands: [(line: Int, command: Command)] = []

  /// Reads a script; `command` reads the rest of a line that begins with this verb.
  init(
    _ text: String, _ command: (String, inout ScriptReader) throws(ScriptFailure) -> Command
  ) throws(ScriptFailure) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let code = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
      let words = code.split(separator: " ").map(String.init)
      guard let verb = words.first else { continue }
      var reader = ScriptReader(line: index + 1, words: Array(words.dropFirst()), count: count)
      switch verb {
      case "nodes": count = try reader.number(in: 2...64)
      case "seed": seed = UInt64(try reader.number(in: 0...Int.max))
      default: commands.append((index + 1, try command(verb, &reader)))
      }
      try reader.finish()
    }
  }
}

/// Reads the words of one line.
struct ScriptReader {
  let line: Int
  var words: [String]
  let count: Int

  func failure(_ message: String) -> ScriptFailure { ScriptFailure(line: line, message: message) }

  mutating func word() throws(ScriptFailure) -> String {
    guard !words.isEmpty else { throw failure("something is missing at the end") }
    return words.removeFirst()
  }

  mutating func take(_ expected: String) -> Bool {
    guard words.first == expected else { return false }
    words.removeFirst()
    return true
  }

  func finish() throws(ScriptFailure) {
    guard words.isEmpty else { throw failure("too much: \(words.joined(separator: " "))") }
  }

  mutating func number(in range: ClosedRange<Int>) throws(ScriptFailure) -> Int {
    let text = try word()
    guard let number = Int(text), range.contains(number) else {
      throw failure("\(text) is not a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  mutating func node() throws(ScriptFailure) -> Int { try number(in: 1...count) - 1 }

  /// A time such as `250ms` or `3.5s`, in nanoseconds.
  mutating func time() throws(ScriptFailure) -> Int64 {
    let text = try word()
    let isMilliseconds = text.hasSuffix("ms")
    guard text.hasSuffix("s"), let value = Double(text.dropLast(isMilliseconds ? 2 : 1)), (0...3600).contains(value)
    else { throw failure("\(text) is not a time such as 250ms or 3.5s") }
    return Int64(value * (isMilliseconds ? 1_000_000 : 1_000_000_000))
  }

  /// Two nodes around a sign, such as `1-3`.
  func pair(_ text: String, _ sign: Character) throws(ScriptFailure) -> (Int, Int)? {
    let parts = text.split(separator: sign)
    guard parts.count == 2 else { return nil }
    var reader = ScriptReader(line: line, words: parts.map(String.init), count: count)
    return (try reader.node(), try reader.node())
  }

  mutating func pair(_ sign: Character) throws(ScriptFailure) -> (Int, Int) {
    let text = try word()
    guard let pair = try pair(text, sign) else { throw failure("\(text) are not two nodes around \(sign)") }
    return pair
  }

  mutating func command(_ verb: String) throws(ScriptFailure) -> ScriptCommand {
    switch verb {
    case "start": return take("all") ? .startAll : .fault(.start(try node()))
    case "run": return .run(try time())
    case "priority": return .priority(try node(), UInt8(try number(in: 0...255)))
    case "never-host": return .neverHost(try node())
    case "preemption": return .preemption
    case "handover": return .handover(try node(), try node())
    case "request": return .request(try node())
    case "resign": return .resign(try node())
    case "leave": return .leave(try node())
    case "join": return .join(try node(), of: try node())
    case "mark": return .mark
    case "expect": return try expectation()
    default: return .fault(try fault(verb))
    }
  }

  mutating func fault(_ verb: String) throws(ScriptFailure) -> Fault {
    switch verb {
    case "cut":
      let text = try word()
      if let (from, to) = try pair(text, ">") { return .cutOneWay(from: from, to: to) }
      guard let (one, other) = try pair(text, "-") else { throw failure("\(text) is neither 1-2 nor 1>2") }
      return .cut(one, other)
    case "heal":
      guard !words.isEmpty else { return .heal }
      let (one, other) = try pair("-")
      return .mend(one, other)
    case "reset":
      let (one, other) = try pair("-")
      return .reset(one, other)
    case "clog":
      let (from, to) = try pair(">")
      return .clog(from: from, to: to, delay: try time())
    case "split": return .split(try sides())
    case "crash": return .crash(try node(), silently: true)
    case "kill": return .crash(try node(), silently: false)
    case "stop": return .stop(try node(), asleep: false)
    case "sleep": return .stop(try node(), asleep: true)
    case "resume": return .resume(try node())
    default: throw failure("there is no command \(verb)")
    }
  }

  /// Groups of nodes apart by bars; nodes that are not named form the last group.
  private mutating func sides() throws(ScriptFailure) -> [Int] {
    var sides = Array(repeating: -1, count: count)
    var side = 0
    while !words.isEmpty {
      if take("|") { side += 1 } else { sides[try node()] = side }
    }
    return sides.map { $0 < 0 ? side + 1 : $0 }
  }

  private mutating func expectation() throws(ScriptFailure) -> ScriptCommand {
    switch try word() {
    case "epoch": return .expectEpoch(UInt64(try number(in: 0...Int.max)))
    case "claims": return .expectClaims(try number(in: 0...Int.max))
    case "host":
      let host = take("none") ? nil : try node()
      if take("at") { return .expectHostAt(try node(), host) }
      return .expectHost(host, within: take("within") ? try time() : 0)
    case let word: throw failure("nothing to expect is called \(word)")
    }
  }
}
