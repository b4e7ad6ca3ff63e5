import BasicsLinux
import SharedWorld
import Synchronization

/// Events on their way to C, and a descriptor that is readable while some wait.
///
/// The next batch is taken from the session when the last one has been read, so the session's own bound holds.
final class EventQueue: Sendable {
  /// The result of a look at the queue.
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

  /// Readable while events wait.
  var descriptor: Int32 { wakeUp.descriptor }

  private let wakeUp: WakeUp
  private let state = Mutex(State())

  init() throws {
    do throws(SystemCallFailure) { wakeUp = try WakeUp() } catch {
      throw SessionError(.io, "no descriptor for events can be opened: \(error)", cause: error)
    }
  }

  /// Brings over the events of a session until it ends or the task is cancelled.
  func pump(_ events: Session.Events, desk: Desk) async {
    var iterator = events.makeAsyncIterator()
    while let batch = await iterator.nextBatch() {
      for event in batch { Self.tell(desk, event) }
      await deliver(batch)
    }
    state.withLock { state in
      state.hasEnded = true
      wakeUp.signal()
    }
  }

  private static func tell(_ desk: Desk, _ event: Session.Event) {
    if case .invitationReceived(let invitation) = event { desk.invitations?.announce(invitation.peer.id) }
    if case .invitationEnded(let peer) = event { desk.invitations?.withdraw(peer.id) }
    if case .codeShown(let comparison) = event { desk.codes?.announce(comparison.peer.id) }
    if case .codeEnded(let peer, _) = event { desk.codes?.withdraw(peer.id) }
  }

  private func deliver(_ batch: [Session.Event]) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          state.unread = batch[...]
          wakeUp.signal()
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
      wakeUp.reset()
      return (.event(event), Self.takeWaiter(&state))
    }
    waiter?.resume()
    return next
  }
}
