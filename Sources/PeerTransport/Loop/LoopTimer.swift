/// A deadline on the loop that calls back once when it has passed; set it again from the callback to repeat.
///
/// Made by ``EventLoop/makeTimer(_:)``, used on the loop only. Its resolution is a millisecond, never early.
package final class LoopTimer {
  /// When to call back (nanoseconds of ``EventLoop/now``); nil for never.
  package var deadline: UInt64? {
    didSet { if let deadline { schedule.note(deadline) } }
  }

  private let action: () -> Void
  private let schedule: Schedule

  init(on schedule: Schedule, _ action: @escaping () -> Void) {
    self.schedule = schedule
    self.action = action
  }

  /// Calls back if the deadline has passed, and forgets it first so that the callback can set the next.
  func fire(at now: UInt64) {
    guard let due = deadline, due <= now else { return }
    deadline = nil
    action()
  }
}
