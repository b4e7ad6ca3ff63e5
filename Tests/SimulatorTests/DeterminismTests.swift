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
    (ElectionScenario.chaos, UInt64(7), 5, "f8e7e6ec2a5451f85a40faea8fb8f32ba66863a2fce89384773af7c97288d43d"),
    (.merge, 3, 6, "c2479fade16f5a24aee831639cd412139921b65e94fe84d9fccf7e14248d6406"),
    (.failover, 11, 4, "94884fec8d367e276d4aff6bfda9a82174f59a3428c36464775eead2f5054a98"),
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
