internal import CSharedWorldHeaders
import Synchronization

/// The work of a session that goes on while the C program does: operations, each of which ends with one event, and
/// subscriptions.
final class Operations: Sendable {
  /// The most that are open or have results that C has not read; each may hold an object of 60 KiB.
  static let limit = 256

  /// The beginning of an operation: its number, and what ends when C gives it up.
  struct Start: Sendable {
    let number: UInt64
    let cancelled: AsyncStream<Never>
  }

  /// An operation or a subscription, which ends without an event, and the signal that C gives it up.
  private struct Entry {
    let cancel: AsyncStream<Never>.Continuation
    let isSubscription: Bool
  }

  private struct State {
    var last: UInt64 = 0
    var open: [UInt64: Entry] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Opens an operation or a subscription.
  ///
  /// - Parameter unread: The results that C has not read.
  func begin(unread: Int, isSubscription: Bool = false) throws -> Start {
    try state.withLock { state in
      guard !state.isClosed else { throw Failure(SW_ENDED, "the session has ended; start a new one") }
      guard state.open.count + unread < Self.limit else {
        throw Failure(
          SW_LIMIT_EXCEEDED, "\(Self.limit) operations are open or have unread results; read events first")
      }
      state.last += 1
      let (cancelled, signal) = AsyncStream.makeStream(of: Never.self)
      state.open[state.last] = Entry(cancel: signal, isSubscription: isSubscription)
      return Start(number: state.last, cancelled: cancelled)
    }
  }

  /// A number that no operation has.
  func number() -> UInt64 {
    state.withLock { state in
      state.last += 1
      return state.last
    }
  }

  /// C does not want an operation any more.
  func cancel(_ number: UInt64) { state.withLock { $0.open[number] }?.cancel.finish() }

  /// An operation is over: `tell` is called if nobody has told C so before.
  func end(_ number: UInt64, _ tell: () -> Void) {
    // Told under the lock, so that nothing is told once all are closed.
    state.withLock { state in
      guard state.open.removeValue(forKey: number) != nil else { return }
      tell()
    }
  }

  /// The session is over: `tell` is called for all that are open, in the order in which they began.
  func close(_ tell: (UInt64) -> Void) {
    let entries = state.withLock { state in
      state.isClosed = true
      for number in state.open.keys.sorted() { tell(number) }
      defer { state.open = [:] }
      return Array(state.open.values)
    }
    for entry in entries { entry.cancel.finish() }
  }

  /// Waits until an operation has ended, and takes its end out of the events; never call it from a task.
  func wait(for number: UInt64, in events: EventQueue) throws -> OwnEvent {
    let end = try state.withLock { state in
      // Under the lock, so that it does not end between the look at what is open and that at the events.
      let isOpen = state.open[number].map { !$0.isSubscription } ?? false
      guard let end = events.claim(number, isOpen: isOpen) else {
        throw Failure.argument(
          "\(number) is not the number of an operation, or its end was taken or is waited for elsewhere")
      }
      return end
    }
    return try end.wait()
  }

  /// Runs `body` until it is over; when C gives up, its task is cancelled and what it makes of that counts.
  static func run<R: Sendable>(_ start: Start, _ body: @escaping @Sendable () async -> R) async -> R {
    await withTaskGroup(of: R?.self) { group in
      group.addTask { await body() }
      group.addTask {
        for await _ in start.cancelled {}
        return nil
      }
      while let result = await group.next() {
        group.cancelAll()
        if let result { return result }
      }
      preconditionFailure("one of the two tasks returns a result")
    }
  }
}
