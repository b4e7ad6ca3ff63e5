import AnchorReplication
import Basics
import Testing
import WorldModel

/// The anchors of a shared map join once, for any provider, and stay removed.
@Suite("Import of a map")
struct ImportTests {
  private let digest = SHA256Digest(hashing: [1])
  private let later = SHA256Digest(hashing: [2])

  @Test("two peers import at once and each anchor is there once, without a creator")
  func concurrent() throws {
    var (left, right) = (makeSet(1), makeSet(2))
    #expect(try left.importAnchors(of: digest, anchors: [anchor(2), anchor(1)]) == 2)
    #expect(try right.importAnchors(of: digest, anchors: [anchor(1), anchor(2)]) == 2)
    #expect(left.digest == right.digest && left.vector == right.vector)
    try left.pull(from: right)
    #expect(left.anchors.map(\.id) == [id(1), id(2)])
    #expect(left.anchors.allSatisfy { $0.creator == nil && $0.createdAt == nil })
    #expect(try left.importAnchors(of: digest, anchors: [anchor(1), anchor(2)]) == 0)
    #expect(left.count == 2)
  }

  @Test("a participant is placed by itself alone, and those of a map are left out")
  func participants() throws {
    var set = makeSet(1)
    let (own, other) = (peer(1), PeerID(SHA256Digest(hashing: [9])))
    var standing = anchor(1)
    standing.kind = .participant(other)
    #expect(throws: AnchorError.foreignParticipant(id(1))) { try set.place(standing, at: 1) }
    #expect(try set.importAnchors(of: digest, anchors: [standing, anchor(2)]) == 1)
    #expect(set.anchors.map(\.id) == [id(2)])
    standing.kind = .participant(own)
    _ = try set.place(standing, at: 2)
    #expect(set.count == 2)
  }

  @Test("a removed anchor does not come back when the map is shared again")
  func removedStaysRemoved() throws {
    var (left, right) = (makeSet(1), makeSet(2))
    try left.importAnchors(of: digest, anchors: [anchor(1), anchor(2)])
    _ = try left.remove(id(1), at: 5)
    try left.importAnchors(of: digest, anchors: [anchor(1), anchor(2)])
    #expect(left.anchors.map(\.id) == [id(2)])
    // The other has the map only now, and hears of the removal afterwards.
    try right.importAnchors(of: digest, anchors: [anchor(1), anchor(2)])
    try right.pull(from: left)
    try left.pull(from: right)
    #expect(right.anchors.map(\.id) == [id(2)] && right.digest == left.digest)
  }

  @Test("an import takes up where operations from another peer stopped")
  func partial() throws {
    var (left, right) = (makeSet(1), makeSet(2))
    let anchors = (0..<10).map { anchor($0) }
    try left.importAnchors(of: digest, anchors: anchors)
    var assembly = OperationAssembly()
    let first = try #require(left.batches(for: VersionVector(), limit: 400).first)
    let outcome = try right.apply(operations: first.span.bytes, assembly: &assembly, judging: nil)
    #expect(outcome.applied > 0 && outcome.applied < 10)
    #expect(try right.importAnchors(of: digest, anchors: anchors) == 10 - outcome.applied)
    #expect(right.digest == left.digest)
  }

  @Test("an id that two maps hold shows once, the same everywhere, and one removal removes it")
  func sameIDInTwoMaps() throws {
    var (left, right) = (makeSet(1), makeSet(2))
    try left.importAnchors(of: digest, anchors: [anchor(1, "old")])
    try left.importAnchors(of: later, anchors: [anchor(1, "new"), anchor(2)])
    try right.importAnchors(of: later, anchors: [anchor(1, "new"), anchor(2)])
    #expect(left.count == 2 && right.count == 2)
    try right.importAnchors(of: digest, anchors: [anchor(1, "old")])
    let expected = ActorID(mapDigest: digest) < ActorID(mapDigest: later) ? "old" : "new"
    #expect(left[id(1)]?.name == expected && right[id(1)]?.name == expected)
    #expect(left.digest == right.digest && left.anchors == right.anchors)
    _ = left.changes()
    _ = try left.rename(id(1), to: "named", at: 5)
    _ = try left.remove(id(1), at: 6)
    #expect(left[id(1)] == nil && left.count == 1)
    #expect(left.changes().map { if case .removed = $0.kind { 1 } else { 0 } } == [0, 1])
    try right.pull(from: left)
    #expect(right[id(1)] == nil && right.digest == left.digest)
  }

  @Test("a key that shows instead is told as an update, and an import of a known id by place is refused")
  func visibilityEvents() throws {
    let (low, high) = ActorID(mapDigest: digest) < ActorID(mapDigest: later) ? (digest, later) : (later, digest)
    var set = makeSet(1)
    try set.importAnchors(of: high, anchors: [anchor(1, "high")])
    _ = set.changes()
    try set.importAnchors(of: low, anchors: [anchor(1, "low")])
    #expect(set.changes().map(\.kind) == [.updated(.all)])
    #expect(set[id(1)]?.name == "low")
    #expect(throws: AnchorError.duplicateAnchor(id(1))) { try set.place(anchor(1), at: 1) }
  }

  @Test("a map that was saved and shared again does not undo what was edited meanwhile")
  func savedMap() throws {
    for number in 0..<8 {
      var (left, right) = (makeSet(1), makeSet(2))
      _ = try left.place(anchor(1, "placed"), at: 5)
      try left.importAnchors(of: digest, anchors: [anchor(2, "from the map")])
      let saved = left.anchors
      _ = try left.rename(id(1), to: "later", at: 6)
      _ = try left.rename(id(2), to: "later", at: 7)
      try right.pull(from: left)
      let revision = SHA256Digest(hashing: [UInt8(number), 9])
      try left.importAnchors(of: revision, anchors: saved)
      #expect(left.anchors.map(\.name) == ["later", "later"] && left[id(1)]?.creator == peer(1))
      // The other has the revision first, and the edits meet it in another order.
      var third = makeSet(3)
      try third.importAnchors(of: revision, anchors: saved)
      _ = third.changes()
      try third.pull(from: right)
      #expect(third.anchors == left.anchors && third.digest == left.digest)
      #expect(third.changes().allSatisfy { $0.kind == .updated(.all) || $0.kind == .updated(.name) })
      _ = try third.remove(id(1), at: 9)
      #expect(third.count == 1)
    }
  }

  @Test("a map with an id twice, a bad pose or too many anchors changes nothing")
  func refused() throws {
    var limits = ReplicationLimits.default
    limits.anchors = 3
    var set = makeSet(1, limits: limits)
    #expect(throws: AnchorError.duplicateAnchor(id(1))) {
      try set.importAnchors(of: digest, anchors: [anchor(1), anchor(2), anchor(1)])
    }
    #expect(throws: AnchorError.self) { try set.importAnchors(of: digest, anchors: [anchor(1), anchor(2, x: .nan)]) }
    #expect(throws: AnchorError.overLimit(.anchors, limit: 3)) {
      try set.importAnchors(of: digest, anchors: (0..<4).map { anchor($0) })
    }
    #expect(set.count == 0 && set.vector == VersionVector() && set.changes().isEmpty)
  }
}
