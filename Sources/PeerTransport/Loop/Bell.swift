import BasicsLinux

/// Resets the loop's wake-up descriptor each time it was signalled.
final class Bell: EventHandler {
  private let wakeUp: WakeUp

  init(_ wakeUp: WakeUp) {
    self.wakeUp = wakeUp
  }

  func handle(_ readiness: Readiness) {
    wakeUp.reset()
  }
}
