import Foundation
import PeerProtocol
import Simulator
import Testing

/// The election against faults of every kind; `make soak` runs the same over millions of seeds.
struct ElectionSimulationTests {
  /// The seeds of Fixtures/Seeds/election.txt.
  static let oldSeeds: [(scenario: ElectionScenario, seed: UInt64, count: Int)] = {
    var root = URL(filePath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    let text = try? String(contentsOf: root.appending(path: "Fixtures/Seeds/election.txt"), encoding: .utf8)
    return (text ?? "").split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count > 2, let scenario = ElectionScenario(rawValue: String(words[0])) else { return nil }
      guard let seed = UInt64(words[1]), let count = Int(words[2]) else { return nil }
      return (scenario, seed, count)
    }
  }()

  @Test func oldMistakesStayAway() {
    #expect(Self.oldSeeds.count >= 6)
    for (scenario, seed, count) in Self.oldSeeds {
      #expect(scenario.run(seed: seed, count: count).violation == nil, "soak replay \(scenario) \(seed) \(count)")
    }
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
