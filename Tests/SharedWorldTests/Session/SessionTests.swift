import Foundation
import SharedWorld
import TestSupport
import Testing

@Suite("Session", .endsHangs)
struct SessionTests {
  @Test("an accepted invitation makes both sides members")
  func acceptedInvitationJoins() async throws {
    try await TestSessions.two { alice, bob in
      let peer = try await alice.peers.invite(bob.address, context: [1, 2, 3])
      #expect(peer == bob.localPeer)
      let joined = try await bob.first { if case .peerJoined(let peer) = $0 { peer } else { nil } }
      #expect(joined == alice.localPeer)
      #expect(await alice.state.peers.map(\.peer) == [bob.localPeer])
    }
  }

  @Test("the handler and the event of an invitation have its inviter and its context", arguments: [[], [1, 2, 3]])
  func contextArrives(context: [UInt8]) async throws {
    let (asked, asking) = AsyncStream.makeStream(of: Invitation.self)
    let handler: TestSessions.InvitationHandler = { invitation in
      asking.yield(invitation)
      return .accept
    }
    try await TestSessions.two(answering: handler) { alice, bob in
      _ = try await alice.peers.invite(bob.address, context: context)
      let told = try await bob.first { if case .invitationReceived(let invitation) = $0 { invitation } else { nil } }
      #expect(told.context == context && told.peer == alice.localPeer)
      var invitations = asked.makeAsyncIterator()
      let first = await invitations.next()
      #expect(first?.context == context && first?.peer == alice.localPeer)
    }
  }

  @Test("a declined invitation tells the inviter the reason")
  func declinedInvitationThrows() async throws {
    try await TestSessions.two(answering: { _ in .decline(reason: "busy") }) { alice, bob in
      let error = await #expect(throws: SessionError.self) { try await alice.peers.invite(bob.address) }
      #expect(error?.code == .declined)
      #expect(error?.message.contains("busy") == true)
      #expect(await alice.state.peers.isEmpty)
    }
  }

  @Test("who leaves while it is leaving already waits for the same end")
  func leavesTwice() async throws {
    try await TestSessions.two { alice, bob in
      _ = try await alice.peers.invite(bob.address)
      async let first: Void = alice.leave()
      async let second: Void = alice.leave()
      _ = await (first, second)
      let reason = try await bob.first { if case .peerLeft(_, let reason) = $0 { reason } else { nil } }
      #expect(reason == .left)
    }
  }

  @Test("two peers that invite each other at once end with one link and are both told of success")
  func simultaneousInvitationsJoinOnce() async throws {
    // Who is asked first has not invited yet, and does not answer before the session ends.
    let handler: TestSessions.InvitationHandler = { _ in
      for await _ in AsyncStream(Never.self, { _ in }) {}
      return .decline(reason: "nobody may be asked")
    }
    try await TestSessions.two(answering: handler) { alice, bob in
      async let first = alice.peers.invite(bob.address)
      async let second = bob.peers.invite(alice.address)
      let peers = try await (first, second)
      #expect(peers == (bob.localPeer, alice.localPeer))
      for session in [alice, bob] {
        // The invitations are answered before one of the two links is given up.
        try await until { await session.state.peers.map(\.isDirect) == [true] }
      }
    }
  }

  @Test("anchors placed, moved, renamed and removed by either side converge to one digest")
  func anchorsConverge() async throws {
    try await TestSessions.joined { alice, bob in
      let lamp = try await alice.place(Anchor(name: "lamp", transform: Transform(translation: [0, 1, -2])))
      _ = try await bob.first { event -> Bool? in
        if case .anchorAdded(let anchor, .remote) = event, anchor.id == lamp { true } else { nil }
      }
      try await bob.move(lamp, to: Transform(translation: [3, 1, -2]))
      try await bob.world.rename(lamp, to: "desk lamp")
      let table = try await bob.place(Anchor(name: "table"))
      try await bob.remove(table)
      let last = try await bob.place(Anchor(name: "last"))
      _ = try await alice.first { event -> Bool? in
        if case .anchorAdded(let anchor, .remote) = event, anchor.id == last { true } else { nil }
      }
      let anchors = await alice.world.anchors
      #expect(anchors.map(\.name).sorted() == ["desk lamp", "last"])
      #expect(anchors.first { $0.id == lamp }?.transform.translation == [3, 1, -2])
      let (mine, theirs) = await (alice.world.anchors, bob.world.anchors)
      #expect(mine == theirs)
      let digests = await (alice.world.digest, bob.world.digest)
      #expect(digests.0 == digests.1)
    }
  }

  @Test(
    "a plane that grows is grown for everybody, for a newcomer and after a restart, wherever it was moved meanwhile")
  func planesGrow() async throws {
    func plane(_ width: Float) -> Anchor.Kind {
      .plane(Anchor.Plane(alignment: .horizontal, classification: .floor, extent: [width, 2]))
    }
    try await TestSessions.withFolder { folder in
      var journalled = TestSessions.configuration()
      journalled.storage.journal = folder.appending(path: "world.journal").path
      let kept = journalled
      let digest = try await Session.withSession(as: TestSessions.identity("alice"), configuration: kept) { alice in
        let floor = try await alice.place(Anchor(name: "floor", kind: plane(1)))
        let bob = try TestSessions.identity("bob")
        return try await Session.withSession(as: bob, configuration: TestSessions.configuration()) { bob in
          try await alice.world.setKind(plane(2), of: floor)
          _ = try await alice.peers.invite(bob.address)
          // The newcomer gets the anchor with its first kind, and the later one behind it.
          for await case .change(let change) in bob.world.changes() where change.anchor.kind == plane(2) { break }
          try await alice.move(floor, to: Transform(translation: [1, 0, 0]))
          try await bob.world.setKind(plane(3), of: floor)
          _ = try await alice.first { event -> Bool? in
            if case .anchorUpdated(let anchor, .remote) = event, anchor.kind == plane(3) { true } else { nil }
          }
          _ = try await bob.first { event -> Bool? in
            // Of unread updates the last one names the origin, which may be bob's own.
            if case .anchorUpdated(let anchor, _) = event, anchor.transform.translation.x == 1 { true } else { nil }
          }
          let (mine, theirs) = await (alice.world.anchors, bob.world.anchors)
          #expect(mine == theirs && mine.map(\.kind) == [plane(3)])
          #expect(await alice.world.digest == bob.world.digest)
          let error = await #expect(throws: SessionError.self) {
            try await bob.world.setKind(.participant(bob.localPeer.id), of: floor)
          }
          #expect(error?.code == .invalidArgument)
          let unknown = await #expect(throws: SessionError.self) { try await bob.world.setKind(.plain, of: AnchorID()) }
          #expect(unknown?.code == .unknownAnchor)
          return await alice.world.digest
        }
      }
      try await Session.withSession(as: TestSessions.identity("alice"), configuration: kept) { alice in
        #expect(await alice.world.anchors.map(\.kind) == [plane(3)])
        #expect(await alice.world.digest == digest)
      }
    }
  }

  @Test("a task on the session's own executor reads events and edits like any other")
  func ownExecutor() async throws {
    try await TestSessions.joined { alice, bob in
      let echo = Task(executorPreference: bob.executor) {
        for await event in bob.events {
          guard case .anchorAdded(let anchor, .remote) = event else { continue }
          try await bob.world.rename(anchor.id, to: "seen")
          return
        }
      }
      let lamp = try await alice.place(Anchor(name: "lamp"))
      _ = try await alice.first { event -> Bool? in
        if case .anchorUpdated(let anchor, .remote) = event, anchor.id == lamp, anchor.name == "seen" {
          true
        } else {
          nil
        }
      }
      try await echo.value
    }
  }

  @Test("anchors placed and moved in one step arrive like single ones, and the first that is refused is named")
  func batchesArrive() async throws {
    try await TestSessions.joined { alice, bob in
      let anchors = (0..<1000).map { Anchor(name: "a\($0)") }
      try await alice.world.place(anchors)
      try await alice.world.move(anchors.map { (id: $0.id, transform: Transform(translation: [1, 2, 3])) })
      let last = try await alice.place(Anchor(name: "last"))
      _ = try await bob.first { event -> Bool? in
        if case .anchorAdded(let anchor, .remote) = event, anchor.id == last { true } else { nil }
      }
      let arrived = await bob.world.anchors
      #expect(arrived.count == 1001)
      #expect(arrived.filter { $0.transform.translation == [1, 2, 3] }.count == 1000)
      let unknown = AnchorID()
      let error = await #expect(throws: SessionError.self) {
        try await alice.world.move([(id: last, transform: .identity), (id: unknown, transform: .identity)])
      }
      #expect(error?.code == .unknownAnchor)
      #expect(error?.message.contains("\(unknown)") == true)
    }
  }

  @Test("a shared map arrives verified, its anchors join once, and a late joiner gets both by itself")
  func mapReachesEverybody() async throws {
    try await TestSessions.joined { alice, bob in
      let map = WorldMap(
        anchors: [Anchor(name: "door")],
        cloud: FeatureCloud(
          positions: (0..<30_000).map { SIMD3(Float($0 % 100), Float($0 / 100 % 7), Float($0) * 0.01) },
          identifiers: (0..<30_000).map { UInt64($0) * 7 + 1 }))
      let id = try await alice.share(map)
      for peer in [bob] { try await Self.expect(map, id, at: peer) }
      try await Session.withSession(as: TestSessions.identity("carol"), configuration: TestSessions.configuration()) {
        carol in
        _ = try await bob.peers.invite(carol.address)
        try await Self.expect(map, id, at: carol)
        #expect(await carol.world.anchors.map(\.name) == ["door"])
      }
    }
  }

  @Test("everybody sees how far a peer has come with the map, and that it has found its place in it")
  func mapStatusIsSeen() async throws {
    try await TestSessions.joined { alice, bob in
      var events = alice.events.makeAsyncIterator()
      let id = try await alice.share(WorldMap(anchors: [Anchor(name: "door")]))
      for (isRelocalized, stage) in [(false, MapStatus.Stage.received), (true, .claimed)] {
        await bob.frames.setRelocalized(isRelocalized)
        var seen: MapStatus?
        while seen?.stage != stage, let event = await events.next() {
          if case .peerMapChanged(bob.localPeer, let status) = event { seen = status }
        }
        #expect(seen?.mapID == id)
        #expect(await alice.state.peers.map(\.map) == [seen])
      }
    }
  }

  @Test("who may not share a map with the session is told so, and may still send one to a single peer")
  func providersAreLimited() async throws {
    var configuration = TestSessions.configuration()
    configuration.hosting.mapProviders = .named([])
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: configuration) { bob in
        _ = try await alice.peers.invite(bob.address)
        let map = WorldMap(anchors: [Anchor(name: "door")])
        let error = await #expect(throws: SessionError.self) { try await alice.share(map) }
        #expect(error?.code == .notPermitted)
        let id = try await alice.share(map, with: bob.localPeer.id)
        let receipt = try await bob.first { if case .mapReceived(let receipt) = $0 { receipt } else { nil } }
        #expect(receipt.mapID == id)
        #expect(await bob.maps.latest()?.anchors.map(\.name) == ["door"])
        // A way round the rule it is not: nobody's session has the door.
        #expect(await alice.world.anchors.isEmpty)
        #expect(await bob.world.anchors.isEmpty)
      }
    }
  }

  private static func expect(_ map: WorldMap, _ id: MapID, at session: Session) async throws {
    let receipt = try await session.first { if case .mapReceived(let receipt) = $0 { receipt } else { nil } }
    #expect(receipt.mapID == id)
    #expect(receipt.points == map.cloud.count)
    #expect(await session.maps.latest()?.cloud.count == map.cloud.count)
  }

  @Test("a third peer that one member invites is linked to all of them, and all agree on one host")
  func thirdPeerMeshes() async throws {
    try await TestSessions.joined { alice, bob in
      try await Session.withSession(as: TestSessions.identity("carol"), configuration: TestSessions.configuration()) {
        carol in
        _ = try await alice.peers.invite(carol.address)
        _ = try await bob.first { event -> Bool? in
          if case .peerJoined(let peer) = event, peer == carol.localPeer { true } else { nil }
        }
        _ = try await TestSessions.agreedHost([alice, bob, carol])
      }
    }
  }

  @Test("who leaves is gone at once, with the reason")
  func leavingIsSeen() async throws {
    try await TestSessions.joined { alice, bob in
      await bob.leave()
      let reason = try await alice.first { event -> Session.LeaveReason? in
        if case .peerLeft(bob.localPeer, let reason) = event { reason } else { nil }
      }
      #expect(reason == .left)
      #expect(await alice.state.peers.isEmpty)
    }
  }

  @Test("a withdrawn invitation is cancelled on this side, and on the other one with the task that was to answer it")
  func cancelledInvitation() async throws {
    let (asked, ask) = AsyncStream.makeStream(of: Invitation.self)
    let (over, end) = AsyncStream.makeStream(of: Invitation.ID.self)
    var configuration = TestSessions.configuration()
    configuration.invitations.incoming = .ask { invitation in
      ask.yield(invitation)
      // Nobody answers: the wait ends only with its task. A stream ends with the first reader that is cancelled, so each
      // invitation has its own.
      let (silence, silenced) = AsyncStream.makeStream(of: Void.self)
      for await _ in silence {}
      silenced.finish()
      end.yield(invitation.id)
      return .accept
    }
    try await Session.withSession(as: TestSessions.identity("bob"), configuration: configuration) { bob in
      try await Session.withSession(as: TestSessions.identity("alice"), configuration: TestSessions.configuration()) {
        alice in
        var (questions, ends, events) = (
          asked.makeAsyncIterator(), over.makeAsyncIterator(), bob.events.makeAsyncIterator()
        )
        var ids: Set<Invitation.ID> = []
        for number in 1...2 {
          let invitation = Task { try await alice.peers.invite(bob.address) }
          let id = try #require(await questions.next()).id
          #expect(ids.insert(id).inserted, "the same peer invites, and it is another invitation")
          invitation.cancel()
          let error = await #expect(throws: SessionError.self) { try await invitation.value }
          #expect(error?.code == .cancelled)
          _ = try await events.first { if case .invitationEnded(alice.localPeer, id) = $0 { true } else { nil } }
          #expect(await ends.next() == id, "\(number)")
        }
      }
    }
  }
}
