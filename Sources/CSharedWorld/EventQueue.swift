import CLinux
import Glibc
import SharedWorld
import Synchronization

/// Events on their way to C, and a descriptor that is readable while some wait.
///
/// The next batch is taken from the session when the last one has been read, so the session's own bound holds.
final class EventQueue: Sendable {
  /// What a look at the queue finds.
  enum Next {
    case event(Session.Event)
    case nothing
    case ended
  }

  private struct State {
    var unread: ArraySlice<Session.Event> = []
    var hasEnded = false
    var drained: CheckedContinuation<Void, Never>?
  }

  /// An eventfd(2): readable while its counter is not zero.
  let descriptor: Int32
  private let state = Mutex(State())

  init() throws {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw SessionError(.io, "no event descriptor: \(String(cString: strerror(errno)))") }
  }

  deinit {
    close(descriptor)
  }

  /// Brings over the events of a session until it ends or the task is cancelled.
  func pump(_ events: Session.Events, desk: InvitationDesk?) async {
    var iterator = events.makeAsyncIterator()
    while let batch = await iterator.nextBatch() {
      if let desk { for event in batch { Self.tell(desk, event) } }
      await deliver(batch)
    }
    state.withLock { state in
      state.hasEnded = true
      signal()
    }
  }

  private static func tell(_ desk: InvitationDesk, _ event: Session.Event) {
    switch event {
    case .invitationReceived(let invitation): desk.announce(invitation.peer.id)
    case .invitationEnded(let peer): desk.withdraw(peer.id)
    default: break
    }
  }

  private func deliver(_ batch: [Session.Event]) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          state.unread = batch[...]
          signal()
          guard !Task.isCancelled else { return true }
          state.drained = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { Self.takeWaiter(&$0) }
      waiter?.resume()
    }
  }

  private static func takeWaiter(_ state: inout State) -> CheckedContinuation<Void, Never>? {
    defer { state.drained = nil }
    return state.drained
  }

  /// Takes the next event, if one waits.
  func next() -> Next {
    let (next, waiter) = state.withLock { state -> (Next, CheckedContinuation<Void, Never>?) in
      guard let event = state.unread.popFirst() else { return (state.hasEnded ? .ended : .nothing, nil) }
      guard state.unread.isEmpty, !state.hasEnded else { return (.event(event), nil) }
      var counter: eventfd_t = 0
      eventfd_read(descriptor, &counter)
      return (.event(event), Self.takeWaiter(&state))
    }
    waiter?.resume()
    return next
  }

  /// Makes the descriptor readable.
  private func signal() {
    eventfd_write(descriptor, 1)
  }
}
