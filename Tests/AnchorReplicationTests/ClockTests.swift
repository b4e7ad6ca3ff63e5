import AnchorReplication
import Basics
import Testing
import WorldModel

@Suite("Clocks, vectors and limits")
struct ClockTests {
  @Test("a clock follows session time, never goes back and passes what it has seen")
  func hybridClock() {
    var clock = HybridClock()
    #expect(clock.tick(at: 5) == 5 << 16)
    #expect(clock.tick(at: 5) == 5 << 16 + 1)
    #expect(clock.tick(at: 4) == 5 << 16 + 2)
    clock.observe(9 << 16 + 7)
    #expect(clock.tick(at: 6) == 9 << 16 + 8)
    #expect(clock.tick(at: 10) == 10 << 16)
    #expect(clock.tick(at: .max) == (HybridClock.maximum >> 16) << 16)
  }

  @Test("a stamp that no session can have come to does not bring the clock to its end")
  func absurdStamps() {
    var clock = HybridClock()
    let (edge, leap) = (UInt64(1) << 58, UInt64(1) << 48)
    for absurd in [UInt64.max, HybridClock.maximum, edge + 1] { clock.observe(absurd) }
    let first = clock.tick(at: 1)
    #expect(first == 1 << 16)
    for next in [edge, edge + 1, edge + 1 + leap] {
      clock.observe(next)
      #expect(clock.last == next)
    }
    clock.observe(clock.last + leap + 1)
    let next = clock.tick(at: 1)
    #expect(next == edge + leap + 2)
  }

  @Test("an edit after what was seen wins, whatever the session time says", arguments: [false, true])
  func editAfterSeen(bySnapshot: Bool) throws {
    var (left, right) = (makeSet(1), makeSet(2))
    _ = try left.place(anchor(1), at: 50_000)
    try right.pull(from: left)
    _ = try left.move(id(1), to: Transform(translation: [1, 0, 0]), at: 90_000)
    if bySnapshot {
      try right.merge(snapshot: left.encodeSnapshot().span.bytes)
    } else {
      try right.pull(from: left)
    }
    _ = try right.move(id(1), to: Transform(translation: [2, 0, 0]), at: 3)
    #expect(right[id(1)]?.transform.translation == [2, 0, 0])
    try left.pull(from: right)
    #expect(left[id(1)]?.transform.translation == [2, 0, 0] && left.digest == right.digest)
  }

  @Test("a register with a stamp at the end of the clock cannot be written any more, and everything else can")
  func exhausted() throws {
    var (left, right) = (makeSet(1), makeSet(2))
    _ = try left.place(anchor(1), at: 1)
    let last = AnchorOperation(
      dot: Dot(actor: actor(3), sequence: 1), clock: HybridClock.maximum,
      action: .set(key: Dot(actor: actor(1), sequence: 1), base: 1 << 16, .flags(7)))
    var batch = ByteWriter()
    AnchorDelta([last]).encode(into: &batch)
    try left.receive([batch.bytes])
    #expect(throws: AnchorError.clockExhausted) { try left.setFlags(2, of: id(1), at: 0) }
    try right.pull(from: left)
    #expect(right.value(of: .flags, of: id(1)) == .flags(7) && right.digest == left.digest)
    _ = try right.rename(id(1), to: "still here", at: 2)
    _ = try right.place(anchor(2), at: 2)
    try left.pull(from: right)
    _ = try left.remove(id(1), at: 3)
    try right.pull(from: left)
    #expect(right.anchors.map(\.id) == [id(2)] && right.digest == left.digest)
  }

  @Test("vectors join by maximum and meet by minimum")
  func vectors() {
    let (a, b, c) = (actor(1), actor(2), actor(3))
    let left = VersionVector(covering: [Dot(actor: a, sequence: 5), Dot(actor: c, sequence: 2)])
    let right = VersionVector(covering: [Dot(actor: b, sequence: 1), Dot(actor: a, sequence: 3)])
    var (join, meet) = (left, left)
    join.join(right)
    meet.meet(right)
    #expect([a, b, c].map { join[$0] } == [5, 1, 2] && [a, b, c].map { meet[$0] } == [3, 0, 0])
    #expect(join.covers(left) && join.covers(right) && !left.covers(right) && left.covers(meet))
    #expect(meet == VersionVector(covering: [Dot(actor: a, sequence: 3), Dot(actor: b, sequence: 0)]))
  }

  @Test("an edit that breaks a limit is refused and changes nothing")
  func localLimits() throws {
    var limits = ReplicationLimits.default
    (limits.anchors, limits.stateBytes) = (2, 100)
    var set = makeSet(1, limits: limits)
    _ = try set.place(anchor(1, "a"), at: 1)
    let before = (set.encodeSnapshot(), set.vector)
    let big = Anchor.Payload(contentType: "", bytes: [UInt8](repeating: 0, count: 100))
    #expect(throws: AnchorError.overLimit(.stateBytes, limit: 100)) { try set.setPayload(big, of: id(1), at: 2) }
    let name = String(repeating: "x", count: 257)
    #expect(throws: AnchorError.invalid(id(1), .overLimit(field: "name", limit: 256))) {
      try set.rename(id(1), to: name, at: 2)
    }
    #expect(throws: AnchorError.unknownAnchor(id(7))) { try set.move(id(7), to: .identity, at: 2) }
    #expect(throws: AnchorError.invalid(id(1), .notFinite("transform"))) {
      try set.move(id(1), to: Transform(translation: [0, .nan, 0]), at: 2)
    }
    #expect(throws: AnchorError.duplicateAnchor(id(1))) { try set.restore(anchor(1), from: id(1), at: 2) }
    #expect(set.encodeSnapshot() == before.0 && set.vector == before.1)
    _ = try set.place(anchor(2, "b"), at: 3)
    #expect(throws: AnchorError.overLimit(.anchors, limit: 2)) { try set.place(anchor(3, "c"), at: 4) }
  }

  @Test("what arrives may pass a limit twofold, not more")
  func remoteLimits() throws {
    var limits = ReplicationLimits.default
    (limits.anchors, limits.actors) = (2, 3)
    var (small, large) = (makeSet(1, limits: limits), makeSet(2))
    for number in 0..<5 { _ = try large.place(anchor(number), at: 1) }
    #expect(throws: ReplicationError.overLimit(.anchors, limit: 4)) { try small.pull(from: large) }
    #expect(small.count == 4)
    let snapshot = large.encodeSnapshot()
    #expect(throws: ReplicationError.self) { try small.merge(snapshot: snapshot.span.bytes) }
    var (third, fourth) = (makeSet(3), makeSet(4))
    _ = try third.importAnchors(of: SHA256Digest(hashing: []), anchors: [anchor(8)])
    _ = try third.remove(id(8), at: 1)
    _ = try fourth.place(anchor(9), at: 1)
    _ = try fourth.remove(id(9), at: 2)
    #expect(throws: ReplicationError.overLimit(.actors, limit: 3)) {
      // Itself, the fourth peer, the map and the third peer are four.
      var set = makeSet(5, limits: limits)
      try set.receive(fourth.batches(for: VersionVector()))
      try set.receive(third.batches(for: VersionVector()))
    }
  }

  @Test("a restored anchor says which one it brings back")
  func restored() throws {
    var (left, right) = (makeSet(1), makeSet(2))
    _ = try left.place(anchor(1), at: 1)
    _ = try left.remove(id(1), at: 2)
    _ = try left.restore(anchor(2), from: id(1), flags: 3, at: 3)
    try right.pull(from: left)
    #expect(right.restoredFrom(id(2)) == id(1) && right.value(of: .flags, of: id(2)) == .flags(3))
    var third = makeSet(3)
    try third.merge(snapshot: left.encodeSnapshot().span.bytes)
    #expect(third.restoredFrom(id(2)) == id(1) && third.digest == right.digest)
  }
}
