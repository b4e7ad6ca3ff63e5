/// The result of one run of a scenario.
package struct RunOutcome: Sendable {
  /// The first invariant that did not hold; nil if all did.
  package var violation: String?
  /// How long the measured change took (ns); nil if the run ended before.
  package var time: Int64?
  /// How long the run was on its own clock (ns).
  package var simulated: Int64
  /// Packets that arrived.
  package var delivered: Int
  /// The transcript, if one was kept.
  package var transcript: Transcript
  /// Faults that were applied, by kind.
  package var faults: [String: Int] = [:]
  /// The faults in their order, where they were drawn at random.
  package var plan = FaultPlan()
  /// The tally of the network.
  package var network = NetworkTally()
  /// Operations that the nodes alive at the end had applied, over all of them; each was checked against the model.
  package var operations = 0
  /// Maps that arrived.
  package var maps = 0
  /// Resources that arrived.
  package var resources = 0
  /// Second connections for pieces of maps that came about.
  package var bulkLinks = 0
  /// Of everything that whole nodes asked their drivers to do; of nothing in the other scenarios.
  package var outputDigest = OutputDigest()
  /// Lies that were told.
  package var lies = 0
  /// Nodes whose inputs were recorded and given to a fresh one, and the steps that were.
  package var replays = (nodes: 0, steps: 0)
  /// Whether the run was cut short because the liar used a right to remove.
  package var liarRemoved = false

  package init(
    violation: String?, time: Int64?, simulated: Int64, delivered: Int, transcript: Transcript
  ) {
    self.violation = violation
    self.time = time
    self.simulated = simulated
    self.delivered = delivered
    self.transcript = transcript
  }

  /// The same text for the same seed: the transcript and how it ended.
  package var text: String { transcript.text + (violation ?? "all invariants held") + "\n" }
}
