internal import CSharedWorldHeaders
import BasicsLinux
import SharedWorld
import Synchronization

/// Events on their way to C, and a descriptor that is readable while some wait.
///
/// The next batch is taken from the session when the last one has been read, so the session's own bound holds. Events of
/// the library itself are bounded by ``Operations/limit`` and by those that put them, which wait until C has read them.
final class EventQueue: Sendable {
  /// The result of a look at the queue.
  enum Next {
    case event(Session.Event)
    indirect case own(OwnEvent)
    case nothing
    case ended
  }

  /// An event of the library, and who waits until C has taken it.
  private struct Entry {
    /// 0 for one that nobody takes back.
    let number: UInt64
    let event: OwnEvent
    let putter: CheckedContinuation<Bool, Never>?
  }

  private struct State {
    var unread: ArraySlice<Session.Event> = []
    var own: [Entry] = []
    /// The operations whose ends go to C threads that wait for them, past `own`.
    var claims: [UInt64: Handoff<OwnEvent>] = [:]
    /// Counts the entries.
    var last: UInt64 = 0
    /// The two kinds of events take turns.
    var isOwnNext = false
    /// Nothing may come behind what is here.
    var isClosed = false
    var hasEnded = false
    var drained: CheckedContinuation<Void, Never>?

    /// Whether the session's last event is the next of its events.
    var isAtEnd: Bool { unread.first?.isLast ?? false }
  }

  /// Readable while events wait.
  var descriptor: Int32 { wakeUp.descriptor }

  /// Waits until there may be an event.
  func wait() { _ = wakeUp.wait(for: .seconds(60)) }

  private let wakeUp: WakeUp
  private let state = Mutex(State())

  init() throws {
    do throws(SystemCallFailure) { wakeUp = try WakeUp() } catch {
      throw SessionError(.io, "no descriptor for events can be opened: \(error)", cause: error)
    }
  }

  // MARK: Events of the session

  /// Brings over the events of a session until it ends or the task is cancelled.
  func pump(_ session: Session, desk: Desk, operations: Operations) async {
    var iterator = session.events.makeAsyncIterator()
    while let batch = await iterator.nextBatch() {
      for event in batch { desk.take(event) }
      if let end = batch.firstIndex(where: \.isLast) {
        // Nothing follows it, also where the session had still something to tell.
        close(operations)
        if end > batch.startIndex { await deliver(Array(batch[..<end])) }
        // Connections and files are closed before C reads the end: it may stop the session then without waiting.
        await session.leave()
        await deliver([batch[end]])
        break
      }
      await deliver(batch)
    }
    close(operations)
    state.withLock { state in
      state.hasEnded = true
      wakeUp.signal()
    }
  }

  /// Ends what is open, and lets nothing in from now on.
  private func close(_ operations: Operations) {
    let end = Failure(SW_ENDED, "the session has ended; start a new one")
    operations.close { post(.done($0, end)) }
    state.withLock { $0.isClosed = true }
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
      let waiter = state.withLock { exchange(&$0.drained, with: nil) }
      waiter?.resume()
    }
  }

  // MARK: Events of the library

  /// The lines of the log that wait for C.
  static let logLimit = 64

  /// The events of the library that C has not taken, but for the log.
  var unread: Int { state.withLock { $0.own.count { $0.event.type != SW_EVENT_LOG } } }

  /// Adds an event of which there are few.
  func post(_ event: OwnEvent) { _ = add(Entry(number: 0, event: event, putter: nil)) }

  /// Adds a line of the log, in place of the oldest where too many wait.
  func post(log message: LogMessage) {
    state.withLock { state in
      guard !state.isClosed else { return }
      let lines = state.own.indices.filter { state.own[$0].event.type == SW_EVENT_LOG }
      if lines.count >= Self.logLimit, let oldest = lines.first { state.own.remove(at: oldest) }
      state.own.append(Entry(number: 0, event: .log(message), putter: nil))
      wakeUp.signal()
    }
  }

  /// Says that there is room again, unless C has not read that yet.
  func postRoom() {
    state.withLock { state in
      guard !state.isClosed, !state.own.contains(where: { $0.event.type == SW_EVENT_ROOM }) else { return }
      state.own.append(Entry(number: 0, event: OwnEvent(SW_EVENT_ROOM, 0), putter: nil))
      wakeUp.signal()
    }
  }

  /// Adds an event and waits until C has taken it.
  ///
  /// - Returns: false when it was not taken: the task was cancelled, or the session has ended.
  func put(_ event: OwnEvent) async -> Bool {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { putter in
        guard add(Entry(number: number, event: event, putter: putter)) else { return putter.resume(returning: false) }
        // It may have been cancelled before the event was there.
        if Task.isCancelled { withdraw(number) }
      }
    } onCancel: {
      withdraw(number)
    }
  }

  /// Adds an event, or gives it to the thread that waits for it; false when the session has ended.
  private func add(_ entry: Entry) -> Bool {
    state.withLock { state in
      if entry.event.type == SW_EVENT_DONE, let claim = state.claims.removeValue(forKey: entry.event.number) {
        claim.give(.success(entry.event))
        return true
      }
      guard !state.isClosed else { return false }
      state.own.append(entry)
      wakeUp.signal()
      return true
    }
  }

  /// Takes an event back that C has not taken.
  private func withdraw(_ number: UInt64) {
    let entry = state.withLock { state -> Entry? in
      guard let index = state.own.firstIndex(where: { $0.number == number }) else { return nil }
      defer { Self.quieten(wakeUp, state) }
      return state.own.remove(at: index)
    }
    entry?.putter?.resume(returning: false)
  }

  // MARK: Taking

  /// Takes the end of an operation for one thread: now if it is here, when it comes if the operation is open.
  ///
  /// - Returns: Where the end will be; nil if it will not come, or goes to another thread.
  func claim(_ operation: UInt64, isOpen: Bool) -> Handoff<OwnEvent>? {
    state.withLock { state in
      let end = Handoff<OwnEvent>()
      if let index = state.own.firstIndex(where: { $0.event.type == SW_EVENT_DONE && $0.event.number == operation }) {
        end.give(.success(state.own.remove(at: index).event))
        Self.quieten(wakeUp, state)
        return end
      }
      guard isOpen, state.claims[operation] == nil else { return nil }
      state.claims[operation] = end
      return end
    }
  }

  /// Takes the next event, if one waits.
  func next() -> Next {
    let (next, waiter, putter) = state.withLock {
      state -> (Next, CheckedContinuation<Void, Never>?, CheckedContinuation<Bool, Never>?) in
      defer { Self.quieten(wakeUp, state) }
      if let entry = state.own.first, state.isOwnNext || state.unread.isEmpty || state.isAtEnd {
        state.own.removeFirst()
        state.isOwnNext = false
        return (.own(entry.event), nil, entry.putter)
      }
      if state.isAtEnd { state.hasEnded = true }
      guard let event = state.unread.popFirst() else { return (state.hasEnded ? .ended : .nothing, nil, nil) }
      state.isOwnNext = true
      let isDrained = state.unread.isEmpty
      return (.event(event), isDrained ? exchange(&state.drained, with: nil) : nil, nil)
    }
    waiter?.resume()
    putter?.resume(returning: true)
    return next
  }

  /// Makes the descriptor unreadable where nothing waits.
  private static func quieten(_ wakeUp: WakeUp, _ state: State) {
    if state.unread.isEmpty, state.own.isEmpty, !state.hasEnded { wakeUp.reset() }
  }
}

extension Session.Event {
  /// Whether it says that the session is over.
  fileprivate var isLast: Bool { if case .ended = self { true } else { false } }
}
