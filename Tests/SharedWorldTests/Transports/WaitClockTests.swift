import Synchronization
import TestSupport
import Testing

@testable import PeerTransport
@testable import SharedWorld

@Suite("The clock of what waits", .endsHangs)
struct WaitClockTests {
  /// What a session waits for, and another app never does.
  enum Wait: CaseIterable {
    case invitation, request, stream, ownership
  }

  @Test("16 seconds end before 24, whatever waits: both are those of the network", arguments: Wait.allCases)
  func order(of wait: Wait) async throws {
    // 24 of its seconds are twelve of the machine: 16 of these end later. Four of these, either way, are for a busy machine. With a
    // faster network that would lose links.
    let network = try MemoryNetwork(speed: 2)
    var silent = Session.Configuration(service: "swtest")
    silent.transport = .inMemory(network)
    let hasCome = Mutex(false)
    let isCarolHere: @Sendable () -> Bool = { hasCome.withLock { $0 } }
    silent.invitations.incoming = .ask { invitation in
      if invitation.peer.name == "carol" {
        hasCome.withLock { $0 = true }
        await Self.never()
      }
      return .accept
    }
    silent.ownershipHandler = { _ in
      await Self.never()
      return false
    }
    let configuration = silent
    let names = ["alice", "bob", "carol"]
    let identities = try names.map { try TestSessions.identity($0) }
    try await Session.withSession(as: identities[0], configuration: configuration) { alice in
      try await Session.withSession(as: identities[1], configuration: configuration) { bob in
        try await Session.withSession(as: identities[2], configuration: configuration) { carol in
          _ = try await alice.peers.invite(bob.address)
          let streams = bob.streams.incoming(named: "log")
          let questions = bob.messages.requests(String.self)
          let lamp = try await bob.place(Anchor(name: "lamp"))
          _ = try await bob.world.requestOwnership(of: lamp)
          for await element in alice.world.changes() {
            if case .change(let change) = element, change.anchor.id == lamp { break }
          }
          let before = await alice.rounds
          let ended = try await withThrowingTaskGroup(of: Duration.self) { group in
            group.addTask { await Self.ask(bob, from: alice, for: .seconds(24)) }
            group.addTask { await Self.end(of: wait, at: alice, bob, carol, lamp, isCarolHere: isCarolHere) }
            return try await group.reduce(into: []) { $0.append($1) }
          }
          #expect(ended == [.seconds(16), .seconds(24)])
          // A timer that is set by one clock and looked at by another fires again and again: a hundred times as many.
          #expect(await alice.rounds - before < 20_000)
          withExtendedLifetime((streams, questions)) {}
        }
      }
    }
  }

  /// Waits for 16 seconds that end.
  private static func end(
    of wait: Wait, at alice: Session, _ bob: Session, _ carol: Session, _ lamp: AnchorID,
    isCarolHere: @Sendable () -> Bool
  ) async -> Duration {
    let limit = Duration.seconds(16)
    let expected: SessionError.Code
    let error: SessionError?
    switch wait {
    case .request: return await ask(bob, from: alice, for: limit)
    case .invitation:
      error = await #expect(throws: SessionError.self) { try await carol.peers.invite(bob.address, timeout: limit) }
      // A busy machine may take more than these to connect.
      expected = isCarolHere() ? .invitationTimedOut : .unreachable
    case .stream:
      expected = .requestTimedOut
      error = await #expect(throws: SessionError.self) {
        try await alice.streams.open(named: "log", to: bob.localPeer.id, timeout: limit)
      }
    case .ownership:
      expected = .notAcknowledged
      error = await #expect(throws: SessionError.self) {
        try await alice.world.requestOwnership(of: lamp, timeout: limit)
      }
    }
    #expect(error?.code == expected)
    return limit
  }

  /// Asks a peer that does not answer.
  private static func ask(_ peer: Session, from session: Session, for limit: Duration) async -> Duration {
    let error = await #expect(throws: SessionError.self) {
      try await session.messages.request(
        "?", from: peer.localPeer.id, at: "quiz", expecting: String.self, timeout: limit)
    }
    #expect(error?.code == .requestTimedOut)
    return limit
  }

  private static func never() async {
    for await _ in AsyncStream(Never.self, { _ in }) {}
  }
}

extension Session {
  /// How many rounds its loop has made.
  fileprivate var rounds: UInt64 { loop.rounds }
}
