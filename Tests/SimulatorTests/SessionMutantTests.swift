import PeerProtocol
import Simulator
import TestSupport
import Testing

@Suite("Whole sessions notice broken rules")
struct SessionMutantTests {
  @Test("a broken rule is noticed", arguments: Tier.some(SessionMutant.all.map(\.name)))
  func isCaught(name: String) throws {
    let mutant = try #require(SessionMutant.all.first { $0.name == name })
    let seeds = Tier.span(mutant.seeds)
    #expect(mutant.firstCatch(in: seeds) != nil, "not caught by seeds \(seeds)")
  }

  @Test("the correct rules pass where a broken one fails", .thorough, arguments: SessionMutant.all.map(\.name))
  func theCorrectOnesPass(name: String) throws {
    let mutant = try #require(SessionMutant.all.first { $0.name == name })
    for seed in [mutant.seeds.lowerBound, mutant.seeds.upperBound] {
      #expect(mutant.scenario.run(seed: seed, count: mutant.count).violation == nil, "seed \(seed)")
    }
  }
}

@Suite("A lying member")
struct LiarTests {
  @Test("honest nodes come to rest without it", arguments: Tier.seeds(1...4))
  func honestNodesAgree(_ seed: Int) {
    let count = 3 + seed % 3
    let violation = SessionScenario.liar.run(seed: UInt64(seed), count: count).violation
    #expect(violation == nil, "soak replay liar \(seed) \(count)")
  }

  @Test("a fresh seed too", .thorough)
  func freshSeedHolds() {
    let seed = Tier.freshSeed()
    #expect(SessionScenario.liar.run(seed: seed, count: 4).violation == nil, "SEED=\(seed); soak replay liar \(seed) 4")
  }
}
