import PeerProtocol
import Simulator
import Testing

@Suite("Whole sessions under faults")
struct SessionScenarioTests {
  @Test("members, host, anchors and maps agree after any faults", arguments: 1...40)
  func comesToRest(_ seed: Int) {
    let outcome = SessionScenario.run(seed: UInt64(seed), count: 2 + seed % 5)
    #expect(outcome.violation == nil, "seed \(seed)")
  }

  @Test("old mistakes stay away")
  func oldSeedsHold() {
    let seeds = SeedFixture.read("session.txt")
    #expect(seeds.count >= 6)
    for seed in seeds { #expect(seed.run().violation == nil, "\(seed.replayLine)") }
  }

  @Test("the same seed gives the same transcript")
  func isRepeatable() {
    let one = SessionScenario.run(seed: 11, count: 4, recording: true)
    let other = SessionScenario.run(seed: 11, count: 4, recording: true)
    #expect(one.text == other.text)
    #expect(one.transcript.lines.count > 20)
  }
}
