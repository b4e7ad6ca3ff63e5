import AnchorReplication
import Synchronization
import WorldModel

/// The unread events of one reader.
///
/// Updates of anchors are only noted: whoever reads them has the source look the anchors up.
final class EventMailbox: Sendable {
  private typealias Waiter = CheckedContinuation<[Session.Event]?, Never>

  private struct State {
    var backlog = EventBacklog()
    var waiter: Waiter?
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let source: AnchorSource

  init(source: AnchorSource) {
    self.source = source
  }

  // MARK: Writing

  func put(_ events: [Session.Event]) {
    let wake = state.withLock { state in
      for event in events { state.backlog.append(event) }
      return Self.wake(&state)
    }
    wake?.waiter.resume(returning: wake?.events)
  }

  /// Adds what happened to anchors, in order; `anchors` holds them as they are after all of it, and `whole` gives the events
  /// of a change besides an update.
  func put(
    _ changes: [AnchorReplication.AnchorChange], in anchors: borrowing AnchorSet,
    whole: (AnchorReplication.AnchorChange) -> [Session.Event]
  ) {
    let wake = state.withLock { state in
      // Whoever waits has read everything: for it nothing is noted and looked up again.
      let isRead = state.waiter != nil && state.backlog.isEmpty
      // Anchors that came and went at once: nothing is left of them to be told before their end.
      var gone: Set<AnchorID> = []
      for index in changes.indices {
        guard case .updated(let fields) = changes.span[index].kind else {
          let events = whole(changes[index])
          if events.isEmpty { gone.insert(changes[index].id) }
          for event in events { state.backlog.append(event) }
          continue
        }
        if fields.hasLock { for event in whole(changes[index]) { state.backlog.append(event) } }
        let id = changes.span[index].id
        guard fields.hasOthers, gone.isEmpty || !gone.contains(id) else { continue }
        let origin = changes.span[index].origin
        if !isRead {
          state.backlog.note(AnchorUpdate(id, origin: origin))
        } else if let slot = anchors.slot(showing: id) {
          state.backlog.append(anchors.anchor(at: slot), origin: origin)
        }
      }
      return Self.wake(&state) { anchors.event(of: $0) }
    }
    wake?.waiter.resume(returning: wake?.events)
  }

  /// Gives everything unread to who waits for it.
  func deliver(from anchors: borrowing AnchorSet) {
    let wake = state.withLock { state in Self.wake(&state) { anchors.event(of: $0) } }
    wake?.waiter.resume(returning: wake?.events)
  }

  /// Looks up what is noted, because the anchors go.
  func settle(from anchors: borrowing AnchorSet) {
    state.withLock { state in state.backlog.settle { anchors.event(of: $0) } }
  }

  func end() {
    let (waiter, events) = state.withLock { state -> (Waiter?, [Session.Event]?) in
      state.hasEnded = true
      guard let waiter = exchange(&state.waiter, with: nil) else { return (nil, nil) }
      return (waiter, state.backlog.isEmpty ? nil : state.backlog.drain())
    }
    waiter?.resume(returning: events)
  }

  // MARK: Reading

  /// Everything unread, waiting for the first event if there is none; nil after the end or when the task is cancelled.
  func take() async -> [Session.Event]? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (ready, isNoted) = state.withLock { state -> ([Session.Event]??, Bool) in
          let isNoted = state.backlog.hasNotes
          if !isNoted, !state.backlog.isEmpty { return (.some(state.backlog.drain()), false) }
          if !isNoted && state.hasEnded || Task.isCancelled || state.waiter != nil { return (.some(nil), false) }
          state.waiter = continuation
          return (nil, isNoted)
        }
        if let ready { continuation.resume(returning: ready) }
        if isNoted { source.serve(self) }
      }
    } onCancel: {
      let waiter = state.withLock { exchange(&$0.waiter, with: nil) }
      waiter?.resume(returning: nil)
    }
  }

  /// Who waits and what it gets, if there is something; to be resumed once the lock is free.
  ///
  /// Without a look at the anchors nothing that is noted can be given: then the source was asked for it and comes to this.
  private static func wake(_ state: inout State) -> (waiter: Waiter, events: [Session.Event])? {
    state.backlog.hasNotes ? nil : wake(&state) { _ in nil }
  }

  private static func wake(
    _ state: inout State, _ look: (AnchorUpdate) -> Session.Event?
  ) -> (waiter: Waiter, events: [Session.Event])? {
    guard !state.backlog.isEmpty, let waiter = exchange(&state.waiter, with: nil) else { return nil }
    return (waiter, state.backlog.drain(look))
  }
}

extension AnchorSet {
  /// What a reader is told of an update: the anchor as it is now; nil for one that is gone.
  fileprivate func event(of update: AnchorUpdate) -> Session.Event? {
    guard let slot = slot(showing: update.anchor) else { return nil }
    return .anchorUpdated(anchor(at: slot), origin: update.origin)
  }
}
