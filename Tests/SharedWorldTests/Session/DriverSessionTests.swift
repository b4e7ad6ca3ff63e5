import TestSupport
import Testing

@testable import SharedWorld

/// Drivers of apps between real sessions: over TLS on sockets, and on a network in memory.
@Suite("Sessions with drivers", .endsHangs)
struct DriverSessionTests {
  enum Medium: CaseIterable { case tcp, memory }

  private typealias Maker = @Sendable (AuthenticationContext) -> any Authenticator

  private static func knowing(_ secret: String) -> Maker { { ProofDriver(secret: secret, context: $0) } }

  /// Runs `body` with two sessions and the place of the second one.
  private static func two(
    _ medium: Medium, _ first: Maker?, _ second: Maker?, passcode: String? = nil,
    timeout: Duration = .seconds(10), _ body: @Sendable (Session, Session, InvitationTarget) async throws -> Void
  ) async throws {
    var configuration = TestSessions.configuration()
    if medium == .memory { configuration.transport = .inMemory(try MemoryNetwork()) }
    configuration.authentication.passcode = try passcode.map { try Passcode($0) }
    configuration.authentication.authenticatorTimeout = timeout
    configuration.authentication.authenticator = first
    let settings = configuration
    configuration.authentication.authenticator = second
    let others = configuration
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: settings) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: others) { bob in
        let target = medium == .tcp ? bob.address : .address(MemoryNetworkCore.address(of: bob.port))
        try await body(alice, bob, target)
      }
    }
  }

  /// The next problem that a session tells of.
  private static func problem(of session: Session) async throws -> SessionError {
    try await session.first { if case .problem(let error) = $0 { error } else { nil } }
  }

  /// Invites where nobody gets in, and returns the errors of both sides.
  private static func refused(
    _ medium: Medium, _ first: Maker?, _ second: Maker?, timeout: Duration = .seconds(10)
  ) async throws -> (thrown: SessionError?, told: SessionError?) {
    let (errors, line) = AsyncStream.makeStream(of: (SessionError?, SessionError).self)
    try await two(medium, first, second, timeout: timeout) { alice, bob, target in
      let thrown = await #expect(throws: SessionError.self) { try await alice.peers.invite(target) }
      line.yield((thrown, try await problem(of: bob)))
      #expect(await alice.state.peers.isEmpty)
      #expect(await bob.state.peers.isEmpty)
    }
    for await (thrown, told) in errors { return (thrown, told) }
    return (nil, nil)
  }

  @Test(
    "two peers whose drivers know the same secret share a session, with a passcode or without",
    arguments: Medium.allCases, [nil, "sesame 1"])
  func joined(_ medium: Medium, passcode: String?) async throws {
    try await Self.two(medium, Self.knowing("s"), Self.knowing("s"), passcode: passcode) { alice, bob, target in
      #expect(try await alice.peers.invite(target) == bob.localPeer)
      let lamp = try await alice.place(Anchor(name: "lamp"))
      _ = try await bob.first { if case .anchorAdded(let anchor, _) = $0, anchor.id == lamp { true } else { nil } }
    }
  }

  @Test("a peer with another secret is not connected, and both sides have the reason", arguments: Medium.allCases)
  func wrongSecret(_ medium: Medium) async throws {
    let (thrown, told) = try await Self.refused(medium, Self.knowing("one"), Self.knowing("other"))
    #expect(thrown?.code == .authenticationFailed && told?.code == .authenticationFailed)
    #expect(thrown?.message.contains("wrong secret") == true)
    #expect(told?.message.contains("wrong secret") == true && told?.message.hasPrefix("alice") == true)
  }

  @Test("a peer without a driver and one with a driver are told what to do", arguments: [true, false])
  func required(firstHasOne: Bool) async throws {
    let driver = Self.knowing("s")
    let (thrown, told) = try await Self.refused(.tcp, firstHasOne ? driver : nil, firstHasOne ? nil : driver)
    #expect(thrown?.code == .driverRequired && told?.code == .driverRequired)
    #expect(thrown?.message.contains("authentication.authenticator") == true)
  }

  @Test("a driver that says nothing has so long, and what it still waits for is cancelled", arguments: Medium.allCases)
  func silent(_ medium: Medium) async throws {
    let (cancelled, line) = AsyncStream.makeStream(of: Void.self)
    let silent: Maker = { _ in
      ScriptedDriver {
        let never = AsyncStream.makeStream(of: Never.self)
        for await _ in never.stream {}
        line.yield()
        return .authenticated
      }
    }
    let (thrown, told) = try await Self.refused(medium, silent, Self.knowing("s"), timeout: .milliseconds(300))
    #expect(thrown?.code == .authenticationFailed && thrown?.message.contains("too long") == true)
    #expect(told?.code == .authenticationFailed && told?.message.contains("too long") == true)
    for await _ in cancelled { break }
  }

  @Test("a driver that sends too much at once is told so", arguments: Medium.allCases)
  func oversized(_ medium: Medium) async throws {
    let loud: Maker = { _ in ScriptedDriver { .send([UInt8](repeating: 0, count: 4_097)) } }
    let (thrown, told) = try await Self.refused(medium, loud, Self.knowing("s"))
    #expect(thrown?.code == .authenticationFailed && told?.code == .authenticationFailed)
    #expect(thrown?.message.contains("more than a handshake may carry") == true)
  }

  @Test("two drivers that never come to an end do so only as often as is allowed")
  func endless() async throws {
    let endless: Maker = { _ in
      ScriptedDriver {
        .send([1])
      } received: {
        .send($0)
      }
    }
    let (thrown, told) = try await Self.refused(.tcp, endless, endless)
    #expect(thrown?.code == .authenticationFailed && told?.code == .authenticationFailed)
  }

  @Test("a proof that was recorded on one connection is refused on another one")
  func replayed() async throws {
    let proofs = Proofs()
    // Bob connects to the thief, who records what he proves, and then uses it with Alice.
    let thief: Maker = { context in
      ScriptedDriver {
        guard let proof = await proofs.first else { return .wait }
        return .send(proof)
      } received: {
        // With the proof it needs this connection no longer.
        let isFirst = await proofs.first == nil
        await proofs.add($0)
        return isFirst ? .failed("recorded") : .authenticated
      }
    }
    try await Self.two(.tcp, Self.knowing("s"), thief) { _, thief, target in
      var configuration = TestSessions.configuration()
      configuration.authentication.authenticator = Self.knowing("s")
      try await Session.withSession(as: TestSessions.identity("carol"), configuration: configuration) { carol in
        _ = await #expect(throws: SessionError.self) { try await carol.peers.invite(target) }
        #expect(await proofs.first?.count == 32)
        let error = await #expect(throws: SessionError.self) { try await thief.peers.invite(carol.address) }
        #expect(error?.code == .authenticationFailed && error?.message.contains("wrong secret") == true)
        #expect(await carol.state.peers.isEmpty)
      }
    }
  }

  @Test("no other member can let in a peer that this driver refuses; the app is told once")
  func otherMember() async throws {
    let choosy: Maker = { context in
      ScriptedDriver { context.peer.name == "carol" ? .failed("not carol") : .authenticated }
    }
    let trusting: Maker = { _ in ScriptedDriver { .authenticated } }
    try await Self.two(.tcp, choosy, trusting) { alice, bob, target in
      _ = try await alice.peers.invite(target)
      var configuration = TestSessions.configuration()
      configuration.authentication.authenticator = trusting
      try await Session.withSession(as: TestSessions.identity("carol"), configuration: configuration) { carol in
        _ = try await bob.peers.invite(carol.address)
        let problem = try await Self.problem(of: alice)
        #expect(problem.code == .authenticationFailed && problem.message.contains("not carol"))
        let lamp = try await carol.place(Anchor(name: "lamp"))
        // The anchor comes through the other member, and there is no connection.
        for await case .change(let change) in alice.world.changes() where change.anchor.id == lamp { break }
        #expect(await alice.state.peers.filter(\.isDirect).map(\.peer) == [bob.localPeer])
      }
    }
  }

  @Test("a driver knows who is at the other end, which side has dialled, and whether the peer was there before")
  func context() async throws {
    let contexts = Contexts()
    let watching: Maker = { context in
      ScriptedDriver {
        await contexts.add(context)
        return .authenticated
      }
    }
    let network = try MemoryNetwork()
    var configuration = TestSessions.configuration()
    configuration.transport = .inMemory(network)
    configuration.authentication.authenticator = watching
    let settings = configuration
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: settings) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: settings) { bob in
        _ = try await alice.peers.invite(.address(MemoryNetworkCore.address(of: bob.port)))
        var events = bob.events.makeAsyncIterator()
        _ = try await events.first { if case .peerJoined = $0 { true } else { nil } }
        let first = await contexts.all
        #expect(first.count == 2 && first.allSatisfy { !$0.isResumed && $0.channelBinding.count == 32 })
        #expect(Set(first.map(\.channelBinding)).count == 1)
        let dialler = try #require(first.first { $0.isDialler })
        #expect(dialler.peer == bob.localPeer && dialler.localPeer == alice.localPeer)
        network.disconnect(alice, bob)
        try await until { await contexts.all.count >= 4 }
        let again = await contexts.all.dropFirst(2)
        #expect(again.allSatisfy { $0.isResumed })
        #expect(Set(again.map(\.channelBinding)).isDisjoint(with: first.map(\.channelBinding)))
      }
    }
  }
}

/// Proves that it knows a secret, for one connection and as the side that it is.
struct ProofDriver: Authenticator {
  let secret: String
  let context: AuthenticationContext

  mutating func opened() -> AuthenticationStep { .send(proof(byDialler: context.isDialler)) }

  mutating func received(_ data: [UInt8]) -> AuthenticationStep {
    data == proof(byDialler: !context.isDialler) ? .authenticated : .failed("wrong secret")
  }

  private func proof(byDialler isDialler: Bool) -> [UInt8] {
    SHA256Digest(hashing: Array(secret.utf8) + context.channelBinding + [isDialler ? 1 : 0]).bytes
  }
}

/// Does what its closures say.
private struct ScriptedDriver: Authenticator {
  private let open: @Sendable () async -> AuthenticationStep
  private let take: @Sendable ([UInt8]) async -> AuthenticationStep

  init(
    _ open: @escaping @Sendable () async -> AuthenticationStep,
    received take: @escaping @Sendable ([UInt8]) async -> AuthenticationStep = { _ in .wait }
  ) {
    (self.open, self.take) = (open, take)
  }

  func opened() async -> AuthenticationStep { await open() }
  func received(_ data: [UInt8]) async -> AuthenticationStep { await take(data) }
}

/// The proofs that somebody has recorded.
private actor Proofs {
  private(set) var first: [UInt8]?
  func add(_ proof: [UInt8]) { if first == nil { first = proof } }
}

/// The connections that drivers were made for.
private actor Contexts {
  private(set) var all: [AuthenticationContext] = []
  func add(_ context: AuthenticationContext) { all.append(context) }
}
