package import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

/// Visits every state that an ``ElectionModel`` can reach in so many actions, breadth first.
package struct ModelExplorer: Sendable {
  /// Where an exploration starts.
  package enum Root: String, CaseIterable, Sendable {
    /// All nodes are fresh.
    case fresh
    /// A session at rest.
    case settled
    /// Two hosts: the last node was cut off, became host by itself, and has just come back.
    case merging
  }

  /// The findings.
  package struct Result: Sendable {
    /// Different states.
    package var states = 0
    /// Actions performed.
    package var transitions = 0
    /// States from which everything was let come to rest, to see whether one host is left.
    package var rests = 0
    /// The first thing that did not hold, with the actions that lead there.
    package var violation: String?
    /// Whether it ended before its depth because there were too many states.
    package var isCut = false
  }

  package var root: Root
  package var count: Int
  package var depth: Int
  package var rules = ProtocolRules.all
  /// States to visit at most.
  package var limit = 3_000_000

  package init(root: Root, count: Int, depth: Int, rules: ProtocolRules = .all, limit: Int = 3_000_000) {
    self.root = root
    self.count = count
    self.depth = depth
    self.rules = rules
    self.limit = limit
  }

  /// How long everything has to come to rest (ns).
  private static let patience: Int64 = 12_000_000_000

  private func start() -> ElectionModel {
    var model = ElectionModel(count: count, rules: rules)
    if root == .fresh { return model }
    model.settle(for: 4_000_000_000)
    if root == .settled { return model }
    model.perform(.cutOff(count - 1))
    model.settle(for: 5_000_000_000)
    model.perform(.heal)
    return model
  }

  package func run() -> Result {
    let first = start()
    var result = Result()
    var seen: Set<SHA256Digest> = [first.digest]
    var frontier = [(model: first, trace: -1)]
    var traces: [(parent: Int, action: ElectionModel.Action)] = []
    for _ in 0..<depth where !frontier.isEmpty && !result.isCut {
      var next: [(model: ElectionModel, trace: Int)] = []
      for (model, trace) in frontier {
        for action in model.actions {
          var reached = model
          reached.perform(action)
          result.transitions += 1
          let digest = reached.digest
          guard reached.violation != nil || seen.insert(digest).inserted else { continue }
          traces.append((trace, action))
          if let text = reached.violation ?? restViolation(reached, digest, &result) {
            result.violation = Self.story(text, traces)
            return result
          }
          next.append((reached, traces.count - 1))
        }
        result.isCut = seen.count >= limit
        if result.isCut { break }
      }
      frontier = next
      result.states = seen.count
    }
    return result
  }

  /// Lets one state in 16 come to rest.
  private func restViolation(_ model: ElectionModel, _ digest: SHA256Digest, _ result: inout Result) -> String? {
    guard digest.words[0] & 15 == 0 else { return nil }
    result.rests += 1
    var model = model
    model.comeToRest(within: Self.patience)
    return model.violation ?? model.disagreement
  }

  private static func story(_ text: String, _ traces: [(parent: Int, action: ElectionModel.Action)]) -> String {
    var actions: [String] = []
    var place = traces.count - 1
    while place >= 0 {
      actions.append("  \(traces[place].action)")
      place = traces[place].parent
    }
    return (actions.reversed() + [text]).joined(separator: "\n")
  }
}
