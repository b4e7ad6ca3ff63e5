import Dispatch
import SharedWorld
import Synchronization

/// A session that lives from a C call to another, and does what C threads ask of it.
final class RunningSession: Sendable {
  private typealias Request = @Sendable (Session) async -> Void

  let port: UInt16
  let events: EventQueue
  /// Holds questions until C answers them.
  let desk: Desk
  private let requests: AsyncStream<Request>.Continuation
  private let end: Handoff<Void>

  /// Starts a session and waits until it listens.
  init(_ identity: PeerIdentity, _ configuration: Session.Configuration, desk: Desk) throws {
    let events = try EventQueue()
    let (stream, requests) = AsyncStream.makeStream(of: Request.self)
    let start = Handoff<UInt16>()
    let end = Handoff<Void>()
    // C has no task that could be the parent: this is a root, as `main` is one, and `stop` waits for it.
    Task {
      do {
        try await Session.withSession(as: identity, configuration: configuration) { session in
          start.give(.success(session.port))
          await Self.serve(session, stream, events, desk)
        }
      } catch {
        start.give(.failure(error))
      }
      end.give(.success(()))
    }
    port = try start.wait()
    self.events = events
    self.desk = desk
    self.requests = requests
    self.end = end
  }

  private static func serve(
    _ session: Session, _ requests: AsyncStream<Request>, _ events: EventQueue, _ desk: Desk
  ) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await events.pump(session.events, desk: desk) }
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

  /// Ends the session and waits until nothing of it runs.
  func stop() throws {
    requests.finish()
    try end.wait()
  }
}

/// A result that a task gives, once, and a thread waits for.
private final class Handoff<R: Sendable>: Sendable {
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

/// The questions that wait for C.
struct Desk: Sendable {
  /// Invitations; nil when C is not asked.
  var invitations: PendingAnswers<InvitationDecision>?
  /// Codes; nil when C shows none.
  var codes: PendingAnswers<Bool>?
}
