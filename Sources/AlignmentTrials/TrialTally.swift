package import WorldModel

/// The outcome of the trials of one level.
package struct TrialTally: Sendable {
  package private(set) var trials = 0
  /// Poses within 5 cm at the scan's middle and 2°.
  package private(set) var right = 0
  /// Right ones that were accepted.
  package private(set) var accepted = 0
  /// Wrong ones that were accepted: the worst result there is.
  package private(set) var wronglyAccepted = 0
  /// Errors of the accepted ones: metres and degrees.
  private var errors: [(distance: Float, degrees: Float)] = []

  package init() {}

  /// Counts the answer to a trial.
  ///
  /// - Parameter isElsewhere: Whether the map showed another place, so that every pose is wrong.
  package mutating func add(_ trial: AlignmentTrial, _ pose: Transform?, isAccepted: Bool, isElsewhere: Bool) {
    trials += 1
    let isRight = !isElsewhere && pose.map(trial.isRight) == true
    if isRight { right += 1 }
    guard isAccepted, let pose else { return }
    if isRight {
      accepted += 1
      errors.append(trial.error(of: pose))
    } else {
      wronglyAccepted += 1
    }
  }

  /// The medians of the errors of right and accepted poses: metres and degrees.
  package var medianError: (distance: Float, degrees: Float) {
    guard !errors.isEmpty else { return (0, 0) }
    let middle = errors.count / 2
    return (errors.map(\.distance).sorted()[middle], errors.map(\.degrees).sorted()[middle])
  }
}
