import SharedWorld
import TestSupport
import Testing

@Suite("Drags, live poses, acknowledgements and lost edits", .endsHangs)
struct LiveTests {
  @Test("a drag is seen by the other peer and stays where it is let go; a handle that has ended throws")
  func drag() async throws {
    try await TestSessions.joined { alice, bob in
      var bobEvents = bob.events.makeAsyncIterator()
      let lamp = try await alice.place(Anchor(name: "lamp"), acknowledgement: .everyPresentMember)
      let drag = try await alice.world.beginDrag(lamp)
      #expect(drag.anchor == lamp)
      try await drag.update(to: Transform(translation: [1, 2, 3]))
      let pose = try await bobEvents.first { if case .anchorDragged(let pose) = $0 { pose } else { nil } }
      #expect(pose.anchor == lamp && pose.peer == alice.localPeer)
      #expect(pose.transform.translation == [1, 2, 3])
      // A drag of which nothing is heard for a second is over: on a busy machine its pose is sent again until somebody looked.
      while await bob.world.drags.map(\.transform) != [pose.transform] {
        try await drag.update(to: Transform(translation: [1, 2, 3]))
        try await Task.sleep(for: .milliseconds(10))
      }
      try await drag.end()
      _ = try await bobEvents.first { if case .dragEnded(lamp, alice.localPeer) = $0 { true } else { nil } }
      #expect(await bob.world.anchors.first?.transform.translation == [1, 2, 3])
      #expect(await bob.world.drags.isEmpty)
      let error = await #expect(throws: SessionError.self) { try await drag.update(to: .identity) }
      #expect(error?.code == .dragEnded)
      let unknown = await #expect(throws: SessionError.self) { try await alice.world.beginDrag(AnchorID()) }
      #expect(unknown?.code == .unknownAnchor)
    }
  }

  @Test("a burst of messages of the largest size arrives whole, however little of it a link takes at once")
  func burstOfMessages() async throws {
    try await TestSessions.joined { alice, bob in
      var bobEvents = bob.events.makeAsyncIterator()
      let count: UInt8 = 12
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count {
          group.addTask { try await alice.send([UInt8](repeating: number, count: 60 * 1024)) }
        }
        try await group.waitForAll()
      }
      var left = Set(0..<count)
      while let number = left.first, let event = await bobEvents.next() {
        guard case .message(let bytes, _) = event else { continue }
        #expect(bytes == [UInt8](repeating: bytes.first ?? number, count: 60 * 1024))
        left.remove(bytes[0])
      }
      #expect(left.isEmpty)
    }
  }

  @Test("messages of one peer arrive in the order in which it sent them, each with its sender")
  func messageOrder() async throws {
    try await TestSessions.joined { alice, bob in
      // Before that a peer has no link for what it sends.
      for peer in [alice, bob] { _ = try await peer.first { if case .peerJoined = $0 { true } else { nil } } }
      let numbers = Array(UInt8(0)..<200)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (sender, receiver) in [(alice, bob), (bob, alice)] {
          let events = receiver.events.makeAsyncIterator()
          // The end of the message says who sent it: no two messages are alike.
          let end = sender.localPeer.id.bytes
          group.addTask { for number in numbers { try await sender.send([number] + end) } }
          group.addTask { [events] in
            var iterator = events
            for number in numbers {
              let message = try await iterator.first { event -> (bytes: [UInt8], from: Peer)? in
                if case .message(let bytes, let from) = event { (bytes, from) } else { nil }
              }
              #expect(message.bytes == [number] + end)
              #expect(message.from == sender.localPeer)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("what is placed and sent right before leaving reaches the others")
  func lastWord() async throws {
    try await TestSessions.joined { alice, bob in
      var bobEvents = bob.events.makeAsyncIterator()
      // The invitation is answered before both hold each other as members.
      _ = try await bobEvents.first { if case .peerJoined = $0 { true } else { nil } }
      _ = try await alice.first { if case .peerJoined = $0 { true } else { nil } }
      // Both in one round of the loop.
      let lamp = try await Task(executorPreference: alice.executor) {
        let lamp = try await alice.place(Anchor(name: "lamp"))
        try await alice.send([7])
        await alice.leave()
        return lamp
      }.value
      let message = try await bobEvents.first { if case .message(let bytes, _) = $0 { bytes } else { nil } }
      #expect(message == [7])
      let reason = try await bobEvents.first { if case .peerLeft(_, let reason) = $0 { reason } else { nil } }
      #expect(reason == .left)
      #expect(await bob.world.anchors.map(\.id) == [lamp])
    }
  }

  @Test("a drag that nobody holds any more ends by itself")
  func abandonedDrag() async throws {
    try await TestSessions.joined { alice, bob in
      var bobEvents = bob.events.makeAsyncIterator()
      let lamp = try await alice.place(Anchor(name: "lamp"), acknowledgement: .everyPresentMember)
      func hold() async throws {
        try await alice.world.beginDrag(lamp).update(to: Transform(translation: [5, 0, 0]))
      }
      try await hold()
      _ = try await bobEvents.first { if case .dragEnded(lamp, _) = $0 { true } else { nil } }
      #expect(await bob.world.anchors.first?.transform.translation == [5, 0, 0])
    }
  }

  @Test("a peer's device is a participant anchor for as long as the peer is there")
  func participant() async throws {
    try await TestSessions.joined { alice, bob in
      var bobEvents = bob.events.makeAsyncIterator()
      try await alice.world.updatePose(Transform(translation: [0, 1.6, 0]))
      let pose = try await bobEvents.first { if case .participantMoved(let pose) = $0 { pose } else { nil } }
      let participants = await bob.world.participants
      #expect(participants.map(\.kind) == [.participant(alice.localPeer.id)])
      #expect(participants.map(\.name) == ["alice"])
      #expect(participants.map(\.id) == [pose.anchor])
      #expect(await bob.world.anchors.isEmpty)
      await alice.leave()
      _ = try await bobEvents.first { if case .participantGone(alice.localPeer) = $0 { true } else { nil } }
      #expect(await bob.world.participants.isEmpty)
    }
  }

  @Test("an acknowledged edit is at the other peer when the call returns")
  func acknowledged() async throws {
    try await TestSessions.joined { alice, bob in
      let lamp = try await alice.place(Anchor(name: "lamp"), acknowledgement: .everyPresentMember)
      #expect(await bob.world.anchors.map(\.id) == [lamp])
      let there = Transform(translation: [1, 0, 0])
      try await bob.move(lamp, to: there, acknowledgement: .host)
      try await bob.move(lamp, to: there, acknowledgement: .everyPresentMember.within(.seconds(5)))
      #expect(await alice.world.anchors.map(\.transform) == [there])
      // Edits that take no acknowledgement themselves are waited for together.
      try await alice.world.rename(lamp, to: "lantern")
      try await alice.world.setPayload(Anchor.Payload(contentType: "text/plain", bytes: [7]), of: lamp)
      try await alice.world.confirmEdits(.everyPresentMember)
      #expect(await bob.world.anchors.map(\.name) == ["lantern"])
      #expect(await bob.world.anchors.map(\.payload?.bytes) == [[7]])
      try await alice.remove(lamp, acknowledgement: .everyPresentMember)
      #expect(await bob.world.anchors.isEmpty)
    }
  }

  @Test("a wait that is cancelled, or outlived by its session, throws; the edit stands")
  func endedWaits() async throws {
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: hostless) { alice in
      var aliceEvents = alice.events.makeAsyncIterator()
      // Nobody hosts, so that nobody can acknowledge.
      let first = Task { try await alice.place(Anchor(name: "a"), acknowledgement: .host.within(.seconds(60))) }
      _ = try await aliceEvents.first { if case .anchorAdded = $0 { true } else { nil } }
      first.cancel()
      let cancelled = await #expect(throws: SessionError.self) { try await first.value }
      #expect(cancelled?.code == .cancelled)
      let late = await #expect(throws: SessionError.self) {
        try await alice.place(Anchor(name: "b"), acknowledgement: .host.within(.milliseconds(20)))
      }
      #expect(late?.code == .notAcknowledged)
      #expect(await alice.world.anchors.count == 2)
    }
  }

  private var hostless: Session.Configuration {
    var configuration = TestSessions.configuration()
    configuration.hosting.canHost = false
    return configuration
  }

  @Test("who loses an edit to a later write or to a removal is told which value")
  func lostEdits() async throws {
    try await TestSessions.two { alice, bob in
      var aliceEvents = alice.events.makeAsyncIterator()
      var bobEvents = bob.events.makeAsyncIterator()
      var map = WorldMap()
      let (lamp, table) = (AnchorID(), AnchorID())
      map.anchors = [Anchor(id: lamp, name: "lamp"), Anchor(id: table, name: "table")]
      for session in [alice, bob] { try await session.share(map) }
      try await alice.world.rename(lamp, to: "alice's")
      try await bob.world.rename(lamp, to: "bob's")
      try await alice.world.rename(table, to: "desk")
      try await bob.remove(table)
      _ = try await alice.peers.invite(bob.address)
      var overwritten: LostEdit?
      let superseded = try await aliceEvents.first { event -> LostEdit? in
        if case .fieldOverwritten(let edit) = event { overwritten = edit }
        return if case .editSuperseded(let edit) = event { edit } else { nil }
      }
      #expect(superseded.anchor == table && superseded.value == .name("desk"))
      let marker = try await bob.place(Anchor(name: "marker"), acknowledgement: .everyPresentMember)
      try await alice.remove(marker, acknowledgement: .everyPresentMember)
      let name = try #require(await alice.world.anchors.first?.name)
      #expect(await bob.world.anchors.first?.name == name)
      func lost(_ event: Session.Event) -> LostEdit? {
        if case .fieldOverwritten(let edit) = event { edit } else { nil }
      }
      if overwritten == nil {
        overwritten = name == "bob's" ? try await aliceEvents.first(lost) : try await bobEvents.first(lost)
      }
      let edit = try #require(overwritten)
      #expect(edit.anchor == lamp && edit.value == .name(name == "bob's" ? "alice's" : "bob's"))
      #expect(edit.author == (name == "bob's" ? bob : alice).localPeer)
    }
  }

  @Test("an anchor that brings back a removed one says so")
  func restored() async throws {
    try await TestSessions.joined { alice, bob in
      var bobEvents = bob.events.makeAsyncIterator()
      let lamp = try await alice.place(Anchor(name: "lamp"))
      try await alice.remove(lamp)
      let again = try await alice.world.restore(Anchor(name: "lamp"), from: lamp)
      let (id, from) = try await bobEvents.first {
        if case .anchorRestored(let anchor, let removed) = $0 { (anchor.id, removed) } else { nil }
      }
      #expect(id == again && from == lamp)
    }
  }
}
