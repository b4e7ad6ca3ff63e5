import Basics
import Testing
import WorldModel

@testable import AnchorReplication

@Suite("Operation log")
struct LogTests {
  @Test("a payload of 64 KiB passes through frames of 16 KiB in parts")
  func parts() throws {
    var (left, right) = (makeSet(1), makeSet(2))
    let payload = Anchor.Payload(contentType: "x/y", bytes: (0..<65_536).map { UInt8(truncatingIfNeeded: $0 * 7) })
    _ = try left.place(anchor(1), at: 1)
    _ = try left.setPayload(payload, of: id(1), at: 2)
    _ = try left.rename(id(1), to: "after", at: 3)
    let batches = try left.batches(for: VersionVector(), limit: 16_384)
    #expect(batches.count == 7 && batches.allSatisfy { $0.count <= 16_384 })
    #expect(try right.receive(batches).applied == 3)
    #expect(right[id(1)]?.payload == payload && right.digest == left.digest)
    // A part out of turn is refused; one that begins again is not.
    var fresh = makeSet(3)
    #expect(throws: ReplicationError.self) { try fresh.receive([batches[0], batches[2]]) }
    var restarted = makeSet(3)
    try restarted.receive([batches[0], batches[1], batches[2]] + batches[1...])
    #expect(restarted.digest == left.digest)
  }

  @Test("batches stay within the limit, whatever it is", arguments: [256, 300, 1_000, 60_000])
  func limits(limit: Int) throws {
    var (left, right) = (makeSet(1), makeSet(2))
    for number in 0..<200 { _ = try left.place(anchor(number, "name \(number)"), at: UInt64(number)) }
    let batches = try left.batches(for: VersionVector(), limit: limit)
    #expect(batches.allSatisfy { $0.count <= limit })
    #expect(try right.receive(batches).applied == 200)
  }

  @Test("an operation that is passed over between its parts leaves nothing behind")
  func passedOverBetweenParts() throws {
    var (left, right) = (makeSet(1), makeSet(2))
    let payload = Anchor.Payload(contentType: "x/y", bytes: [UInt8](repeating: 7, count: 2_000))
    _ = try left.place(anchor(1), at: 1)
    try right.pull(from: left)
    _ = try left.setPayload(payload, of: id(1), at: 2)
    var cursor = try left.cursor(for: right.vector)
    var parts = ByteWriter()
    #expect(left.readLog(&cursor, limit: 1_000, into: &parts) == .batch)
    // Another peer brings the rest.
    #expect(left.readLog(&cursor, limit: 1_000, skip: { _ in true }, into: &parts) == .upToDate)
    try right.pull(from: left)
    _ = try left.rename(id(1), to: "after", at: 3)
    #expect(try right.receive(left.batches(from: &cursor)).applied == 1)
    #expect(right.digest == left.digest)
  }

  @Test("a cursor skips what the peer has and what others bring")
  func skipping() throws {
    var (left, right, third) = (makeSet(1), makeSet(2), makeSet(3))
    _ = try left.place(anchor(1), at: 1)
    try right.pull(from: left)
    _ = try right.place(anchor(2), at: 2)
    var cursor = try right.cursor(for: left.vector)
    #expect(try left.receive(right.batches(from: &cursor)).applied == 1)
    cursor = try right.cursor(for: VersionVector())
    var writer = ByteWriter()
    #expect(right.readLog(&cursor, limit: 1_000, skip: { $0 == actor(1) }, into: &writer) == .batch)
    #expect(try third.receive([writer.bytes]).applied == 1)
    #expect(third.vector == VersionVector(covering: [Dot(actor: actor(2), sequence: 1)]))
    right.advance(&cursor, by: right.vector)
    #expect(right.readLog(&cursor, limit: 1_000, into: &writer) == .upToDate)
  }

  @Test("what was pruned needs a snapshot; a cursor behind it notices")
  func pruning() throws {
    var (left, right) = (makeSet(1), makeSet(2))
    _ = try left.place(anchor(1), at: 1)
    try right.pull(from: left)
    var behind = try left.cursor(for: VersionVector())
    left.prune(acknowledgedBy: VersionVector())
    #expect(left.logByteCount > 0)
    left.prune(acknowledgedBy: right.vector)
    #expect(left.logByteCount == 0)
    var writer = ByteWriter()
    #expect(left.readLog(&behind, limit: 1_000, into: &writer) == .snapshotNeeded && writer.count == 0)
    #expect(throws: TestFailure.snapshotNeeded) { try left.cursor(for: VersionVector()) }
    _ = try left.rename(id(1), to: "b", at: 2)
    try right.pull(from: left)
    #expect(right.digest == left.digest)
  }

  @Test("the log keeps its limit and evicts the oldest")
  func eviction() throws {
    var limits = ReplicationLimits.default
    limits.logBytes = 200_000
    var set = makeSet(1, limits: limits)
    _ = try set.place(anchor(1), at: 1)
    var last = set.cursorAfterSnapshot()
    for step in 0..<10_000 {
      _ = try set.move(id(1), to: Transform(translation: [Float(step), 0, 0]), at: UInt64(step))
      if step == 9_000 { last = set.cursorAfterSnapshot() }
    }
    #expect(set.logByteCount <= 200_000 + 65_536 && set.logByteCount > 100_000)
    #expect(throws: TestFailure.snapshotNeeded) { try set.cursor(for: VersionVector()) }
    // A cursor that read up to step 9,000 still has all it needs, but only for a peer that has the rest.
    var other = makeSet(2)
    #expect(throws: ReplicationError.self) { try other.receive(set.batches(from: &last)) }
    try other.pull(from: set)
    #expect(other.digest == set.digest)
  }

  @Test("a merge that skips operations sends waiting cursors to a snapshot")
  func mergeUnderCursor() throws {
    var (left, right, third) = (makeSet(1), makeSet(2), makeSet(3))
    _ = try left.place(anchor(1), at: 1)
    try right.pull(from: left)
    var cursor = try right.cursor(for: third.vector)
    try third.receive(right.batches(from: &cursor))
    _ = try left.place(anchor(2), at: 2)
    try right.merge(snapshot: left.encodeSnapshot().span.bytes)
    var writer = ByteWriter()
    #expect(right.readLog(&cursor, limit: 1_000, into: &writer) == .snapshotNeeded)
    // Once the peer has the rest from elsewhere, the same cursor goes on.
    try third.pull(from: left)
    right.advance(&cursor, by: third.vector)
    _ = try right.place(anchor(3), at: 3)
    try third.receive(right.batches(from: &cursor))
    #expect(third.count == 3)
  }

  @Test("operations wait for their anchor; without room they are asked for again")
  func waiting() throws {
    var limits = ReplicationLimits.default
    limits.heldOperations = 2
    var (left, right, third) = (makeSet(1), makeSet(2), makeSet(3, limits: limits))
    _ = try left.place(anchor(1), at: 1)
    try right.pull(from: left)
    for step in 0..<5 { _ = try right.rename(id(1), to: "\(step)", at: UInt64(step)) }
    var cursor = try right.cursor(for: left.vector)
    let outcome = try third.receive(right.batches(from: &cursor))
    #expect(outcome.applied == 0 && third.heldCount == 2 && third.heldActors == [actor(2)])
    #expect(third.lacksOperations(of: actor(2)) && !third.lacksOperations(of: actor(1)))
    #expect(try third.receive(left.batches(for: third.vector)).applied == 3)
    #expect(third.heldCount == 0 && third.lacksOperations(of: actor(2)) && third[id(1)]?.name == "1")
    // The stream goes on behind what was dropped: that is no gap.
    _ = try right.rename(id(1), to: "later", at: 9)
    #expect(try third.receive(right.batches(from: &cursor)).applied == 0)
    cursor = try right.cursor(for: third.vector)
    #expect(try third.receive(right.batches(from: &cursor)).applied == 4)
    #expect(third.digest == right.digest && !third.lacksOperations(of: actor(2)))
  }
}
