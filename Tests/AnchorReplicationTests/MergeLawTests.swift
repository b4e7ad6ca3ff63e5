import AnchorReplication
import Testing
import WorldModel

/// C6: joining states is commutative, associative and idempotent, and the same as exchanging operations.
@Suite("Merge laws")
struct MergeLawTests {
  /// The bytes of what comes of merging the others into `first`, one after the other.
  private func merged(_ first: AnchorSet, _ others: AnchorSet...) throws -> [UInt8] {
    var result = first
    for other in others { try result.merge(snapshot: other.encodeSnapshot().span.bytes) }
    return result.encodeSnapshot()
  }

  @Test("order, grouping and repetition do not matter", arguments: 0..<20)
  func laws(seed: Int) throws {
    var world = ReplicationWorld(seed: UInt64(seed) + 5_000, policy: WorldPolicy())
    for _ in 0..<30 {
      try world.step()
      try world.run(until: world.time + [0, 0.05, 0.5][Int(world.random.next() % 3)])
    }
    let sets = world.peers.map(\.set)
    for _ in 0..<6 {
      let (a, b, c) = (pick(sets, &world), pick(sets, &world), pick(sets, &world))
      #expect(try merged(a, b) == merged(b, a))
      #expect(try merged(a, b, b) == merged(a, b))
      #expect(try merged(a, a) == a.encodeSnapshot())
      var right = b
      try right.merge(snapshot: c.encodeSnapshot().span.bytes)
      #expect(try merged(a, right) == merged(a, b, c))
    }
  }

  @Test("a snapshot does what the operations do", arguments: 0..<20)
  func sameAsOperations(seed: Int) throws {
    var world = ReplicationWorld(seed: UInt64(seed) + 6_000, policy: WorldPolicy())
    for _ in 0..<30 { try world.step() }
    for left in world.peers.map(\.set) {
      for right in world.peers.map(\.set) {
        guard case .log = right.cursorForPeer(with: left.vector) else { continue }
        var (byLog, bySnapshot) = (left, left)
        try byLog.receive(right.batches(for: left.vector))
        try bySnapshot.merge(snapshot: right.encodeSnapshot().span.bytes)
        #expect(byLog.encodeSnapshot() == bySnapshot.encodeSnapshot())
        #expect(byLog.digest == bySnapshot.digest)
        #expect(byLog.anchors == bySnapshot.anchors)
      }
    }
  }

  private func pick(_ sets: [AnchorSet], _ world: inout ReplicationWorld) -> AnchorSet {
    sets[Int(world.random.next() % UInt64(sets.count))]
  }
}
