import PeerProtocol
import Simulator
import TestSupport
import Testing

@Suite("Whole sessions under faults")
struct SessionScenarioTests {
  @Test("maps of many chunks travel on second connections while everything breaks")
  func secondConnections() {
    let outcomes = (1...6).map { SessionScenario.chaos.run(seed: $0, count: 4) }
    #expect(outcomes.compactMap(\.violation).isEmpty)
    #expect(outcomes.reduce(0) { $0 + $1.bulkLinks } > 3)
  }

  @Test("members, host, anchors and maps agree after any faults", arguments: Tier.seeds(1...40))
  func comesToRest(_ seed: Int) {
    let outcome = SessionScenario.chaos.run(seed: UInt64(seed), count: 2 + seed % 5)
    #expect(outcome.violation == nil, "soak replay session \(seed) \(2 + seed % 5)")
  }

  @Test("after any faults each app sees whose device is where, as far as it wants to", arguments: Tier.seeds(1...20))
  func seesPoses(_ seed: Int) {
    let outcome = SessionScenario.poses.run(seed: UInt64(seed), count: 2 + seed % 5)
    #expect(outcome.violation == nil, "soak replay session-poses \(seed) \(2 + seed % 5)")
  }

  @Test(
    "after any faults each message has arrived once and in order, or its sender knows",
    arguments: [SessionScenario.messages, .streams], Tier.seeds(1...20))
  func deliversMessages(_ scenario: SessionScenario, _ seed: Int) {
    let outcome = scenario.run(seed: UInt64(seed), count: 2 + seed % 5)
    #expect(outcome.violation == nil, "soak replay \(scenario.rawValue) \(seed) \(2 + seed % 5)")
  }

  @Test(
    "after any faults everything is seen where it is, or nowhere", arguments: [SessionScenario.frames, .wrongFrames],
    Tier.seeds(1...10))
  func seesPlaces(_ scenario: SessionScenario, _ seed: Int) {
    let outcome = scenario.run(seed: UInt64(seed), count: 2 + seed % 5)
    #expect(outcome.violation == nil, "soak replay \(scenario.rawValue) \(seed) \(2 + seed % 5)")
  }

  @Test(
    "apps that offer each other resources: what comes is what was offered, and every offer ends",
    arguments: Tier.seeds(1...6))
  func resources(_ seed: Int) {
    let outcome = SessionScenario.resources.run(seed: UInt64(seed), count: 2 + seed % 5)
    #expect(outcome.violation == nil, "soak replay session-resources \(seed) \(2 + seed % 5)")
    // With six nodes some do arrive.
    if seed == 4 { #expect(outcome.resources > 0) }
  }

  @Test(
    "nobody is linked whose driver, or whose peer's, has not authenticated the other",
    arguments: Tier.seeds(1...10))
  func authenticates(_ seed: Int) {
    let outcome = SessionScenario.drivers.run(seed: UInt64(seed), count: 3 + seed % 4)
    #expect(outcome.violation == nil, "soak replay session-drivers \(seed) \(3 + seed % 4)")
  }

  @Test(
    "an owned session: members are those that are admitted, and all hold the same around a removal",
    arguments: Tier.seeds(1...20))
  func owned(_ seed: Int) {
    let outcome = SessionScenario.owned.run(seed: UInt64(seed), count: 5 + seed % 3)
    #expect(outcome.violation == nil, "soak replay session-owned \(seed) \(5 + seed % 3)")
  }

  @Test(
    "apps that attach resources: everybody gets what stands, and what was removed stays away",
    arguments: Tier.seeds(1...6))
  func attachments(_ seed: Int) {
    let outcome = SessionScenario.attachments.run(seed: UInt64(seed), count: 2 + seed % 5)
    #expect(outcome.violation == nil, "soak replay session-attachments \(seed) \(2 + seed % 5)")
    if seed == 4 { #expect(outcome.resources > 0) }
  }

  @Test(
    "a liar in every register: all know of each member in the end what that one says itself",
    arguments: Tier.seeds(1...12))
  func words(_ seed: Int) {
    let outcome = SessionScenario.words.run(seed: UInt64(seed), count: 3 + seed % 5)
    #expect(outcome.violation == nil && outcome.lies > 0, "soak replay session-words \(seed) \(3 + seed % 5)")
  }

  @Test(
    "a fresh seed holds", .thorough,
    arguments: [
      SessionScenario.chaos, .poses, .messages, .streams, .resources, .attachments, .words, .frames, .wrongFrames,
      .drivers,
    ], [2, 3, 5])
  func freshChaosHolds(scenario: SessionScenario, count: Int) {
    let seed = Tier.freshSeed()
    let violation = scenario.run(seed: seed, count: count).violation
    #expect(violation == nil, "SEED=\(seed); soak replay \(scenario.rawValue) \(seed) \(count)")
  }

  @Test(
    "one fault at a time",
    arguments: [SessionScenario.failover, .merge, .joins, .detour, .orphan, .restarts, .relays],
    Tier.some([4, 6]))
  func scenarioHolds(scenario: SessionScenario, count: Int) {
    for seed in Tier.seeds(UInt64(1)...3) {
      let violation = scenario.run(seed: seed, count: count).violation
      #expect(violation == nil, "soak replay \(scenario.rawValue) \(seed) \(count)")
    }
  }

  @Test("runs have every kind of fault", .thorough)
  func everyFaultOccurs() {
    var (faults, network, maps) = (Set<String>(), NetworkTally(), 0)
    for seed in UInt64(1)...20 {
      let outcome = SessionScenario.chaos.run(seed: seed, count: 5)
      faults.formUnion(outcome.faults.keys)
      network += outcome.network
      maps += outcome.maps
    }
    let kinds = [
      "clog", "crash", "cut", "cut-one-way", "heal", "kill", "mend", "reset", "resume", "return", "sleep", "split",
      "start",
      "stop",
    ]
    #expect(faults.sorted() == kinds)
    #expect(network.refusals > 0 && network.lost > 0 && network.held > 0 && network.overtaken > 0 && maps > 0)
    #expect(SessionScenario.liar.run(seed: 1, count: 4).lies > 0)
  }

  @Test("old mistakes stay away")
  func oldSeedsHold() {
    let seeds = SeedFixture.read("session.txt")
    #expect(seeds.count >= 6)
    for seed in seeds { #expect(seed.run().violation == nil, "\(seed.replayLine)") }
  }

  @Test("the same seed gives the same transcript")
  func isRepeatable() {
    let one = SessionScenario.chaos.run(seed: 11, count: 4, recording: true)
    let other = SessionScenario.chaos.run(seed: 11, count: 4, recording: true)
    #expect(one.text == other.text)
    #expect(one.transcript.lines.count > 20)
  }
}
