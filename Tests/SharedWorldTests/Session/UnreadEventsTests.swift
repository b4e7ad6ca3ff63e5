import TestSupport
import Testing

@testable import SharedWorld

@Suite("Updates of anchors that wait to be read", .endsHangs)
struct UnreadEventsTests {
  /// What a batch tells of anchors: what happened, and the x of where the anchor is.
  private func anchorEvents(_ batch: [Session.Event]?) -> [String] {
    (batch ?? []).compactMap { event in
      switch event {
      case .anchorAdded(let anchor, _): "added \(Int(anchor.transform.translation.x))"
      case .anchorUpdated(let anchor, _): "updated \(Int(anchor.transform.translation.x))"
      case .anchorRemoved(let anchor, _): "removed \(Int(anchor.transform.translation.x))"
      case .ownershipChanged: "owned"
      default: nil
      }
    }
  }

  private func move(_ anchor: AnchorID, to places: ClosedRange<Int>, by session: Session) async throws {
    for place in places { try await session.move(anchor, to: Transform(translation: [Float(place), 0, 0])) }
  }

  @Test("moves of an anchor that nobody has read are one event, with the anchor as it is when it is read")
  func one() async throws {
    try await TestSessions.two { alice, _ in
      var events = alice.events.makeAsyncIterator()
      let lamp = try await alice.place(Anchor(name: "lamp"))
      try await move(lamp, to: 1...100, by: alice)
      #expect(anchorEvents(await events.nextBatch()) == ["added 0", "updated 100"])
      try await move(lamp, to: 101...102, by: alice)
      #expect(anchorEvents(await events.nextBatch()) == ["updated 102"])
    }
  }

  @Test("moves before a removal show the anchor as it was last, and a change of hands stands between those around it")
  func order() async throws {
    try await TestSessions.two { alice, _ in
      var events = alice.events.makeAsyncIterator()
      let lamp = try await alice.place(Anchor(name: "lamp"))
      try await move(lamp, to: 1...2, by: alice)
      _ = try await alice.world.requestOwnership(of: lamp)
      try await move(lamp, to: 3...4, by: alice)
      try await alice.remove(lamp)
      let told = anchorEvents(await events.nextBatch())
      #expect(told == ["added 0", "updated 4", "owned", "updated 4", "removed 4"])
    }
  }

  @Test("what was not read when the session ends can be read afterwards")
  func ended() async throws {
    try await TestSessions.two { alice, _ in
      var events = alice.events.makeAsyncIterator()
      let lamp = try await alice.place(Anchor(name: "lamp"))
      try await move(lamp, to: 1...3, by: alice)
      await alice.leave()
      #expect(anchorEvents(await events.nextBatch()) == ["added 0", "updated 3"])
      #expect(await events.nextBatch() == nil)
    }
  }

  @Test("moves of one peer that wait for a reader of changes are one change")
  func changes() async throws {
    try await TestSessions.two { alice, _ in
      var changes = alice.world.changes().makeAsyncIterator()
      #expect(await changes.next() == .current)
      let lamp = try await alice.place(Anchor(name: "lamp"))
      try await move(lamp, to: 1...100, by: alice)
      try await alice.place(Anchor(name: "mark"))
      var told: [String] = []
      while case .change(let change) = await changes.next(), change.anchor.name != "mark" {
        told.append("\(change.kind) \(Int(change.anchor.transform.translation.x))")
      }
      #expect(told == ["added 0", "updated 100"])
    }
  }
}
