import AnchorReplication
import Simulator
import TestSupport
import Testing

@Suite("Failing seeds are shrunk")
struct ShrinkerTests {
  @Test("the faults of a run, given again, make the same run")
  func plansAreReplayed() {
    let outcome = SessionScenario.chaos.run(seed: 5, count: 3)
    #expect(outcome.plan.places.count == 30)
    let again = SessionScenario.chaos.run(seed: 5, count: 3, plan: outcome.plan)
    #expect(again.outputDigest == outcome.outputDigest)
    let other = SessionScenario.chaos.run(seed: 5, count: 3, plan: outcome.plan.without([0, 1, 2, 3, 4, 5]))
    #expect(other.plan.places.count == 24 && other.outputDigest != outcome.outputDigest)
  }

  @Test("of a mutant's thirty faults a few are left, of which each is needed, and the invariant is the same")
  func shrinksAMutant() throws {
    let rules = ProtocolRules.allBut(.freshActor)
    let bad = (UInt64(1)...20).first { seed in
      SessionScenario.chaos.run(seed: seed, count: 3, rules: rules).violation != nil
    }
    let seed = try #require(bad)
    try expectShrunk(SessionScenario.chaos, seed: seed, count: 3, rules: rules, most: 8)
  }

  @Test("the faults of an election and of an owned session, given again, make the same run")
  func otherPlansAreReplayed() {
    let election = ElectionScenario.chaos.run(seed: 5, count: 3, recording: true)
    #expect(election.plan.places.count > 10)
    let again = ElectionScenario.chaos.run(seed: 5, count: 3, recording: true, plan: election.plan)
    #expect(again.text == election.text)
    let owned = SessionScenario.owned.run(seed: 5, count: 6)
    #expect(owned.plan.places.count == 20)
    #expect(SessionScenario.owned.run(seed: 5, count: 6, plan: owned.plan).outputDigest == owned.outputDigest)
    let fewer = SessionScenario.owned.run(seed: 5, count: 6, plan: owned.plan.without(0..<10))
    #expect(fewer.plan.places.count == 10 && fewer.outputDigest != owned.outputDigest)
  }

  @Test("a mutant's seed of the election is shrunk")
  func shrinksAnElection() throws {
    let mutant = try #require(ElectionMutant.all.first { $0.name == "identity-without-incarnation" })
    let (seed, _) = try #require(mutant.firstCatch(in: mutant.seeds))
    try expectShrunk(mutant.scenario, seed: seed, count: mutant.count, rules: mutant.rules, most: 6)
  }

  @Test("a mutant's seed of an owned session is shrunk", .thorough)
  func shrinksAnOwnedSession() throws {
    try expectShrunk(SessionScenario.owned, seed: 5, count: 6, rules: .allBut(.raisedCuts), most: 8)
  }

  /// Expects that one to so many faults are left, of which each is needed, and that the same invariant breaks.
  private func expectShrunk<Kind: PlannedScenario>(
    _ scenario: Kind, seed: UInt64, count: Int, rules: ProtocolRules, most: Int
  ) throws {
    var shrinker = Shrinker(scenario, seed: seed, count: count, rules: rules)
    let found = shrinker.shrink()
    let shortest = try #require(found)
    let invariant = Shrinker<Kind>.invariant(in: scenario.run(seed: seed, count: count, rules: rules, plan: nil))
    #expect(Shrinker<Kind>.invariant(in: shortest.outcome) == invariant)
    #expect((1...most).contains(shortest.plan.places.count), "\(shortest.plan)")
    for place in shortest.plan.places {
      let plan = shortest.plan.without([place])
      let outcome = scenario.run(seed: seed, count: count, rules: rules, plan: plan)
      #expect(Shrinker<Kind>.invariant(in: outcome) != invariant, "\(place + 1)")
    }
  }

  @Test("a seed that breaks nothing is not shrunk")
  func leavesGoodSeeds() {
    var shrinker = Shrinker(SessionScenario.chaos, seed: 5, count: 3)
    #expect(shrinker.shrink() == nil)
    #expect(shrinker.runs == 1)
  }
}
