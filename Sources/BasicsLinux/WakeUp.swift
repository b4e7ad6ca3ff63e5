import CLinux
import Glibc

/// A descriptor that any thread makes readable to wake the thread that polls it (eventfd(2)).
///
/// The descriptor is closed with the last reference.
package final class WakeUp: Sendable {
  /// Readable between ``signal()`` and ``reset()``; for poll(2) and epoll(7).
  package let descriptor: Int32

  /// A descriptor that is not readable yet.
  package init() throws(SystemCallFailure) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw SystemCallFailure("eventfd", code: errno) }
  }

  deinit {
    close(descriptor)
  }

  /// Makes the descriptor readable; never blocks.
  package func signal() {
    eventfd_write(descriptor, 1)
  }

  /// Waits until somebody has signalled; returns whether that was in time.
  package func wait(for patience: Duration) -> Bool {
    var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let end = ContinuousClock.now + patience
    // A signal handler of the app may end the wait early.
    repeat {
      if poll(&descriptor, 1, milliseconds(until: end)) > 0 { return true }
    } while ContinuousClock.now < end
    return false
  }

  /// Makes the descriptor unreadable again, however often it was signalled.
  package func reset() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
  }
}

/// The time to `deadline` as `poll(2)` takes it: rounded up, −1 for no limit.
package func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
  guard let deadline else { return -1 }
  let (seconds, attoseconds) = max(.zero, deadline - .now).components
  let milliseconds = min(seconds, 1_000_000) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  return Int32(milliseconds)
}
