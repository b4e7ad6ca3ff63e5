import PeerProtocol
import Synchronization

/// How the wait of a caller ended.
enum Waited<Value: Sendable>: Sendable {
  /// With what was awaited.
  case value(Value)
  /// The task was cancelled.
  case cancelled
  /// The session is over.
  case ended(EndReason)
}

/// The callers that await one kind of outcome, each under a number of its own.
///
/// The outcome of each kind is a type of its own, so that no caller has to say what it would do with another's. It is an
/// object with a lock since the handler of a cancellation, on any thread, carries it to the session's loop.
final class Pending<Value: Sendable>: Sendable {
  private struct State {
    var callers: Table<UInt64, CheckedContinuation<Waited<Value>, Never>> = [:]
    var numbers = Numbers()
  }

  private let state = Mutex(State())

  /// A number for ``Session/wait(in:_:_:givingUp:)``.
  func nextNumber() -> UInt64 { state.withLock { $0.numbers.next() } }

  /// A caller waits, under a number that was not used before.
  func add(_ number: UInt64, _ caller: CheckedContinuation<Waited<Value>, Never>) {
    state.withLock { $0.callers[number] = caller }
  }

  /// Resumes a caller with its outcome; a no-op when it waits no longer.
  func finish(_ number: UInt64, _ value: Value) { resume(number, .value(value)) }

  /// Resumes every caller: nothing more will happen.
  func endAll(_ reason: EndReason) {
    let callers = state.withLock { exchange(&$0.callers, with: [:]) }
    for caller in callers.values { caller.resume(returning: .ended(reason)) }
  }

  /// Resumes a caller; a no-op when it waits no longer.
  func resume(_ number: UInt64, _ outcome: Waited<Value>) {
    state.withLock { $0.callers.removeValue(forKey: number) }?.resume(returning: outcome)
  }
}

/// Numbers from 1 on, each once.
struct Numbers {
  private var last: UInt64 = 0

  mutating func next() -> UInt64 {
    last += 1
    return last
  }
}
