import Distributed
import Foundation
import SharedWorld
import Synchronization
import TestSupport
import Testing

@Suite("Distributed actors over requests", .endsHangs)
struct SessionActorSystemTests {
  /// An actor that remembers every call of it.
  distributed actor Ledger {
    typealias ActorSystem = SessionActorSystem

    struct Overdrawn: Error {}

    private var balance = 0
    private var booked: [Int] = []

    distributed func book(_ number: Int, as id: Int) throws -> Int {
      booked.append(id)
      guard balance + number >= 0 else { throw Overdrawn() }
      balance += number
      return balance
    }

    distributed func clear() { balance = 0 }

    distributed func echo<Value: Codable & Sendable>(_ value: Value) -> [Value] { [value] }

    distributed var calls: [Int] { booked }
  }

  /// How the calls ended.
  private final class Ends: Sendable {
    private let ends = Mutex<[Int: Bool]>([:])

    var all: [Int: Bool] { ends.withLock { $0 } }

    /// Whether it is the first end of this call.
    func note(_ call: Int, hasReturned: Bool) -> Bool {
      ends.withLock { $0.updateValue(hasReturned, forKey: call) == nil }
    }
  }

  private static func configuration(_ network: MemoryNetwork) -> Session.Configuration {
    var configuration = Session.Configuration(service: "swactors")
    configuration.transport = .inMemory(network)
    configuration.invitations.incoming = .all
    configuration.invitations.outgoing = .all
    return configuration
  }

  /// Runs `body` with systems of three peers, each with a ledger, whose calls are answered.
  private static func systems(
    _ network: MemoryNetwork,
    _ body: @Sendable @escaping ([(session: Session, system: SessionActorSystem)]) async throws -> Void
  ) async throws {
    func add(_ others: [(session: Session, system: SessionActorSystem)]) async throws {
      guard others.count < 3 else {
        for one in others {
          var events = one.session.events.makeAsyncIterator()
          while await one.session.state.peers.count(where: { $0.state == .connected }) < 2 { _ = await events.next() }
        }
        return try await body(others)
      }
      try await Peers.named("peer \(others.count)", configuration(network)) { session in
        let system = SessionActorSystem(session)
        let ledger = system.named("ledger") { Ledger(actorSystem: system) }
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { await system.run() }
          try await add(others + [(session, system)])
          group.cancelAll()
        }
        withExtendedLifetime(ledger) {}
      }
    }
    try await add([])
  }

  private static func ledger(of session: Session, for system: SessionActorSystem) throws -> Ledger {
    try Ledger.resolve(id: SessionActorID(peer: session.localPeer.id, name: "ledger"), using: system)
  }

  @Test("a call returns what the actor returns, and throws what it throws, generic and without a result too")
  func call() async throws {
    try await Self.systems(MemoryNetwork()) { peers in
      let theirs = try Self.ledger(of: peers[1].session, for: peers[0].system)
      #expect(try await theirs.book(5, as: 1) == 5)
      #expect(try await theirs.book(2, as: 2) == 7)
      #expect(try await theirs.echo("hello") == ["hello"])
      #expect(try await theirs.echo([1.5]) == [[1.5]])
      try await theirs.clear()
      let failure = await #expect(throws: CallFailure.self) { try await theirs.book(-1, as: 3) }
      #expect(failure?.code == "threw" && failure?.message.contains("Overdrawn") == true)
      #expect(try await theirs.calls == [1, 2, 3])
      // The caller's own ledger is another one.
      #expect(try await Self.ledger(of: peers[0].session, for: peers[0].system).calls == [])
    }
  }

  @Test("an actor that nobody has is told by its peer, and one of a stranger by the session")
  func unknown() async throws {
    try await Self.systems(MemoryNetwork()) { peers in
      let id = SessionActorID(peer: peers[1].session.localPeer.id, name: "nobody")
      let nobody = try Ledger.resolve(id: id, using: peers[0].system)
      let failure = await #expect(throws: CallFailure.self) { try await nobody.clear() }
      #expect(failure?.code == "unknown-actor")
      let stranger = SessionActorID(peer: PeerID(SHA256Digest(hashing: [7])), name: "ledger")
      let far = try Ledger.resolve(id: stranger, using: peers[0].system)
      await #expect(throws: SessionError.self) { try await far.clear() }
    }
  }

  @Test("under cuts, and while the host leaves, each call ends once and runs at most once")
  func cuts() async throws {
    let network = try MemoryNetwork(seed: 3, delay: .zero ... .milliseconds(3))
    try await Self.systems(network) { peers in
      let (caller, callee, host) = (peers[1], peers[2], peers[0])
      let theirs = try Self.ledger(of: callee.session, for: caller.system)
      let ends = Ends()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for id in 0..<60 {
          group.addTask {
            let hasReturned = (try? await theirs.book(1, as: id)) != nil
            #expect(ends.note(id, hasReturned: hasReturned))
          }
          if id.isMultiple(of: 12) { network.disconnect(caller.session, callee.session) }
          if id == 30 { await host.session.leave() }
        }
        try await group.waitForAll()
      }
      let calls = try await theirs.calls
      #expect(ends.all.count == 60)
      let returned = ends.all.filter(\.value).keys
      #expect(Set(calls).count == calls.count && Set(returned).isSubset(of: calls) && !returned.isEmpty)
    }
  }
}
