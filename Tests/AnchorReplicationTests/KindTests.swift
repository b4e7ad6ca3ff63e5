import Basics
import Testing
import WorldModel

@testable import AnchorReplication

@Suite("Kinds that change after the placement")
struct KindTests {
  private static func plane(_ width: Float, corners: Int = 0) -> Anchor.Kind {
    .plane(
      Anchor.Plane(
        alignment: .horizontal, extent: [width, 1], boundary: (0..<corners).map { [Float($0), Float($0 * $0)] }))
  }

  /// Two sets that both have anchor 1, placed by the first.
  private func pair() throws -> (AnchorSet, AnchorSet) {
    var (left, right) = (makeSet(1), makeSet(2))
    _ = try left.place(anchor(1), at: 10)
    try right.pull(from: left)
    _ = (left.takeChanges(), right.takeChanges())
    return (left, right)
  }

  @Test("the further register costs an anchor 16 bytes: it takes 192, and 65,536 of them 12.6 MB")
  func size() {
    #expect(MemoryLayout<Entry>.stride == 192)
  }

  @Test("another kind shows, is told and travels, by the log and by a snapshot", arguments: [false, true])
  func grows(bySnapshot: Bool) throws {
    var (left, right) = try pair()
    _ = try left.setKind(Self.plane(2, corners: 3), of: id(1), at: 20)
    #expect(left[id(1)]?.kind == Self.plane(2, corners: 3) && left.anchors.map(\.kind) == [Self.plane(2, corners: 3)])
    #expect(left.takeChanges().map(\.kind) == [.updated(.kind)])
    if bySnapshot { try right.merge(snapshot: left.encodeSnapshot().span.bytes) } else { try right.pull(from: left) }
    #expect(right.anchors == left.anchors && right.digest == left.digest)
    let changes = right.takeChanges()
    #expect(changes.map(\.kind) == [.updated(.kind)] && changes.first?.author == actor(1))
  }

  @Test("a concurrent move, name and kind all survive; of two kinds the later stands, and who lost is told")
  func concurrent() throws {
    var (left, right) = try pair()
    _ = try left.setKind(Self.plane(2), of: id(1), at: 20)
    _ = try right.move(id(1), to: Transform(translation: [1, 0, 0]), at: 21)
    _ = try right.rename(id(1), to: "floor", at: 22)
    _ = try right.setKind(Self.plane(3), of: id(1), at: 23)
    _ = left.takeChanges()
    let before = right
    try right.pull(from: left)
    try left.pull(from: before)
    for set in [left, right] {
      #expect(set[id(1)]?.kind == Self.plane(3) && set[id(1)]?.name == "floor")
      #expect(set[id(1)]?.transform.translation == [1, 0, 0])
    }
    #expect(left.digest == right.digest)
    #expect(left.takeChanges().map(\.kind).contains(.fieldOverwritten(.kind(Self.plane(2)))))
    // A later write of a peer that saw that one stands above it, whatever its session time.
    _ = try left.setKind(Self.plane(1), of: id(1), at: 0)
    try right.pull(from: left)
    #expect(right[id(1)]?.kind == Self.plane(1))
  }

  @Test("a removal stands above a concurrent kind, and tells who wrote it")
  func removal() throws {
    var (left, right) = try pair()
    _ = try left.setKind(Self.plane(2), of: id(1), at: 20)
    _ = left.takeChanges()
    _ = try right.remove(id(1), at: 15)
    try left.pull(from: right)
    #expect(left[id(1)] == nil)
    #expect(left.takeChanges().first?.kind == .editSupersededByRemoval(.kind(Self.plane(2))))
  }

  @Test("outlines and names of kinds count towards the limit of a set")
  func limits() throws {
    var limits = ReplicationLimits()
    limits.stateBytes = 100
    var (left, right) = (makeSet(1), makeSet(2, limits: limits))
    for number in 1...2 { _ = try left.place(anchor(number), at: 10) }
    try right.pull(from: left)
    #expect(throws: AnchorError.overLimit(.stateBytes, limit: 100)) {
      try right.setKind(Self.plane(2, corners: 12), of: id(1), at: 30)
    }
    _ = try right.setKind(Self.plane(2, corners: 3), of: id(1), at: 30)
    _ = try left.setKind(Self.plane(2, corners: 25), of: id(2), at: 30)
    let before = right.digest
    #expect(throws: ReplicationError.overLimit(.stateBytes, limit: 200)) { try right.pull(from: left) }
    #expect(right.digest == before)
  }

  @Test("what is no kind of an anchor, unknown or another peer's device is refused")
  func refusals() throws {
    var (left, _) = try pair()
    #expect(throws: AnchorError.unknownAnchor(id(9))) { try left.setKind(.plain, of: id(9), at: 20) }
    #expect(throws: AnchorError.self) { try left.setKind(Self.plane(-1), of: id(1), at: 20) }
    #expect(throws: AnchorError.self) { try left.setKind(Self.plane(1, corners: 2), of: id(1), at: 20) }
    #expect(throws: AnchorError.foreignParticipant(id(1))) {
      try left.setKind(.participant(peer(1)), of: id(1), at: 20)
    }
    _ = try left.place(Anchor(id: id(2), name: "me", kind: .participant(peer(1))), at: 20)
    #expect(throws: AnchorError.foreignParticipant(id(2))) { try left.setKind(.plain, of: id(2), at: 30) }
    #expect(left.appliedCount(of: actor(1)) == 2)
  }

  /// The batch of one write of a kind, as a liar makes it up.
  private static func batch(_ kind: Anchor.Kind, of number: UInt64) -> [UInt8] {
    var batch = ByteWriter()
    let key = Dot(actor: actor(1), sequence: number)
    let write = AnchorOperation(
      dot: Dot(actor: actor(9), sequence: 1), clock: 99 << 16, action: .set(key: key, base: 0, .kind(kind)))
    AnchorDelta([write]).encode(into: &batch)
    return batch.bytes
  }

  @Test("nothing becomes a device and no device another thing, whoever says so, and all end the same")
  func devices() throws {
    var (left, right) = try pair()
    _ = try left.place(Anchor(id: id(2), name: "me", kind: .participant(peer(1))), at: 20)
    try right.pull(from: left)
    let before = right.encodeSnapshot()
    #expect(throws: ReplicationError.self) { try right.receive([Self.batch(.participant(peer(9)), of: 1)]) }
    #expect(right.encodeSnapshot() == before)
    try right.receive([Self.batch(Self.plane(9), of: 2)])
    #expect(right[id(2)]?.kind == .participant(peer(1)))
    // The write is applied and has no effect, here and where it comes in a snapshot.
    try left.merge(snapshot: right.encodeSnapshot().span.bytes)
    #expect(left.digest == right.digest && left.vector == right.vector)
    // A snapshot in which a device has a later kind is refused: its last entry ends with a mask and no stamps.
    var forged = before
    forged[forged.count - 1] = AnchorFields.kind.rawValue
    var stamp = ByteWriter()
    stamp.write(UInt64(99 << 16))
    stamp.writeVarint(0)
    var fresh = makeSet(3)
    let whole = forged + stamp.bytes
    #expect(throws: ReplicationError.self) { try fresh.merge(snapshot: whole.span.bytes) }
    #expect(fresh.count == 0)
  }

  @Test("every cut of a write of a kind is refused")
  func cutOff() throws {
    let (_, right) = try pair()
    let whole = Self.batch(Self.plane(2, corners: 3), of: 1)
    for count in 1..<whole.count {
      var set = right
      #expect(throws: ReplicationError.self) { try set.receive([Array(whole[..<count])]) }
    }
  }

  @Test("kinds of a removed peer up to its cut stay, and later ones have no effect")
  func removed() throws {
    var (left, right) = try pair()
    _ = try right.setKind(Self.plane(2), of: id(1), at: 20)
    var cuts = ActorCuts()
    cuts.cut(peer(2), to: [1: 1])
    left.cuts = cuts
    _ = try right.setKind(Self.plane(3), of: id(1), at: 30)
    try left.pull(from: right)
    #expect(left[id(1)]?.kind == Self.plane(2))
    left.cuts = ActorCuts()
    try left.pull(from: right)
    #expect(left[id(1)]?.kind == Self.plane(3) && left.digest == right.digest)
  }

  @Test("a journal gives kinds back, after a snapshot too")
  func journal() throws {
    var (left, _) = try pair()
    var (cursor, records) = (JournalCursor(), [JournalRecord]())
    func collect() { while let record = cursor.next(of: left) { records.append(record) } }
    collect()
    for (width, time) in [(2, 20), (3, 30)] as [(Float, UInt64)] {
      _ = try left.setKind(Self.plane(width), of: id(1), at: time)
      collect()
    }
    #expect(records.count == 3)
    var whole = JournalCursor()
    var fresh: [JournalRecord] = []
    while let record = whole.next(of: left) { fresh.append(record) }
    for list in [records, fresh] {
      var again = makeSet(1, run: 2)
      try again.restore(list)
      #expect(again[id(1)]?.kind == Self.plane(3) && again.digest == left.digest)
    }
    var cut = makeSet(1, run: 2)
    try cut.restore(Array(records.prefix(2)))
    #expect(cut[id(1)]?.kind == Self.plane(2))
  }
}
