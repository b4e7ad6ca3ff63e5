import AnchorReplication
import Basics
import Testing
import WorldModel

/// What a peer must not be able to do, whatever bytes it sends; numbers are rows of Documentation/faults.md.
@Suite("Hostile input")
struct HostileInputTests {
  /// A batch of these operations.
  private func batch(_ operations: AnchorOperation...) -> [UInt8] {
    var writer = ByteWriter()
    AnchorDelta(operations).encode(into: &writer)
    return writer.bytes
  }

  private func new(_ number: Int, creator: PeerID? = nil) throws -> NewAnchor {
    NewAnchor(
      id: id(number), creator: creator, pose: try #require(Pose(.identity)), name: "n")
  }

  private func add(_ actor: ActorID, _ sequence: UInt64, clock: UInt64 = 1, _ number: Int) throws -> AnchorOperation {
    AnchorOperation(
      dot: Dot(actor: actor, sequence: sequence), clock: clock, action: .add(try new(number)))
  }

  /// A set with something in it, and all its state as bytes.
  private func settled() throws -> (AnchorSet, [UInt8]) {
    var set = makeSet(1)
    _ = try set.place(anchor(1), at: 10)
    return (set, set.encodeSnapshot())
  }

  @Test("fault 22: a gap ends the link, a duplicate does not")
  func gap() throws {
    var set = makeSet(1)
    try set.receive([batch(try add(actor(2), 1, 11))])
    let found = Dot(actor: actor(2), sequence: 3)
    #expect(throws: ReplicationError.gap(found: found, expected: 2)) {
      try set.receive([batch(try add(actor(2), 3, 12))])
    }
    let outcome = try set.receive([batch(try add(actor(2), 1, 11))])
    #expect(outcome.duplicates == 1 && outcome.applied == 0 && set.count == 1)
  }

  @Test("fault 22: a dot of mine that I never wrote is forged")
  func forged() throws {
    var (set, before) = try settled()
    #expect(throws: ReplicationError.forgedDot(Dot(actor: actor(1), sequence: 2))) {
      try set.receive([batch(try add(actor(3), 1, 5), try add(actor(1), 2, 12))])
    }
    let edit = AnchorOperation(
      dot: Dot(actor: actor(2), sequence: 1), clock: 1,
      action: .set(key: Dot(actor: actor(1), sequence: 9), base: 0, .name("x")))
    #expect(throws: ReplicationError.forgedDot(Dot(actor: actor(1), sequence: 9))) { try set.receive([batch(edit)]) }
    var other = makeSet(1)
    _ = try other.place(anchor(1), at: 10)
    _ = try other.place(anchor(2), at: 10)
    let snapshot = other.encodeSnapshot()
    #expect(throws: ReplicationError.forgedDot(Dot(actor: actor(1), sequence: 2))) {
      try set.merge(snapshot: snapshot.span.bytes)
    }
    #expect(set.encodeSnapshot() == before)
  }

  @Test("fault 23: a clock far ahead is refused on its author's link only")
  func clockAhead() throws {
    var (set, before) = try settled()
    let late = try add(actor(2), 1, clock: (10_000 + 60_001) << 16, 2)
    let author = LinkAuthor(peer: peer(2), sessionMilliseconds: 10_000)
    #expect(throws: ReplicationError.clockAhead(Dot(actor: actor(2), sequence: 1), by: 1)) {
      try set.receive([batch(late)], judging: author)
    }
    #expect(set.encodeSnapshot() == before)
    try set.receive([batch(late)], judging: LinkAuthor(peer: peer(3), sessionMilliseconds: 10_000))
    #expect(set.count == 2)
    var sender = makeSet(6)
    _ = try sender.place(anchor(9), at: 70_001)
    let snapshot = sender.encodeSnapshot()
    #expect(throws: ReplicationError.clockAhead(Dot(actor: actor(6), sequence: 1), by: 1)) {
      try set.merge(snapshot: snapshot.span.bytes, judging: LinkAuthor(peer: peer(6), sessionMilliseconds: 10_000))
    }
    #expect(set.count == 2)
    let limit = try add(actor(4), 1, clock: (10_000 + 60_000) << 16, 3)
    try set.receive([batch(limit)], judging: LinkAuthor(peer: peer(4), sessionMilliseconds: 10_000))
    #expect(set.count == 3)
  }

  @Test("fault 23: a pose that is not rigid, not finite or subnormal is refused with the whole batch")
  func poses() throws {
    var (set, before) = try settled()
    let good = try add(actor(2), 1, 2)
    let move = AnchorOperation(
      dot: Dot(actor: actor(2), sequence: 2), clock: 2,
      action: .set(key: Dot(actor: actor(2), sequence: 1), base: 1, .pose(try #require(Pose(.identity)))))
    let bytes = batch(good, move)
    for value: Float in [.nan, .infinity, -.infinity, .leastNonzeroMagnitude, 1.01, -1, 0.99] {
      var broken = ByteWriter()
      broken.write(value)
      // The last pose: its first number is the x of the x axis.
      let bad = bytes.dropLast(48) + broken.bytes + bytes.suffix(44)
      #expect(throws: ReplicationError.self, "\(value)") { try set.receive([Array(bad)]) }
    }
    #expect(set.encodeSnapshot() == before && set.vector.entries.count == 1)
    try set.receive([bytes])
    #expect(set.count == 2)
  }

  @Test("a creator who is not the author is refused")
  func creator() throws {
    var (set, before) = try settled()
    let operation = AnchorOperation(
      dot: Dot(actor: actor(2), sequence: 1), clock: 1, action: .add(try new(2, creator: peer(3))))
    #expect(throws: ReplicationError.self) { try set.receive([batch(operation)]) }
    #expect(set.encodeSnapshot() == before)
  }

  @Test("every prefix and every flipped bit of a batch is refused or applied, and nothing else")
  func mangledBatches() throws {
    let (source, _) = try busySet()
    let bytes = try #require(source.batches(for: VersionVector(), limit: 100_000).first)
    var refused = 0
    for count in 0..<bytes.count {
      var set = makeSet(5)
      do {
        try set.receive([Array(bytes.prefix(count))])
        #expect(source.vector.covers(set.vector))
      } catch {
        refused += 1
        #expect(set.vector == VersionVector() && set.count == 0)
      }
    }
    // Only where a run ends does a prefix make sense: at the start, and twice between runs.
    #expect(refused == bytes.count - 2)
    for bit in 0..<(bytes.count * 8) {
      var mangled = bytes
      mangled[bit / 8] ^= 1 << UInt8(bit % 8)
      var set = makeSet(5)
      let before = set.encodeSnapshot()
      do {
        try set.receive([mangled])
      } catch let error as ReplicationError {
        if case .malformed = error { #expect(set.encodeSnapshot() == before) }
      }
    }
  }

  @Test("every prefix and every flipped bit of a snapshot is refused or merged, and nothing else")
  func mangledSnapshots() throws {
    let bytes = try busySet().0.encodeSnapshot()
    for count in 0..<bytes.count {
      var set = makeSet(5)
      #expect(throws: ReplicationError.self) { try set.merge(snapshot: Array(bytes.prefix(count)).span.bytes) }
      #expect(set.count == 0 && set.vector == VersionVector())
    }
    for bit in 0..<(bytes.count * 8) {
      var mangled = bytes
      mangled[bit / 8] ^= 1 << UInt8(bit % 8)
      var set = makeSet(5)
      do {
        try set.merge(snapshot: mangled.span.bytes)
        // What is accepted is canonical: it encodes to the same bytes.
        #expect(set.encodeSnapshot() == mangled)
      } catch {
        #expect(set.count == 0 && set.vector == VersionVector())
      }
    }
  }

  /// A set with every kind of operation and register.
  private func busySet() throws -> (AnchorSet, AnchorSet) {
    var (left, right) = (makeSet(1), makeSet(2))
    _ = try left.place(anchor(1), at: 10)
    _ = try left.place(anchor(2, "desk"), at: 11)
    try right.pull(from: left)
    _ = try right.move(id(1), to: Transform(translation: [1, 2, 3]), at: 12)
    _ = try right.setPayload(.init(contentType: "a/b", bytes: [1, 2]), of: id(1), at: 13)
    _ = try right.setLock(.init(owner: peer(2), leaseUntil: 1, epoch: 2, number: 3), of: id(1), at: 14)
    _ = try right.remove(id(2), at: 15)
    _ = try right.restore(anchor(3), from: id(2), at: 16)
    try left.pull(from: right)
    return (left, right)
  }
}
