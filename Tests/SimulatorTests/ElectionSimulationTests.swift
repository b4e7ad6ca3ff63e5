import PeerProtocol
import Simulator
import TestSupport
import Testing

/// The election against faults of every kind; `make soak` runs the same over millions of seeds.
struct ElectionSimulationTests {
  @Test func oldMistakesStayAway() {
    let seeds = SeedFixture.read("election.txt")
    #expect(seeds.count >= 6)
    for seed in seeds { #expect(seed.run().violation == nil, "\(seed.replayLine)") }
  }

  @Test(.thorough, arguments: [2, 3, 5, 8])
  func freshChaosHolds(count: Int) {
    let seed = Tier.freshSeed()
    for seed in seed..<(seed + 4) {
      let violation = ElectionScenario.chaos.run(seed: seed, count: count).violation
      #expect(violation == nil, "SEED=\(seed); soak replay chaos \(seed) \(count)")
    }
  }

  @Test(arguments: [ElectionScenario.failover, .merge, .joins, .deaf], Tier.some([4, 2, 7]))
  func scenarioHolds(scenario: ElectionScenario, count: Int) {
    for seed in Tier.seeds(UInt64(1)...5) {
      let violation = scenario.run(seed: seed, count: count).violation
      #expect(violation == nil, "soak replay \(scenario.rawValue) \(seed) \(count)")
    }
  }

  @Test(arguments: ElectionMutant.all.map(\.name)) func mutantIsCaught(name: String) throws {
    let mutant = try #require(ElectionMutant.all.first { $0.name == name })
    let seeds = Tier.span(mutant.seeds)
    #expect(mutant.firstCatch(in: seeds) != nil, "not caught by \(mutant.scenario) \(seeds)")
  }

  @Test(.thorough) func theCorrectPolicyPassesWhereMutantsFail() {
    for mutant in ElectionMutant.all where mutant.seeds.count <= 5 {
      for seed in mutant.seeds {
        #expect(mutant.scenario.run(seed: seed, count: mutant.count).violation == nil)
      }
    }
  }
}
