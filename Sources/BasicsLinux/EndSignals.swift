import Glibc
import Synchronization

/// The descriptor that the handler of signals writes to, in a place that a handler may read; −1 before the first watch.
private let bell = Atomic<Int32>(-1)

/// SIGINT and SIGTERM, while somebody in this process wants to end politely.
///
/// A signal is taken as long as a watch lives, and only where it would end the process: a handler of the app stays, and what
/// is ignored stays ignored. The first one makes ``descriptor`` readable for every watch; the next one of the kind ends the
/// process, as if nobody watched, so that a program that does not come to its end can be stopped.
package final class EndSignals: Sendable {
  private static let numbers = [SIGINT, SIGTERM]

  private struct Watches {
    var count = 0
    /// Made once: a handler that runs while the last watch ends finds no other file behind its descriptor.
    var wakeUp: WakeUp?
  }

  private static let watches = Mutex(Watches())

  /// Readable once a signal has come, and until the last watch ends; for poll(2) and epoll(7).
  package let descriptor: Int32

  /// Takes the signals from now on.
  package init() throws(SystemCallFailure) {
    descriptor = try Self.watches.withLock { watches throws(SystemCallFailure) in
      let wakeUp = if let made = watches.wakeUp { made } else { try WakeUp() }
      watches.wakeUp = wakeUp
      bell.store(wakeUp.descriptor, ordering: .relaxed)
      watches.count += 1
      if watches.count == 1 { for number in Self.numbers { Self.take(number) } }
      return wakeUp.descriptor
    }
  }

  deinit {
    Self.watches.withLock { watches in
      watches.count -= 1
      guard watches.count == 0 else { return }
      for number in Self.numbers { Self.give(number) }
      watches.wakeUp?.reset()
    }
  }

  private static func take(_ number: Int32) {
    var (action, former) = (sigaction(), sigaction())
    guard sigaction(number, nil, &former) == 0, Self.address(of: former) == 0 else { return }
    // The calls of an app go on; and only the first signal is ours.
    action.sa_flags = SA_RESTART | Int32(bitPattern: UInt32(SA_RESETHAND))
    action.__sigaction_handler.sa_handler = Self.handler
    sigaction(number, &action, nil)
  }

  /// Lets a signal end the process again, unless the app has given it a handler meanwhile.
  private static func give(_ number: Int32) {
    var present = sigaction()
    guard sigaction(number, nil, &present) == 0 else { return }
    if Self.address(of: present) == unsafeBitCast(Self.handler, to: Int.self) { signal(number, SIG_DFL) }
  }

  /// Uses what signal-safety(7) allows.
  private static let handler: @convention(c) (Int32) -> Void = { _ in
    let code = errno
    var one: UInt64 = 1
    _ = write(bell.load(ordering: .relaxed), &one, MemoryLayout<UInt64>.size)
    errno = code
  }

  /// The handler of a signal; 0 where there is none and the signal does what it does by default.
  private static func address(of action: sigaction) -> Int {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
  }
}
