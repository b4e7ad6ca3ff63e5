import PeerProtocol
import Simulator
import Testing

/// The election against faults of every kind; `make soak` runs the same over millions of seeds.
struct ElectionSimulationTests {
  @Test func oldMistakesStayAway() {
    let seeds = SeedFixture.read("election.txt")
    #expect(seeds.count >= 6)
    for seed in seeds { #expect(seed.run().violation == nil, "\(seed.replayLine)") }
  }

  @Test(arguments: [2, 3, 5, 8])
  func freshChaosHolds(count: Int) {
    let seed = UInt64.random(in: 0..<1 << 48)
    for seed in seed..<(seed + 4) {
      let violation = ElectionScenario.chaos.run(seed: seed, count: count).violation
      #expect(violation == nil, "soak replay chaos \(seed) \(count)")
    }
  }

  @Test(arguments: [ElectionScenario.failover, .merge, .joins, .deaf], [2, 4, 7])
  func scenarioHolds(scenario: ElectionScenario, count: Int) {
    for seed in UInt64(1)...5 {
      let violation = scenario.run(seed: seed, count: count).violation
      #expect(violation == nil, "soak replay \(scenario.rawValue) \(seed) \(count)")
    }
  }

  @Test(arguments: ElectionMutant.all.map(\.name)) func mutantIsCaught(name: String) throws {
    let mutant = try #require(ElectionMutant.all.first { $0.name == name })
    #expect(mutant.firstCatch(in: mutant.seeds) != nil, "not caught by \(mutant.scenario) \(mutant.seeds)")
  }

  @Test func theCorrectPolicyPassesWhereMutantsFail() {
    for mutant in ElectionMutant.all where mutant.seeds.count <= 5 {
      for seed in mutant.seeds {
        #expect(mutant.scenario.run(seed: seed, count: mutant.count).violation == nil)
      }
    }
  }
}
