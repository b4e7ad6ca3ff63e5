import CLinux
import Glibc

/// Resets the loop's wake-up descriptor each time it rang.
final class Bell: EventHandler {
  private let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  func handle(_ readiness: Readiness) {
    var count: UInt64 = 0
    eventfd_read(descriptor, &count)
  }
}
