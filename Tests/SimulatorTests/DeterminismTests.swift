import PeerProtocol
import Simulator
import Testing
import WorldModel

/// The same seed gives the same bytes, in this process and in every other one.
struct DeterminismTests {
  /// SHA-256 of the transcripts, as another process found them (`soak replay chaos 7 5 | sha256sum`).
  ///
  /// A change of the protocol or of the simulator changes them.
  @Test(arguments: [
    (ElectionScenario.chaos, UInt64(7), 5, "55d0efb8afa671b2655bf2dd7fb56979d777f3d02c965c832c69c3b725210718"),
    (.merge, 3, 6, "40a53e67e3213fc1aa59ca93ee39a13e6d15ae801675b8ad2ddedf22df8abff7"),
    (.failover, 11, 4, "ce0cdd4bbf14300b7d61402202586878ea677da408d5f0638edbbab65ee5fa58"),
  ])
  func transcriptIsTheOneOnRecord(scenario: ElectionScenario, seed: UInt64, count: Int, digest: String) {
    let text = scenario.run(seed: seed, count: count, recording: true).text
    #expect(text.utf8.count > 1000)
    #expect(SHA256Digest(hashing: Array(text.utf8)).description == digest)
    #expect(scenario.run(seed: seed, count: count, recording: true).text == text)
  }

  @Test func anotherSeedGivesAnotherTranscript() {
    let texts = (1...3).map { ElectionScenario.chaos.run(seed: $0, count: 3, recording: true).text }
    #expect(Set(texts).count == 3)
  }

  @Test func recordingChangesNothing() {
    let silent = ElectionScenario.chaos.run(seed: 5, count: 4)
    let recorded = ElectionScenario.chaos.run(seed: 5, count: 4, recording: true)
    #expect(silent.delivered == recorded.delivered)
    #expect(silent.time == recorded.time)
    #expect(silent.transcript.lines.isEmpty)
  }
}
