/// An object that has something to finish once a round of the loop is over.
package protocol RoundHandler: AnyObject {
  /// Called on the loop, once for each ``EventLoop/atEndOfRound(_:)``.
  func endRound()
}

/// A timer that dies with its owner.
struct WeakTimer {
  weak var timer: LoopTimer?

  init(_ timer: LoopTimer) {
    self.timer = timer
  }
}

/// The loop's timers and round handlers; confined to its thread.
final class Schedule {
  var timers: [WeakTimer] = []
  var batch: [EventLoop.Work] = []
  var ending: [any RoundHandler] = []
  /// Handlers of what can wait until all else of the round is done.
  var late: [any RoundHandler] = []
  /// Handlers that come before the next round, behind those.
  var last: [any RoundHandler] = []
  /// No timer is due before this; a timer put off leaves it too early, which costs one needless look.
  private var nextLook = UInt64.max

  /// Records a deadline.
  func note(_ deadline: UInt64) { nextLook = min(nextLook, deadline) }

  /// How long epoll may sleep: milliseconds, rounded up so that no timer is early; −1 without a deadline.
  ///
  /// In each of them at most `millisecond` of the deadlines' nanoseconds pass.
  func timeout(at now: UInt64, millisecond: UInt64) -> Int32 {
    if hasHandlers { return 0 }
    guard nextLook < .max else { return -1 }
    guard nextLook > now else { return 0 }
    return Int32(clamping: (nextLook - now + millisecond - 1) / millisecond)
  }

  /// Fires the timers that are due.
  func fire(at now: UInt64) {
    guard nextLook <= now else { return }
    timers.removeAll { $0.timer == nil }
    nextLook = .max
    // A callback may make another timer: that one waits for the next round.
    for entry in timers {
      entry.timer?.fire(at: now)
      if let deadline = entry.timer?.deadline { note(deadline) }
    }
  }

  private var hasHandlers: Bool { !ending.isEmpty || !late.isEmpty || !last.isEmpty }

  /// Calls the handlers of this round; those they add wait for the next, but for the last ones.
  func endRound() {
    guard hasHandlers else { return }
    let (first, second) = (exchange(&ending, with: []), exchange(&late, with: []))
    for handler in first { handler.endRound() }
    for handler in second { handler.endRound() }
    for handler in exchange(&last, with: []) { handler.endRound() }
  }

  /// Forgets everything.
  func clear() {
    timers = []
    ending = []
    late = []
    last = []
  }
}
