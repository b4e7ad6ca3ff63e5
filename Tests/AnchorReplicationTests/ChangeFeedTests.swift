@testable import AnchorReplication
import Basics
import Testing
import WorldModel

@Suite("Change feed")
struct ChangeFeedTests {
  /// Two peers that both have anchor 1.
  private func pair() throws -> (AnchorSet, AnchorSet) {
    var (left, right) = (makeSet(1), makeSet(2))
    _ = try left.place(anchor(1), at: 10)
    try right.pull(from: left)
    _ = left.changes()
    _ = right.changes()
    return (left, right)
  }

  @Test("each change is told once, with author, time and origin")
  func detailed() throws {
    var (left, right) = (makeSet(1), makeSet(2))
    let key = try left.place(anchor(1), at: 10)
    _ = try left.move(id(1), to: .identity, at: 20)
    #expect(left.changes().map(\.origin) == [.local, .local])
    #expect(left.changes().isEmpty)
    try right.pull(from: left)
    let last = try #require(left[id(1)])
    let stamp = try #require(left.stamp(of: .pose, of: id(1)))
    _ = try left.remove(id(1), at: 30)
    try right.pull(from: left)
    func change(_ kind: SetChange.Kind, _ time: UInt64) -> SetChange {
      SetChange(
        id: id(1), key: key, kind: kind, author: actor(1), sessionMilliseconds: time, origin: .remote)
    }
    #expect(
      right.changes() == [change(.added, 10), change(.updated(.pose), 20), change(.removed(last, pose: stamp), 30)])
  }

  @Test("fault 21: a local edit lost to a removal that had not seen it is told, with the value")
  func supersededByRemoval() throws {
    var (left, right) = try pair()
    _ = try left.rename(id(1), to: "mine", at: 20)
    _ = try right.remove(id(1), at: 15)
    try left.pull(from: right)
    let kinds = left.changes().map(\.kind)
    #expect(kinds.contains(.editSupersededByRemoval(.name("mine"))))
    #expect(left.count == 0)
    // The remover had seen nothing of it and lost nothing.
    _ = right.changes()
    try right.pull(from: left)
    #expect(right.changes().isEmpty && right.digest == left.digest)
  }

  @Test("a removal that had seen the edit loses nothing")
  func removalAfterEdit() throws {
    var (left, right) = try pair()
    _ = try left.rename(id(1), to: "mine", at: 20)
    try right.pull(from: left)
    _ = try right.remove(id(1), at: 30)
    _ = left.changes()
    try left.pull(from: right)
    #expect(left.changes().count == 1)
  }

  @Test("a local value lost to a later concurrent write is told, one that was seen is not")
  func overwritten() throws {
    var (left, right) = try pair()
    _ = try left.rename(id(1), to: "left", at: 20)
    _ = try right.rename(id(1), to: "right", at: 21)
    _ = left.changes()
    var merged = left
    try left.pull(from: right)
    #expect(left.changes().map(\.kind) == [.fieldOverwritten(.name("left")), .updated(.name)])
    // The same by a snapshot.
    try merged.merge(snapshot: right.encodeSnapshot().span.bytes)
    #expect(merged.changes().map(\.kind) == [.fieldOverwritten(.name("left")), .updated(.name)])
    // The winner loses nothing, and a write that saw the present value is no conflict.
    _ = right.changes()
    try right.pull(from: left)
    #expect(right.changes().isEmpty)
    _ = try left.rename(id(1), to: "again", at: 30)
    try right.pull(from: left)
    #expect(right.changes().map(\.kind) == [.updated(.name)])
  }

  @Test("a snapshot made after its sender had the local value tells it as lost, if the two began without it")
  func overwrittenBySnapshot() throws {
    var (left, right) = try pair()
    let before = right.vector[left.actor]
    _ = try left.rename(id(1), to: "left", at: 20)
    _ = try right.rename(id(1), to: "right", at: 21)
    try right.pull(from: left)
    let snapshot = right.encodeSnapshot()
    _ = left.changes()
    var late = left
    try left.merge(snapshot: snapshot.span.bytes, acknowledged: before)
    #expect(left.changes().map(\.kind) == [.fieldOverwritten(.name("left")), .updated(.name)])
    // Who had it from the beginning wrote knowing it.
    try late.merge(snapshot: snapshot.span.bytes, acknowledged: right.vector[left.actor])
    #expect(late.changes().map(\.kind) == [.updated(.name)])
  }

  @Test("a removal that came with a snapshot is told without an author; a lost edit with its value")
  func removalBySnapshot() throws {
    var (left, right) = try pair()
    _ = try left.setFlags(7, of: id(1), at: 20)
    _ = left.changes()
    _ = try right.remove(id(1), at: 30)
    try left.merge(snapshot: right.encodeSnapshot().span.bytes)
    let changes = left.changes()
    #expect(changes.map(\.author) == [nil, nil] && changes.map(\.origin) == [.merge, .merge])
    #expect(changes.first?.kind == .editSupersededByRemoval(.flags(7)))
  }

  @Test("writes of one author to one anchor are told as one until they are taken, those of another apart")
  func combines() throws {
    var (left, right) = try pair()
    _ = try left.place(anchor(2), at: 11)
    try right.pull(from: left)
    _ = right.changes()
    for step in 0..<5 {
      _ = try left.move(id(1), to: Transform(translation: [Float(step), 0, 0]), at: 20)
      _ = try left.move(id(2), to: Transform(translation: [Float(step), 0, 0]), at: 21)
    }
    _ = try left.rename(id(1), to: "x", at: 22)
    try right.pull(from: left)
    var changes = right.changes()
    #expect(changes.map(\.id) == [id(1), id(2)])
    #expect(changes.map(\.kind) == [.updated([.pose, .name]), .updated(.pose)])
    #expect(changes.map(\.sessionMilliseconds) == [22, 21])
    // Taken changes are reported again, and each author's writes are told as its own.
    _ = try left.move(id(1), to: .identity, at: 30)
    try right.pull(from: left)
    _ = try right.move(id(1), to: .identity, at: 31)
    _ = try right.move(id(1), to: .identity, at: 32)
    changes = right.changes()
    #expect(changes.map(\.author) == [actor(1), actor(2)])
    #expect(changes.map(\.origin) == [.remote, .local])
  }

  @Test("the sorted anchors follow every change, few or many")
  func sortedAnchors() throws {
    var set = makeSet(1)
    var random = SplitMix64(seed: 3)
    var expected: [AnchorID: Anchor] = [:]
    #expect(set.anchors.isEmpty)
    for round in 0..<40 {
      // Some rounds change more than is worth noting one by one.
      for _ in 0..<(round % 8 == 7 ? 1_500 : 5) {
        let number = Int(random.next() % 400)
        if expected[id(number)] == nil {
          _ = try set.place(anchor(number), at: 1)
        } else if random.next() % 3 == 0 {
          _ = try set.remove(id(number), at: 1)
        } else {
          _ = try set.rename(id(number), to: "\(random.next() % 100)", at: 1)
        }
        expected[id(number)] = set[id(number)]
      }
      #expect(set.anchors == expected.values.sorted { $0.id < $1.id })
    }
  }
}
