import Basics
import SharedWorld
import Synchronization
import TestSupport
import Testing

@Suite("What callers are told, and when", .endsHangs)
struct OutcomeTests {
  /// Waits until `session` follows this host.
  private func waitForHost(_ host: PeerID, at session: Session) async throws {
    var events = session.events.makeAsyncIterator()
    while await session.state.host?.id != host {
      guard await events.next() != nil else { throw EndedTooSoon() }
    }
  }

  /// Runs `body` with a session that hosts itself and one that it then invites, which may not host if so said.
  private func hosted(
    canHost: Bool = true, priority: UInt8 = 1, answering handler: (@Sendable (Peer) async -> Bool)? = nil,
    _ body: @Sendable (_ host: Session, _ member: Session) async throws -> Void
  ) async throws {
    let (host, member) = {
      var (host, member) = (TestSessions.configuration(), TestSessions.configuration())
      host.hosting.requestHandler = handler
      (member.hosting.canHost, member.hosting.priority) = (canHost, priority)
      return (host, member)
    }()
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: host) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: member) { bob in
        try await waitForHost(alice.localPeer.id, at: alice)
        _ = try await alice.peers.invite(bob.address)
        try await waitForHost(alice.localPeer.id, at: bob)
        try await body(alice, bob)
      }
    }
  }

  // MARK: Host

  @Test("a member that asks to be host is told when it is, and the change has a reason")
  func requestHost() async throws {
    try await hosted(answering: { $0.name == "bob" }) { alice, bob in
      var events = alice.events.makeAsyncIterator()
      #expect(await bob.peers.requestHost(timeout: .seconds(60)) == .hosts)
      #expect(await bob.state.host?.id == bob.localPeer.id)
      #expect(await bob.state.host?.name == bob.localPeer.name)
      let reason = try await events.first { event -> HostChangeReason? in
        if case .hostChanged(_, bob.localPeer, _, let reason) = event { reason } else { nil }
      }
      #expect(reason == .handover)
      #expect(await bob.peers.requestHost() == .hosts, "it hosts already")
    }
  }

  @Test func `a request to be host is refused unless the app or a higher priority grants it`() async throws {
    try await hosted { alice, bob in
      #expect(await bob.peers.requestHost(timeout: .seconds(60)) == .refused)
      #expect(await alice.state.host?.id == alice.localPeer.id)
    }
    try await hosted(answering: { _ in false }) { _, bob in
      #expect(await bob.peers.requestHost(timeout: .seconds(60)) == .refused)
    }
    try await hosted(priority: 2) { _, bob in
      #expect(await bob.peers.requestHost(timeout: .seconds(60)) == .hosts)
    }
  }

  @Test("a host that hands over is told when the other hosts; only the host can, and only to a member that may host")
  func handOver() async throws {
    try await hosted { alice, bob in
      let notHost = await #expect(throws: SessionError.self) { try await bob.peers.handOver(to: alice.localPeer.id) }
      #expect(notHost?.code == .notHost)
      let stranger = PeerID(SHA256Digest(hashing: [1]))
      let unknown = await #expect(throws: SessionError.self) { try await alice.peers.handOver(to: stranger) }
      #expect(unknown?.code == .unknownPeer)
      let outcome = try await alice.peers.handOver(to: bob.localPeer.id, timeout: .seconds(60))
      #expect(outcome == .hosts)
      #expect(await alice.state.host?.id == bob.localPeer.id)
    }
    try await hosted(canHost: false) { alice, bob in
      let outcome = try await alice.peers.handOver(to: bob.localPeer.id, timeout: .milliseconds(100))
      #expect(outcome == .unchanged)
      #expect(await bob.peers.requestHost() == .unchanged)
      #expect(await alice.state.host?.id == alice.localPeer.id)
      await alice.leave()
      #expect(await alice.peers.requestHost() == .ended)
    }
  }

  // MARK: Invitations

  @Test("an address where nobody listens is unreachable within five seconds, whatever the time-out")
  func unreachable() async throws {
    try await TestSessions.two { alice, _ in
      let nobody = InvitationTarget.address(PeerAddress(host: "127.0.0.1", port: 1))
      for timeout: Duration in [.milliseconds(300), .seconds(60)] {
        let error = await #expect(throws: SessionError.self) { try await alice.peers.invite(nobody, timeout: timeout) }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("127.0.0.1:1") == true)
      }
    }
  }

  @Test("a peer that starts while it is dialled is invited all the same")
  func startsLate() async throws {
    try await TestSessions.two { alice, bob in
      let place = bob.address
      let port = bob.port
      await bob.leave()
      let invitation = Task { try await alice.peers.invite(place) }
      var configuration = TestSessions.configuration()
      configuration.listen.port = port
      try await Session.withSession(as: TestSessions.identity("carol"), configuration: configuration) { carol in
        let peer = try await invitation.value
        #expect(peer == carol.localPeer)
      }
    }
  }

  @Test("a peer that is there and does not answer is no unreachable one")
  func silent() async throws {
    let hasArrived = Mutex(false)
    let handler: TestSessions.InvitationHandler = { _ in
      hasArrived.withLock { $0 = true }
      for await _ in AsyncStream(Never.self, { _ in }) {}
      return .accept
    }
    try await TestSessions.two(answering: handler) { alice, bob in
      let error = await #expect(throws: SessionError.self) {
        try await alice.peers.invite(bob.address, timeout: .seconds(6))
      }
      // Where a busy machine took more than five seconds to connect, nobody was there in time, and that is told.
      #expect(error?.code == (hasArrived.withLock { $0 } ? .invitationTimedOut : .unreachable))
    }
  }

  // MARK: The end

  @Test("after the end the digest is that of an empty set, and the state is empty")
  func afterTheEnd() async throws {
    try await TestSessions.two { alice, _ in
      try await alice.place(Anchor(name: "lamp"))
      await alice.leave()
      #expect(await alice.world.digest == SHA256Digest(words: .zero))
      #expect(await alice.world.digest.description == String(repeating: "0", count: 64))
      let state = await alice.state
      #expect(state.anchorCount == 0 && state.peers.isEmpty && state.host == nil)
      #expect(await alice.world.anchors.isEmpty)
    }
  }

  // MARK: Anchors

  @Test("a payload that is set, replaced and taken away is so for the other peer")
  func payload() async throws {
    try await TestSessions.joined { alice, bob in
      let lamp = try await alice.place(Anchor(name: "lamp"), acknowledgement: .everyPresentMember)
      var events = bob.events.makeAsyncIterator()
      for bytes: [UInt8]? in [[1, 2, 3], [4], nil] {
        let payload = bytes.map { Anchor.Payload(contentType: "text/plain", bytes: $0) }
        try await alice.world.setPayload(payload, of: lamp)
        while await bob.world.anchors.first?.payload != payload {
          guard await events.next() != nil else { throw EndedTooSoon() }
        }
        #expect(await bob.world.anchors.first?.payload?.bytes == bytes)
      }
      let large = Anchor.Payload(contentType: "x/y", bytes: [UInt8](repeating: 0, count: Limits.anchorPayload + 1))
      let error = await #expect(throws: SessionError.self) { try await alice.world.setPayload(large, of: lamp) }
      #expect(error?.code == .invalidArgument || error?.code == .limitExceeded)
    }
  }

  @Test("of live poses a peer is sent what meets its interest, and what leaves it has ended for it")
  func interest() async throws {
    try await TestSessions.joined { alice, bob in
      var filter = AnchorFilter.all
      filter.namePrefix = "lamp"
      try await bob.world.setInterest(filter)
      let lamp = try await alice.place(Anchor(name: "lamp"), acknowledgement: .everyPresentMember)
      let table = try await alice.place(Anchor(name: "table"), acknowledgement: .everyPresentMember)
      let drags = [try await alice.world.beginDrag(table), try await alice.world.beginDrag(lamp)]
      for drag in drags { try await drag.update(to: Transform(translation: [1, 2, 3])) }
      var events = bob.events.makeAsyncIterator()
      // The table is dragged first: its pose would come first.
      let seen = try await events.first { if case .anchorDragged(let pose) = $0 { pose.anchor } else { nil } }
      #expect(seen == lamp)
      // Where the machine is busy the lamp's drag may be over by now: it is shown for a second.
      #expect(await bob.world.drags.allSatisfy { $0.anchor == lamp })
      filter.namePrefix = String(repeating: "x", count: Limits.anchorName + 1)
      let error = await #expect(throws: SessionError.self) { try await bob.world.setInterest(filter) }
      #expect(error?.code == .invalidArgument)
      for drag in drags { try await drag.end() }
      let ended = try await events.first { if case .dragEnded(let anchor, _) = $0 { anchor } else { nil } }
      #expect(ended == lamp)
    }
  }
}
