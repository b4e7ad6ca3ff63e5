import Distributed
import Foundation
import SharedWorld
import Synchronization

/// Names a distributed actor of a session: the peer that it lives at, and its name there.
struct SessionActorID: Hashable, Codable, Sendable {
  let peer: PeerID
  let name: String
}

/// Distributed actors (SE-0336) over the requests of a session.
///
/// A call of an actor at another peer is one request, and the session's promise is the call's: it runs at most once there,
/// and here it returns or throws exactly once, also while links break or the host dies. It throws a ``SessionError`` when
/// nobody knows whether it ran, and a ``CallFailure`` when it did and threw.
///
///     distributed actor Counter {
///       typealias ActorSystem = SessionActorSystem
///       distributed func add(_ number: Int) -> Int { … }
///     }
///     let system = SessionActorSystem(session)
///     let counter = system.named("counter") { Counter(actorSystem: system) }
///     // Elsewhere:
///     let theirs = try Counter.resolve(id: SessionActorID(peer: peer, name: "counter"), using: system)
///     let sum = try await theirs.add(1)
///
/// Calls wait until ``run()`` answers them.
final class SessionActorSystem: DistributedActorSystem {
  typealias ActorID = SessionActorID
  typealias SerializationRequirement = any Codable
  typealias InvocationEncoder = CallEncoder
  typealias InvocationDecoder = CallDecoder
  typealias ResultHandler = CallResult

  /// An actor that lives here, as long as the app holds it.
  private struct Resident {
    weak var actor: (any DistributedActor)?
  }

  /// The name of the actor that is being made.
  @TaskLocal private static var givenName: String?
  private static let endpoint = "actors"

  private let session: Session
  private let timeout: Duration
  /// From the beginning, so that no call comes before somebody answers.
  private let calls: RequestStream<Call>
  private let residents = Mutex<[SessionActorID: Resident]>([:])

  /// - Parameter timeout: How long a call may take, the way there and back included.
  init(_ session: Session, timeout: Duration = .seconds(10)) {
    (self.session, self.timeout) = (session, timeout)
    calls = session.messages.requests(Call.self, at: Self.endpoint)
  }

  /// Makes an actor that others find by this name; without one it has a name that only its references know.
  func named<Act: DistributedActor>(_ name: String, _ make: () -> Act) -> Act {
    Self.$givenName.withValue(name, operation: make)
  }

  /// Answers the calls of others until the session has ended or the task is cancelled.
  func run() async {
    await calls.answer { question in try await self.answer(question.object) }
  }

  // MARK: Actors

  func assignID<Act: DistributedActor>(_ type: Act.Type) -> SessionActorID where Act.ID == SessionActorID {
    SessionActorID(peer: session.localPeer.id, name: Self.givenName ?? UUID().uuidString)
  }

  func actorReady<Act: DistributedActor>(_ actor: Act) where Act.ID == SessionActorID {
    residents.withLock { $0[actor.id] = Resident(actor: actor) }
  }

  func resignID(_ id: SessionActorID) {
    residents.withLock { $0[id] = nil }
  }

  func resolve<Act: DistributedActor>(id: SessionActorID, as type: Act.Type) throws -> Act?
  where Act.ID == SessionActorID {
    // An actor of another peer is a proxy, whether it lives or not: the call finds out.
    guard id.peer == session.localPeer.id else { return nil }
    guard let actor = resident(id) as? Act else {
      throw CallFailure("unknown-actor", "no actor '\(id.name)' lives here")
    }
    return actor
  }

  private func resident(_ id: SessionActorID) -> (any DistributedActor)? {
    residents.withLock { $0[id]?.actor }
  }

  // MARK: Calls

  func makeInvocationEncoder() -> CallEncoder { CallEncoder() }

  func remoteCall<Act: DistributedActor, Err: Error, Res: Codable>(
    on actor: Act, target: RemoteCallTarget, invocation: inout CallEncoder, throwing: Err.Type, returning: Res.Type
  ) async throws -> Res where Act.ID == SessionActorID {
    try JSONDecoder().decode(Res.self, from: try await call(actor.id, target, invocation))
  }

  func remoteCallVoid<Act: DistributedActor, Err: Error>(
    on actor: Act, target: RemoteCallTarget, invocation: inout CallEncoder, throwing: Err.Type
  ) async throws where Act.ID == SessionActorID {
    _ = try await call(actor.id, target, invocation)
  }

  private func call(_ id: SessionActorID, _ target: RemoteCallTarget, _ invocation: CallEncoder) async throws -> Data {
    let call = Call(
      actor: id.name, target: target.identifier, generics: invocation.generics, arguments: invocation.arguments)
    let reply = try await session.messages.request(
      call, from: id.peer, at: Self.endpoint, expecting: Reply.self, timeout: timeout)
    switch reply {
    case .returned(let value): return value
    case .threw(let failure): throw failure
    }
  }

  private func answer(_ call: Call) async throws -> Reply {
    let id = SessionActorID(peer: session.localPeer.id, name: call.actor)
    guard let actor = resident(id) else {
      return .threw(CallFailure("unknown-actor", "no actor '\(call.actor)' lives at \(session.localPeer.name)"))
    }
    let result = CallResult()
    var decoder = CallDecoder(call)
    do {
      try await executeDistributedTarget(
        on: actor, target: RemoteCallTarget(call.target), invocationDecoder: &decoder, handler: result)
    } catch {
      return .threw(CallFailure("unknown-function", "\(call.actor) has no function of this name and these types"))
    }
    return result.reply
  }
}

/// What an actor of another peer threw, in words: types of errors are the app's own.
struct CallFailure: Error, Hashable, Codable, Sendable {
  let code: String
  let message: String

  init(_ code: String, _ message: String) { (self.code, self.message) = (code, message) }
}

/// A call as it travels.
private struct Call: Codable, Sendable {
  let actor: String
  let target: String
  let generics: [String]
  let arguments: [Data]
}

/// The result of a call as it travels.
private enum Reply: Codable, Sendable {
  case returned(Data)
  case threw(CallFailure)
}

/// Writes the arguments of a call.
struct CallEncoder: DistributedTargetInvocationEncoder {
  typealias SerializationRequirement = any Codable

  fileprivate private(set) var generics: [String] = []
  fileprivate private(set) var arguments: [Data] = []

  mutating func recordGenericSubstitution<Argument>(_ type: Argument.Type) throws {
    guard let name = _mangledTypeName(type) else {
      throw CallFailure("unnamed-type", "\(type) has no name that another process knows")
    }
    generics.append(name)
  }

  mutating func recordArgument<Value: Codable>(_ argument: RemoteCallArgument<Value>) throws {
    arguments.append(try JSONEncoder().encode(argument.value))
  }

  // The other side knows the types from the function.
  mutating func recordReturnType<Result: Codable>(_ type: Result.Type) throws {}
  mutating func recordErrorType<Failure: Error>(_ type: Failure.Type) throws {}
  mutating func doneRecording() throws {}
}

/// Reads the arguments of a call.
struct CallDecoder: DistributedTargetInvocationDecoder {
  typealias SerializationRequirement = any Codable

  private let generics: [String]
  private var arguments: ArraySlice<Data>

  fileprivate init(_ call: Call) { (generics, arguments) = (call.generics, call.arguments[...]) }

  mutating func decodeGenericSubstitutions() throws -> [Any.Type] {
    try generics.map { name in
      guard let type = _typeByName(name) else { throw CallFailure("unknown-type", "there is no type '\(name)' here") }
      return type
    }
  }

  mutating func decodeNextArgument<Argument: Codable>() throws -> Argument {
    guard let next = arguments.popFirst() else {
      throw CallFailure("missing-argument", "the call has too few arguments")
    }
    return try JSONDecoder().decode(Argument.self, from: next)
  }

  mutating func decodeErrorType() throws -> (any Any.Type)? { nil }
  mutating func decodeReturnType() throws -> (any Any.Type)? { nil }
}

/// Keeps the result of a call until it is sent.
final class CallResult: DistributedTargetInvocationResultHandler {
  typealias SerializationRequirement = any Codable

  private let result = Mutex<Reply>(.returned(Data()))

  fileprivate var reply: Reply { result.withLock { $0 } }

  func onReturn<Success: Codable>(value: Success) async throws { set(.returned(try JSONEncoder().encode(value))) }
  func onReturnVoid() async throws { set(.returned(Data())) }
  func onThrow<Err: Error>(error: Err) async throws {
    set(.threw(error as? CallFailure ?? CallFailure("threw", "\(error)")))
  }

  private func set(_ reply: Reply) { result.withLock { $0 = reply } }
}
