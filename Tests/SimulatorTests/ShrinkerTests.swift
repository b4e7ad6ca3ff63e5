import AnchorReplication
import Simulator
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
      Shrinker.invariant(in: SessionScenario.chaos.run(seed: seed, count: 3, rules: rules)) != nil
    }
    let seed = try #require(bad)
    let invariant = Shrinker.invariant(in: SessionScenario.chaos.run(seed: seed, count: 3, rules: rules))
    var shrinker = Shrinker(.chaos, seed: seed, count: 3, rules: rules)
    let found = shrinker.shrink()
    let shortest = try #require(found)
    #expect(Shrinker.invariant(in: shortest.outcome) == invariant)
    #expect((1...8).contains(shortest.plan.places.count), "\(shortest.plan)")
    for place in shortest.plan.places {
      let outcome = SessionScenario.chaos.run(
        seed: seed, count: 3, rules: rules, plan: shortest.plan.without([place]))
      #expect(Shrinker.invariant(in: outcome) != invariant, "\(place + 1)")
    }
  }

  @Test("a seed that breaks nothing is not shrunk")
  func leavesGoodSeeds() {
    var shrinker = Shrinker(.chaos, seed: 5, count: 3)
    #expect(shrinker.shrink() == nil)
    #expect(shrinker.runs == 1)
  }
}
