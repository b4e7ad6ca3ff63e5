import AnchorReplication
import Basics
import PeerProtocol
import Simulator
import Testing
import WorldModel

@Suite("A recorded node is replayed")
struct ReplayTests {
  @Test(
    "what was done to every node, done again to a fresh one, has it ask for the same and end in the same state",
    arguments: [
      (SessionScenario.chaos, UInt64(7), 4), (.chaos, 406, 8), (.poses, 3, 4), (.liar, 5, 4), (.merge, 2, 5),
      (.joins, 2, 5), (.restarts, 2, 4),
    ])
  func replays(scenario: SessionScenario, seed: UInt64, count: Int) {
    let outcome = scenario.run(seed: seed, count: count, replaying: true)
    #expect(outcome.violation == nil, "\(scenario) \(seed) \(count)")
    #expect(outcome.replays.nodes >= count && outcome.replays.steps > 500)
  }

  @Test("a node that was given one thing more, or is in another state, is told apart")
  func differs() throws {
    let configuration = NodeConfiguration(
      peerID: SessionPeer.identity(of: 0), incarnation: 1, name: "me", service: "test", seed: 1)
    let start = Instant(nanoseconds: 5)
    var (one, other) = (Node(configuration, at: start), Node(configuration, at: start))
    #expect(Self.digest(of: one) == Self.digest(of: other))
    let anchor = Anchor(id: AnchorID(high: 1, low: 2), name: "lamp")
    one.handle(.edit(.place(anchor)), at: start)
    #expect(Self.digest(of: one) != Self.digest(of: other))
    other.handle(.edit(.place(anchor)), at: start)
    #expect(Self.digest(of: one) == Self.digest(of: other))
    while one.nextOutput() != nil {}
    #expect(Self.digest(of: one) != Self.digest(of: other))
  }

  private static func digest(of node: Node) -> OutputDigest {
    var digest = OutputDigest()
    digest.add(stateOf: node)
    return digest
  }
}
