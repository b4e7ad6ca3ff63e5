/// What came of one run of a scenario.
package struct RunOutcome: Sendable {
  /// The first invariant that did not hold; nil if all did.
  package var violation: String?
  /// How long the measured change took (ns); nil if the run ended before.
  package var time: Int64?
  /// How long the run was on its own clock (ns).
  package var simulated: Int64
  /// Packets that arrived.
  package var delivered: Int
  /// What happened, if it was recorded.
  package var transcript: Transcript

  /// The same text for the same seed: the transcript and how it ended.
  package var text: String { transcript.text + (violation ?? "all invariants held") + "\n" }
}
