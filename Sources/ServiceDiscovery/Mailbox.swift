internal import CAvahiCore
internal import Glibc
internal import Synchronization

/// Work that other threads hand to the thread of a back-end, and the descriptor that wakes it.
final class Mailbox: Sendable {
  private struct State {
    var letters: [@Sendable () -> Void] = []
    var isClosed = false
  }

  /// Readable while letters wait; for `poll(2)`.
  let fileDescriptor: Int32

  private let state = Mutex(State())

  /// Opens the descriptor.
  init() throws(DiscoveryError) {
    fileDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard fileDescriptor >= 0 else {
      throw .unavailable(reason: "an event descriptor cannot be opened: \(String(cString: strerror(errno)))")
    }
  }

  deinit { Glibc.close(fileDescriptor) }

  /// Hands over `letter`; returns false, without keeping it, once the box is closed.
  @discardableResult
  func post(_ letter: @escaping @Sendable () -> Void) -> Bool {
    let isAccepted = state.withLock { state in
      guard !state.isClosed else { return false }
      state.letters.append(letter)
      return true
    }
    if isAccepted { eventfd_write(fileDescriptor, 1) }
    return isAccepted
  }

  /// Carries out everything that waits, in order, on the calling thread.
  func drain() {
    var count: eventfd_t = 0
    eventfd_read(fileDescriptor, &count)
    let letters = state.withLock { state in
      defer { state.letters = [] }
      return state.letters
    }
    for letter in letters { letter() }
  }

  /// Refuses further letters; those that wait are still carried out.
  func close() { state.withLock { $0.isClosed = true } }
}
