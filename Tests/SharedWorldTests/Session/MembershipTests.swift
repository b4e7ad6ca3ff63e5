import SharedWorld
import TestSupport
import Testing

@Suite("Session membership", .endsHangs)
struct MembershipTests {
  /// Waits until `session` follows this host.
  private func waitForHost(_ host: PeerID, at session: Session) async throws {
    // Before the question: what happens behind it must not be missed.
    var events = session.events.makeAsyncIterator()
    if await session.state.host?.id == host { return }
    _ = try await events.first { if case .hostChanged(_, let next?, _, _) = $0, next.id == host { true } else { nil } }
  }

  /// Runs `body` with a session that hosts itself and one that it then invites.
  private func hosted(_ body: @Sendable (Session, Session) async throws -> Void) async throws {
    try await TestSessions.two { alice, bob in
      try await waitForHost(alice.localPeer.id, at: alice)
      _ = try await alice.peers.invite(bob.address)
      try await body(alice, bob)
    }
  }

  private func waitForLock(_ session: Session) async throws {
    var events = session.events.makeAsyncIterator()
    if await session.state.isLocked { return }
    _ = try await events.first { if case .lockChanged(true) = $0 { true } else { nil } }
  }

  @Test("the host locks the session: a newcomer is refused with the code locked, and comes in once it is opened")
  func lockRefusesNewcomers() async throws {
    try await hosted { alice, bob in
      try await alice.peers.lock()
      try await waitForLock(bob)
      try await Session.withSession(as: TestSessions.identity("carol"), configuration: TestSessions.configuration()) {
        carol in
        for inside in [alice, bob] {
          let error = await #expect(throws: SessionError.self) { try await carol.peers.invite(inside.address) }
          #expect(error?.code == .locked)
          let other = await #expect(throws: SessionError.self) { try await inside.peers.invite(carol.address) }
          #expect(other?.code == .locked)
        }
        try await alice.peers.unlock()
        #expect(try await carol.peers.invite(alice.address) == alice.localPeer)
      }
    }
  }

  @Test("only the host locks and removes")
  func onlyTheHostRules() async throws {
    try await hosted { alice, bob in
      try await waitForHost(alice.localPeer.id, at: bob)
      let lock = await #expect(throws: SessionError.self) { try await bob.peers.lock() }
      let kick = await #expect(throws: SessionError.self) { try await bob.peers.remove(alice.localPeer.id) }
      #expect(lock?.code == .notHost && kick?.code == .notHost)
    }
  }

  @Test("who is removed is told so, and cannot join the session again under the same identity")
  func removedPeerStaysOut() async throws {
    let bobs = try TestSessions.identity("bob")
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: TestSessions.configuration()) {
      alice in
      try await waitForHost(alice.localPeer.id, at: alice)
      try await Session.withSession(as: bobs, configuration: TestSessions.configuration()) { bob in
        _ = try await alice.peers.invite(bob.address)
        try await alice.peers.remove(bob.localPeer.id)
        let reason = try await bob.first { if case .ended(let reason) = $0 { reason } else { nil } }
        #expect(reason == .kicked)
      }
      try await Session.withSession(as: bobs, configuration: TestSessions.configuration()) { bob in
        let error = await #expect(throws: SessionError.self) { try await bob.peers.invite(alice.address) }
        #expect(error?.code == .declined)
        #expect(await alice.state.peers.isEmpty)
      }
    }
  }

  @Test("a session takes no more peers than its limit")
  func limitHolds() async throws {
    var small = TestSessions.configuration()
    small.limits.members = 2
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: small) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: TestSessions.configuration()) {
        bob in
        _ = try await alice.peers.invite(bob.address)
        try await Session.withSession(as: TestSessions.identity("carol"), configuration: TestSessions.configuration()) {
          carol in
          let error = await #expect(throws: SessionError.self) { try await carol.peers.invite(alice.address) }
          #expect(error?.code == .limitExceeded)
        }
        #expect(await alice.state.memberLimit == 2)
      }
    }
  }

  @Test("statistics name the connections of the session and what the own ones carry")
  func statisticsShowConnections() async throws {
    try await TestSessions.joined { alice, bob in
      let statistics = await alice.peers.statistics
      let ids = [alice.localPeer.id, bob.localPeer.id].sorted()
      #expect(statistics.connections.map(\.one) == [ids[0]] && statistics.connections.map(\.other) == [ids[1]])
      #expect(statistics.links.map(\.peer) == [bob.localPeer])
      #expect(statistics.links.allSatisfy { $0.bytesSent > 0 && $0.bytesReceived > 0 })
    }
  }
}
