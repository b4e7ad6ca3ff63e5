import AnchorReplication
import PeerProtocol
import Simulator
import Testing

@Suite("Every state of the election")
struct ModelExplorerTests {
  @Test("no rule is broken in any of them", arguments: ModelExplorer.Root.allCases)
  func holds(root: ModelExplorer.Root) {
    let result = ModelExplorer(root: root, count: 2, depth: 8).run()
    #expect(result.violation == nil)
    #expect(result.states > 50)
    #expect(result.rests > 0)
    #expect(!result.isCut)
  }

  @Test("the count is the same every time")
  func isRepeatable() {
    let one = ModelExplorer(root: .fresh, count: 2, depth: 6).run()
    let other = ModelExplorer(root: .fresh, count: 2, depth: 6).run()
    #expect((one.states, one.transitions) == (other.states, other.transitions))
  }

  @Test("a broken rule is found", arguments: [ProtocolRules.merges, .reclaims, .faithfulFollowers])
  func findsMistakes(broken: ProtocolRules) {
    #expect(ModelExplorer(root: .merging, count: 3, depth: 6, rules: .allBut(broken)).run().violation != nil)
  }

  @Test("a limit ends the exploration and is reported")
  func respectsItsLimit() {
    #expect(ModelExplorer(root: .fresh, count: 2, depth: 12, limit: 100).run().isCut)
  }
}
