internal import CSharedWorldHeaders
import Dispatch
import Glibc
import SharedWorld
import Synchronization

/// A session that lives from a C call to another, and does what C threads ask of it.
final class RunningSession: HandleObject {
  static let word = "a session"

  private typealias Request = @Sendable (Session) async -> Void

  let session: Session
  let events: EventQueue
  /// Holds questions until C answers them.
  let desk: Desk
  let operations: Operations
  private let requests: AsyncStream<Request>.Continuation
  private let over: Handoff<Void>
  /// The code of the room, for C; written once.
  nonisolated(unsafe) let code: UnsafeMutablePointer<CChar>?

  private init(
    _ session: Session, events: EventQueue, desk: Desk, operations: Operations,
    requests: AsyncStream<Request>.Continuation, over: Handoff<Void>
  ) {
    self.session = session
    self.events = events
    self.desk = desk
    self.operations = operations
    self.requests = requests
    self.over = over
    code = session.code.map(copyText)
  }

  deinit {
    free(code)
  }

  /// Begins to start a session; never waits.
  ///
  /// - Parameter told: Receives the session once it listens, or the reason why it cannot. It returns false when nobody wants
  ///   the session, which ends then.
  static func start(
    _ identity: PeerIdentity, _ configuration: Session.Configuration, desk: Desk,
    told: @escaping @Sendable (Result<RunningSession, any Error>) -> Bool
  ) throws {
    let (events, operations, over) = (try EventQueue(), Operations(), Handoff<Void>())
    desk.questions.begin(with: events)
    let (stream, requests) = AsyncStream.makeStream(of: Request.self)
    var configuration = configuration
    if let level = desk.log {
      configuration.log = { if $0.level.number <= level { events.post(log: $0) } }
    }
    let configured = configuration
    // C has no task that could be the parent: this is a root, as `main` is one, and `stop` waits for it.
    Task {
      do {
        try await Session.withSession(as: identity, configuration: configured) { session in
          await session.setOnRoom { events.postRoom() }
          let running = RunningSession(
            session, events: events, desk: desk, operations: operations, requests: requests, over: over)
          guard told(.success(running)) else { return }
          await serve(session, stream) { await events.pump($0, desk: desk, operations: operations) }
        }
      } catch {
        _ = told(.failure(error))
      }
      over.give(.success(()))
    }
  }

  private static func serve(
    _ session: Session, _ requests: AsyncStream<Request>, _ pump: @escaping @Sendable (Session) async -> Void
  ) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await pump(session) }
      for await request in requests { group.addTask { await request(session) } }
      group.cancelAll()
    }
  }

  /// Lets the session run `body` and waits for what comes of it; never call it from a task.
  func wait<R: Sendable>(for body: @escaping @Sendable (Session) async throws -> R) throws -> R {
    let answer = Handoff<R>()
    let yielded = requests.yield { session in
      do {
        answer.give(.success(try await body(session)))
      } catch {
        answer.give(.failure(error))
      }
    }
    guard case .enqueued = yielded else { throw SessionError(.ended, "the session has been stopped") }
    return try answer.wait()
  }

  /// Lets the session begin `body`, and tells C of its end by SW_EVENT_DONE.
  ///
  /// - Returns: The number of the operation.
  func begin(
    _ body: @escaping @Sendable (Session, inout OwnEvent) async throws -> Void
  ) throws -> UInt64 {
    try open { [operations, events] session, start in
      let done = await Operations.run(start) {
        var done = OwnEvent(SW_EVENT_DONE, start.number)
        do { try await body(session, &done) } catch { done.fail(error) }
        return done
      }
      operations.end(start.number) { events.post(done) }
    }
  }

  /// Lets the session run `body` until C cancels that or the session ends.
  ///
  /// - Returns: The number of the subscription.
  func subscribe(_ body: @escaping @Sendable (Session, UInt64) async -> Void) throws -> UInt64 {
    try open(isSubscription: true) { [operations] session, start in
      await Operations.run(start) { await body(session, start.number) }
      operations.end(start.number) {}
    }
  }

  private func open(
    isSubscription: Bool = false, _ body: @escaping @Sendable (Session, Operations.Start) async -> Void
  ) throws -> UInt64 {
    let start = try operations.begin(unread: events.unread, isSubscription: isSubscription)
    let yielded = requests.yield { session in await body(session, start) }
    guard case .enqueued = yielded else {
      operations.end(start.number) {}
      throw SessionError(.ended, "the session has been stopped")
    }
    return start.number
  }

  /// Lets the session run `body` beside all else, until it is over or the session ends, which cancels it.
  ///
  /// - Returns: false when the session has been stopped.
  func run(_ body: @escaping @Sendable () async -> Void) -> Bool {
    guard case .enqueued = requests.yield({ _ in await body() }) else { return false }
    return true
  }

  /// Begins to leave.
  func leave() throws {
    let yielded = requests.yield { session in await session.leave() }
    guard case .enqueued = yielded else { throw SessionError(.ended, "the session has been stopped") }
  }

  /// Ends the session in the background.
  func end() { requests.finish() }

  /// Ends the session and waits until nothing of it runs.
  func stop() {
    end()
    // Never a failure.
    try? over.wait()
  }
}

/// A result that a task gives, once, and a thread waits for.
final class Handoff<R: Sendable>: Sendable {
  private let result = Mutex<Result<R, any Error>?>(nil)
  private let ready = DispatchSemaphore(value: 0)

  func give(_ result: Result<R, any Error>) {
    self.result.withLock { $0 = $0 ?? result }
    ready.signal()
  }

  func wait() throws -> R {
    while true {
      if let result = result.withLock({ $0 }) { return try result.get() }
      ready.wait()
    }
  }
}
