import SharedWorld
import TestSupport
import Testing

@Suite("Undo history", .endsHangs)
struct UndoHistoryTests {
  private let there = Transform(translation: [1, 2, 3])

  @Test("edits are taken back and made again in a session, through ids that change")
  func session() async throws {
    try await TestSessions.two { alice, _ in
      var history = UndoHistory()
      let lamp = Anchor(name: "lamp")
      try await alice.place(lamp)
      history.record(.place(lamp))
      try await alice.move(lamp.id, to: there)
      history.record(.move(lamp.id, from: .identity, to: there))
      let last = try #require(await alice.world.anchors.first)
      try await alice.remove(lamp.id)
      history.record(.remove(last))

      func shown() async -> [Transform] { await alice.world.anchors.map(\.transform) }
      for expected in [[there], [.identity], []] {
        try await alice.world.perform(try #require(history.undo()))
        #expect(await shown() == expected)
      }
      #expect(!history.canUndo && history.undo() == nil)
      for expected in [[.identity], [there], []] {
        try await alice.world.perform(try #require(history.redo()))
        #expect(await shown() == expected)
      }
      #expect(!history.canRedo && history.redo() == nil)
      try await alice.world.perform(try #require(history.undo()))
      let again = try #require(await alice.world.anchors.first)
      #expect(again.name == "lamp" && again.id != lamp.id && again.id == history.current(lamp.id))
    }
  }

  @Test("a new name is taken back in its turn, through an id that changed")
  func renamed() async throws {
    try await TestSessions.two { alice, _ in
      var history = UndoHistory()
      let (lamp, shelf) = (Anchor(name: "lamp"), Anchor(name: "shelf"))
      for anchor in [shelf, lamp] {
        try await alice.place(anchor)
        history.record(.place(anchor))
      }
      try await alice.world.rename(lamp.id, to: "sun")
      history.record(.rename(lamp.id, from: "lamp", to: "sun"))
      func names() async -> Set<String> { Set(await alice.world.anchors.map(\.name)) }
      for expected: Set in [["lamp", "shelf"], ["shelf"], []] {
        try await alice.world.perform(try #require(history.undo()))
        #expect(await names() == expected)
      }
      for expected: Set in [["shelf"], ["lamp", "shelf"], ["sun", "shelf"]] {
        try await alice.world.perform(try #require(history.redo()))
        #expect(await names() == expected)
      }
    }
  }

  @Test("a removal is taken back by itself, and the edits after it stay")
  func removalAlone() async throws {
    try await TestSessions.two { alice, _ in
      var history = UndoHistory()
      let (lamp, shelf) = (Anchor(name: "lamp"), Anchor(name: "shelf"))
      try await alice.place(lamp)
      try await alice.remove(lamp.id)
      history.record(.remove(lamp))
      try await alice.place(shelf)
      history.record(.place(shelf))
      try await alice.world.perform(try #require(history.undoRemoval(of: lamp.id)))
      #expect(Set(await alice.world.anchors.map(\.name)) == ["lamp", "shelf"])
      #expect(history.undoRemoval(of: lamp.id) == nil && history.undoRemoval(of: shelf.id) == nil)
      #expect(history.undo() == .remove(shelf.id) && !history.canUndo)
    }
  }

  @Test("a new edit forgets what was taken back")
  func newEdit() {
    var history = UndoHistory()
    let id = AnchorID()
    history.record(.move(id, from: .identity, to: there))
    #expect(history.undo() == .move(id, to: .identity))
    #expect(history.canRedo)
    history.record(.move(id, from: .identity, to: there))
    #expect(!history.canRedo && history.canUndo)
  }

  @Test("only the last edits are remembered")
  func limited() {
    var history = UndoHistory(limit: 3)
    let ids = (0..<5).map { _ in AnchorID() }
    for id in ids { history.record(.move(id, from: .identity, to: there)) }
    let steps = (0..<4).map { _ in history.undo() }
    #expect(steps == [.move(ids[4], to: .identity), .move(ids[3], to: .identity), .move(ids[2], to: .identity), nil])
  }
}
