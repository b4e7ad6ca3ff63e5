package import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

/// One command of the language for whole sessions; nodes are numbered from 0 here and from 1 in the text.
package enum SessionCommand: Hashable, Sendable {
  case fault(Fault)
  case startAll
  /// A process starts, with the record that it has kept or without.
  case start(Int, withRecord: Bool)
  case run(Int64)
  case leave(Int)
  /// The app of a node, or of the host that all follow, removes another one.
  case kick(Int, by: Int?)
  case setLocked(Bool, by: Int?)
  case place(Int)
  /// An app shares a map of so many chunks.
  case share(Int, chunks: Int)
  /// An app gives up fetching the map that was shared last.
  case cancel(Int)
  case expect(SessionExpectation, within: Int64)
}

/// A condition on some nodes of a session.
package enum SessionExpectation: Hashable, Sendable {
  /// Every running node that has not ended follows one host.
  case host
  /// Each of these nodes is connected with the others of them, and with nobody else.
  case members([Int])
  /// The node's part in the session is over.
  case ended(Int)
  /// The node takes the session for locked, or for open.
  case locked(Int, Bool)
  /// Every running node that has not ended shows so many anchors.
  case anchors(Int)
  /// These nodes have the whole map that was shared last.
  case map([Int])
  /// This node has not.
  case noMap(Int)
}

/// A readable run of whole sessions: who belongs to them, and which maps arrive.
///
/// One command a line; `#` begins a comment. The language is described in Documentation/testing.md.
package struct SessionScript: Sendable {
  private let lines: ScriptLines<SessionCommand>

  /// Reads a script.
  package init(_ text: String) throws(ScriptFailure) {
    lines = try ScriptLines(text) { (verb, reader) throws(ScriptFailure) in try reader.sessionCommand(verb) }
  }

  /// Runs the script; gives the transcript, or throws at the first line that does not hold.
  @discardableResult
  package func run(rules: ProtocolRules = .all) throws(ScriptFailure) -> Transcript {
    var run = SessionScriptRun(seed: lines.seed, count: lines.count, rules: rules)
    for (line, command) in lines.commands {
      if let message = run.perform(command) ?? run.world.violation {
        throw ScriptFailure(line: line, message: message)
      }
    }
    return run.world.simulation.monitor.transcript
  }
}

extension ScriptReader {
  fileprivate mutating func sessionCommand(_ verb: String) throws(ScriptFailure) -> SessionCommand {
    switch verb {
    case "start": return take("all") ? .startAll : .start(try node(), withRecord: false)
    case "return": return .start(try node(), withRecord: true)
    case "run": return .run(try time())
    case "leave": return .leave(try node())
    case "kick": return .kick(try node(), by: try nodeOrHost())
    case "lock": return .setLocked(true, by: try nodeOrHost())
    case "unlock": return .setLocked(false, by: try nodeOrHost())
    case "place": return .place(try node())
    case "share": return .share(try node(), chunks: try number(in: 1...1_000))
    case "cancel": return .cancel(try node())
    case "expect":
      let expectation = try sessionExpectation()
      return .expect(expectation, within: take("within") ? try time() : 0)
    default: return .fault(try fault(verb))
    }
  }

  private mutating func sessionExpectation() throws(ScriptFailure) -> SessionExpectation {
    switch try word() {
    case "host": return .host
    case "members": return .members(try nodes())
    case "ended": return .ended(try node())
    case "locked": return .locked(try node(), true)
    case "open": return .locked(try node(), false)
    case "anchors": return .anchors(try number(in: 0...1_000))
    case "map": return .map(try nodes())
    case "no-map": return .noMap(try node())
    case let word: throw failure("nothing to expect is called \(word)")
    }
  }

  private mutating func nodeOrHost() throws(ScriptFailure) -> Int? { take("host") ? nil : try node() }

  /// Nodes up to the word "within" or the end of the line, one at least.
  private mutating func nodes() throws(ScriptFailure) -> [Int] {
    var nodes = [try node()]
    while let word = words.first, word != "within" { nodes.append(try node()) }
    return nodes
  }
}
