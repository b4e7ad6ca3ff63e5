internal import BasicsLinux
internal import Synchronization

/// Work that other threads hand to the thread of a back-end, and the descriptor that wakes it.
final class Mailbox: Sendable {
  private struct State {
    var letters: [@Sendable () -> Void] = []
    var isClosed = false
  }

  /// Readable while letters wait; for `poll(2)`.
  var fileDescriptor: Int32 { wakeUp.descriptor }

  private let wakeUp: WakeUp
  private let state = Mutex(State())

  /// Opens the descriptor.
  init() throws(SystemCallFailure) {
    wakeUp = try WakeUp()
  }

  /// Hands over `letter`; returns false, without keeping it, once the box is closed.
  @discardableResult
  func post(_ letter: @escaping @Sendable () -> Void) -> Bool {
    let isAccepted = state.withLock { state in
      guard !state.isClosed else { return false }
      state.letters.append(letter)
      return true
    }
    if isAccepted { wakeUp.signal() }
    return isAccepted
  }

  /// Waits for letters; returns false when there are none until `time`.
  func wait(until time: ContinuousClock.Instant) -> Bool { wakeUp.wait(for: time - .now) }

  /// Carries out everything that waits, in order, on the calling thread.
  func drain() {
    wakeUp.reset()
    let letters = state.withLock { state in
      defer { state.letters = [] }
      return state.letters
    }
    for letter in letters { letter() }
  }

  /// Refuses further letters; those that wait are still carried out.
  func close() { state.withLock { $0.isClosed = true } }
}
