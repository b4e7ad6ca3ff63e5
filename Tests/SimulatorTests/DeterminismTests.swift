import Basics
import Foundation
import Simulator
import TestSupport
import Testing

/// The same seed gives the same bytes, in this process and in every other one.
struct DeterminismTests {
  /// SHA-256 of the transcripts, as another process found them (`soak replay chaos 7 5 | sha256sum`).
  ///
  /// A change of the protocol or of the simulator changes them.
  @Test(arguments: [
    (ElectionScenario.chaos, UInt64(7), 5, "b9ebbe6c1b2c3917574047feae3700df01face995b0a44023d0a5ade4a9360c1"),
    (.merge, 3, 6, "2fadf59cbf8016ef2ee82ad1837b427a805d5ef7591cdee40b5e8625b1350792"),
    (.failover, 11, 4, "31b26299e7acff38b39ed048d5d8bded2b33db2d57df4831a3e4051e77beba87"),
  ])
  func transcriptIsTheOneOnRecord(scenario: ElectionScenario, seed: UInt64, count: Int, digest: String) {
    let text = scenario.run(seed: seed, count: count, recording: true).text
    #expect(text.utf8.count > 1000)
    #expect(SHA256Digest(hashing: Array(text.utf8)).description == digest)
    #expect(scenario.run(seed: seed, count: count, recording: true).text == text)
  }

  /// Every process shuffles its hash tables in its own way: that must not show.
  @Test(arguments: [Scenario.session(.chaos), .session(.liar), .session(.merge), .replication, .election(.chaos)])
  func twoProcessesWriteTheSameBytes(scenario: Scenario) async throws {
    let one = try await Self.replay(scenario, seed: 7, count: 4)
    let other = try await Self.replay(scenario, seed: 7, count: 4)
    #expect(one.utf8.count > 1000)
    #expect(one == other)
    #expect(one == scenario.run(seed: 7, count: 4, recording: true).text)
  }

  /// What `soak replay`, which the build puts beside the program that runs the tests, prints in a process of its own.
  private static func replay(_ scenario: Scenario, seed: UInt64, count: Int) async throws -> String {
    let soak = ProgramRun.products.appending(path: "soak").path
    return try await ProgramRun(of: soak, ["replay", scenario.name, String(seed), String(count)]).text
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
