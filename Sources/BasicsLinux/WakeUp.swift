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

  /// Makes the descriptor unreadable again, however often it was signalled.
  package func reset() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
  }
}
