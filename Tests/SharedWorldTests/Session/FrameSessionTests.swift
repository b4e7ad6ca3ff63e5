import SharedWorld
import TestSupport
import Testing
import WorldFormats

@Suite("Frames of devices", .endsHangs)
struct FrameSessionTests {
  /// Where bob's frame has its origin in alice's (metres); both know gravity and look the same way.
  private let offset: SIMD3<Float> = [3, 0, -2]

  /// Waits until a peer is in a state of alignment for another one.
  private func await(_ state: PeerAlignment.State, of peer: PeerID, for session: Session) async -> PeerAlignment {
    var events = session.events.makeAsyncIterator()
    while true {
      let alignment = await session.frames.alignment(of: peer)
      if alignment.state == state { return alignment }
      _ = await events.next()
    }
  }

  /// Waits until a session has this many anchors that nothing aligns.
  private func awaitUnaligned(_ count: Int, for session: Session, placedBy other: Session) async throws {
    // What comes after them in the other's order has come: so have they.
    try await other.remove(try await other.place(Anchor(name: "last")), acknowledgement: .everyPresentMember)
    #expect(await session.world.unalignedAnchors.count == count)
  }

  @Test("two points that both users touch line the frames up, and what both placed is at one place within 2 cm")
  func touches() async throws {
    try await TestSessions.joined { alice, bob in
      let (a, b) = (alice.localPeer.id, bob.localPeer.id)
      try await alice.frames.begin()
      try await bob.frames.begin()
      let corner: SIMD3<Float> = [1, 0.8, 1]
      let tap = try await alice.place(
        Anchor(name: "tap", transform: Transform(translation: corner)), acknowledgement: .everyPresentMember)
      try await awaitUnaligned(1, for: bob, placedBy: alice)
      #expect(await bob.world.anchors.isEmpty)
      #expect(await bob.frames.alignment(of: a).state != .aligned)
      #expect(await bob.frames.alignment(of: a).transform == nil)

      for (name, point) in [("door", [0, 1, 0] as SIMD3<Float>), ("window", [2, 1.5, 3])] {
        _ = try await alice.frames.touch(name, at: point)
        // Bob's hand is 5 mm beside it.
        _ = try await bob.frames.touch(name, at: point - offset + [0.005, 0, 0])
      }
      let seenByBob = await self.await(.aligned, of: a, for: bob)
      _ = await self.await(.aligned, of: b, for: alice)
      #expect(seenByBob.observations == 2 && seenByBob.residual < 0.01)
      let seen = try #require(await bob.world.anchors.first { $0.id == tap })
      let gap = seen.transform.translation - (corner - offset)
      #expect((gap * gap).sum().squareRoot() < 0.02)
      #expect(await alice.world.anchors.first { $0.id == tap }?.transform.translation == corner)
    }
  }

  @Test("placements of messages, requests and answers arrive in the receiver's frame, and as they were sent")
  func messages() async throws {
    try await TestSessions.joined { alice, bob in
      let (a, b) = (alice.localPeer.id, bob.localPeer.id)
      try await alice.frames.begin()
      try await bob.frames.begin()
      try await awaitUnaligned(0, for: bob, placedBy: alice)
      let tip = Transform(translation: [1, 2, 3])
      var labels = bob.messages.of(LabelEvent.self).makeAsyncIterator()
      let questions = bob.messages.requests(LabelEvent.self)
      try await alice.messages.send(Message(LabelEvent(text: "one"), transform: tip), to: .all, at: "draw")
      let early = try #require(await labels.next())
      #expect(early.transform == nil && early.rawTransform == tip)

      try await bob.frames.align(a, by: FrameFit(transform: Transform(translation: -offset)))
      _ = await self.await(.aligned, of: a, for: bob)
      _ = await self.await(.aligned, of: b, for: alice)
      try await alice.messages.send(Message(LabelEvent(text: "two"), transform: tip), to: .all, at: "draw")
      let late = try #require(await labels.next())
      #expect(late.transform?.translation == tip.translation - offset && late.rawTransform == tip)

      async let answering: Void = questions.answer { question in
        Message(question.object.text, transform: question.transform)
      }
      let answer: Message<String> = try await alice.messages.request(
        Message(LabelEvent(text: "three"), transform: tip), from: b, at: "draw")
      #expect(answer.transform?.translation == tip.translation)
      #expect(answer.rawTransform?.translation == tip.translation - offset)
      await bob.leave()
      await answering
    }
  }

  @Test("readers of changes begin again when a frame is aligned, and see the anchor that had no place")
  func readers() async throws {
    try await TestSessions.joined { alice, bob in
      try await alice.frames.begin()
      _ = try await alice.place(
        Anchor(name: "tap", transform: Transform(translation: [1, 0, 0])), acknowledgement: .everyPresentMember)
      var changes = bob.world.changes().makeAsyncIterator()
      #expect(await changes.next() == .current)
      // Alice has relocalised in the session's map, whose frame bob uses.
      let fit = FrameFit(transform: Transform(translation: [-5, 0, 0]))
      #expect(try await alice.frames.alignToShared(by: fit).state == .aligned)
      #expect(await changes.next() == .restarted)
      guard case .change(let change) = await changes.next() else { return #expect(Bool(false), "no change") }
      #expect(change.anchor.transform.translation == [6, 0, 0])
    }
  }

  @Test("a scan of the room is found in the session's map, and what is placed there is at one place within 2 cm")
  func relocalizes() async throws {
    try await TestSessions.joined { alice, bob in
      // Bob's world has its origin elsewhere and is turned by about 37°.
      let origin = Transform(x: [0.8, 0, -0.6], y: [0, 1, 0], z: [0.6, 0, 0.8], translation: [2, 0, -1])
      let scan = try SyntheticRoom(seed: 7, pointCount: 3_000, walk: 1).map().transformed(by: origin.inverse)
      try await bob.frames.begin()
      await #expect(throws: SessionError.self) { try await bob.frames.relocalize(scan.cloud) }
      _ = try await alice.share(WorldMap(cloud: SyntheticRoom(seed: 7, pointCount: 8_000).map().cloud))
      let corner: SIMD3<Float> = [1, 0.8, -1]
      let id = try await alice.place(Anchor(name: "corner", transform: Transform(translation: corner)))
      for await event in bob.events { if case .mapReceived = event { break } }
      #expect(try await bob.frames.relocalize(scan.cloud).state == .aligned)
      try await alice.remove(try await alice.place(Anchor(name: "last")), acknowledgement: .everyPresentMember)
      let seen = try #require(await bob.world.anchors.first { $0.id == id })
      let gap = seen.transform.translation - (origin.inverse * Transform(translation: corner)).translation
      #expect((gap * gap).sum().squareRoot() < 0.02)
    }
  }

  @Test("a device that loses its world is lost for the others, until it is measured again")
  func lost() async throws {
    try await TestSessions.joined { alice, bob in
      try await alice.frames.begin()
      try await alice.frames.alignToShared(by: FrameFit(transform: .identity))
      _ = await self.await(.aligned, of: alice.localPeer.id, for: bob)
      try await alice.frames.begin()
      _ = await self.await(.lost, of: alice.localPeer.id, for: bob)
      try await alice.frames.useShared()
      _ = await self.await(.aligned, of: alice.localPeer.id, for: bob)
    }
  }

  @Test("nonsense is refused with what to do about it")
  func refusals() async throws {
    try await TestSessions.joined { alice, bob in
      await #expect(throws: SessionError.self) {
        try await alice.frames.align(bob.localPeer.id, by: FrameFit(transform: .identity))
      }
      try await alice.frames.begin()
      for fit in [
        FrameFit(transform: .identity, position: .nan), FrameFit(transform: .identity, residual: -1),
        FrameFit(transform: Transform(columns: ([2, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]))),
      ] {
        await #expect(throws: SessionError.self) { try await alice.frames.alignToShared(by: fit) }
      }
      #expect(throws: SessionError.self) { try FrameFit(points: [.init(source: .zero, target: .zero)]) }
      #expect(await alice.frames.alignmentOfShared.state == .unaligned)
    }
  }
}
