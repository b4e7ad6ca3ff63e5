import PeerProtocol

/// Large bursts of edits on bare sets of anchors: what makes up most of a soak's operations.
enum ReplicationScenario {
  /// Runs one seed with `count` peers, 2 to 8.
  static func run(seed: UInt64, count: Int, recording: Bool) -> RunOutcome {
    let options = ReplicationWorld.Options(count: min(8, max(2, count)), burst: 400, isRecorded: recording)
    let world = ReplicationWorld.live(seed: seed, options: options)
    var outcome = RunOutcome(
      violation: world.violation, time: nil, simulated: world.time * 1_000_000, delivered: world.delivered,
      transcript: world.transcript)
    outcome.operations = world.applied
    return outcome
  }
}
