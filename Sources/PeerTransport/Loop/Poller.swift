import BasicsLinux
import CLinux
import Glibc

/// The readiness of a descriptor, or the interest of a handler.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Bytes, a connection or the end of the stream can be read.
  package static let readable = Self(rawValue: EPOLLIN.rawValue)
  /// There is room to write.
  package static let writable = Self(rawValue: EPOLLOUT.rawValue)
  /// The descriptor failed or both directions are closed; always reported, never waited for.
  static let hangUp = Self(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
}

/// An object on the loop that is called when its descriptor is ready; level-triggered.
package protocol EventHandler: AnyObject {
  /// Called on the loop, at most once a round.
  func handle(_ readiness: Readiness)
}

/// epoll and the handlers behind it; confined to the loop's thread.
final class Poller {
  private struct Slot {
    var handler: any EventHandler
    var generation: UInt32
  }

  private let descriptor: Int32
  private var slots: [Int32: Slot] = [:]
  private var generation: UInt32 = 0
  private var events = [epoll_event](repeating: epoll_event(), count: 256)

  init() throws(TransportFailure) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw .system(SystemCallFailure("epoll_create1", code: errno)) }
  }

  deinit {
    close(descriptor)
  }

  /// Starts to watch `file`; the handler is retained until ``remove(_:)``.
  func add(_ file: Int32, waitingFor interest: Readiness, handler: any EventHandler) throws(TransportFailure) {
    generation &+= 1
    try control(EPOLL_CTL_ADD, file, interest, generation)
    slots[file] = Slot(handler: handler, generation: generation)
  }

  /// Changes the interest in `file`.
  func change(_ file: Int32, waitingFor interest: Readiness) throws(TransportFailure) {
    guard let slot = slots[file] else { return }
    try control(EPOLL_CTL_MOD, file, interest, slot.generation)
  }

  /// Stops watching `file`; call it before closing the descriptor.
  func remove(_ file: Int32) {
    guard slots.removeValue(forKey: file) != nil else { return }
    epoll_ctl(descriptor, EPOLL_CTL_DEL, file, nil)
  }

  /// Stops watching everything and releases the handlers.
  func removeAll() {
    for file in Array(slots.keys) { remove(file) }
  }

  /// Sleeps at most `timeout` milliseconds (−1: without a limit) and calls the handlers of ready descriptors.
  func poll(timeout: Int32, awake: () -> Void) {
    let count = epoll_wait(descriptor, &events, Int32(events.count), timeout)
    awake()
    for index in 0..<max(Int(count), 0) {
      let event = events[index]
      let file = Int32(truncatingIfNeeded: event.data.u64)
      // A handler called earlier in this round may have closed this descriptor and even opened another in its place.
      guard let slot = slots[file], slot.generation == UInt32(truncatingIfNeeded: event.data.u64 >> 32) else {
        continue
      }
      slot.handler.handle(Readiness(rawValue: event.events))
    }
  }

  private func control(
    _ operation: Int32, _ file: Int32, _ interest: Readiness, _ generation: UInt32
  ) throws(TransportFailure) {
    let tag = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: file))
    var event = epoll_event(events: interest.rawValue, data: epoll_data(u64: tag))
    guard epoll_ctl(descriptor, operation, file, &event) == 0 else {
      throw .system(SystemCallFailure("epoll_ctl", code: errno))
    }
  }
}
