import Basics

extension WorkBudget.Limits {
  /// The terms for a peer, with all its links together.
  ///
  /// - 250 ms are saved up: a whole snapshot at the join costs less.
  /// - It rests for a second at most, so that its link does not end for silence.
  /// - A byte is worth ten times what it costs in a frame whose cost is linear in its bytes.
  static let peer = WorkBudget.Limits(
    burst: 250_000_000 * slowness, debt: 125_000_000, perByte: 50 * slowness, share: 8)

  /// The terms for all strangers together, who have little to ask: a sixteenth of a processor, and what some dozens of newcomers
  /// at once cost.
  static let strangers = WorkBudget.Limits(burst: 50_000_000 * slowness, debt: 10_000_000, share: 16)
}
