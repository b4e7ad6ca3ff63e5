import AnchorReplication
import Basics
import Simulator
import TestSupport
import Testing
import WorldModel

/// C6: joining states is commutative, associative and idempotent, and the same as exchanging operations.
@Suite("Merge laws")
struct MergeLawTests {
  @Test("order, grouping and repetition do not matter", arguments: Tier.seeds(0...19))
  func laws(seed: Int) {
    var world = ReplicationWorld(seed: UInt64(seed) + 5_000)
    for _ in 0..<30 {
      world.step()
      world.run(for: [0, 50, 500][world.random.below(3)])
    }
    let sets = world.peers.map(\.set)
    for _ in 0..<6 {
      let picked = (0..<3).map { _ in sets[world.random.below(sets.count)] }
      #expect(MergeLaws.breach(picked[0], picked[1], picked[2]) == nil)
    }
  }

  @Test("a snapshot does what the operations do", arguments: Tier.seeds(0...19))
  func sameAsOperations(seed: Int) throws {
    var world = ReplicationWorld(seed: UInt64(seed) + 6_000)
    for _ in 0..<30 { world.step() }
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

  /// Three sets that a liar gave different operations under the same dots: another place, name and owner, another anchor,
  /// a removal in one of them.
  private func divergent() throws -> [AnchorSet] {
    let liar = actor(9)
    return try (1...3).map { number in
      var set = makeSet(number)
      let pose = try #require(Pose(Transform(translation: [Float(number), -0.0, 0])))
      let key = Dot(actor: liar, sequence: 1)
      func add(_ sequence: UInt64, _ id: AnchorID, _ name: String) -> AnchorOperation {
        let anchor = NewAnchor(id: id, creator: nil, pose: pose, name: name)
        return AnchorOperation(dot: Dot(actor: liar, sequence: sequence), clock: 5, action: .add(anchor))
      }
      func edit(_ sequence: UInt64, _ action: AnchorOperation.Action) -> AnchorOperation {
        AnchorOperation(dot: Dot(actor: liar, sequence: sequence), clock: 5 + sequence, action: action)
      }
      // The two ways to write ö are equal to Swift, and not to a hash.
      let name = number == 1 ? "\u{f6}" : "o\u{308}"
      let lock = AnchorLock(owner: peer(number), leaseUntil: 9, epoch: 1, number: 1)
      let removal = AnchorOperation.Action.remove(key: Dot(actor: liar, sequence: 3), seen: FieldClocks(all: 5))
      let last = number == 2 ? removal : .set(key: key, base: 5, .flags(7))
      let operations = [
        add(1, id(1), name), add(2, id(number + 1), "moved"), add(3, id(8), "lamp"),
        edit(4, .set(key: key, base: 5, .lock(lock))), edit(5, last),
      ]
      var batch = ByteWriter()
      AnchorDelta(operations).encode(into: &batch)
      try set.receive([batch.bytes])
      return set
    }
  }

  @Test("sets that differ under equal vectors are the same after a full merge, in whatever order they meet")
  func divergenceEnds() throws {
    let sets = try divergent()
    #expect(Set(sets.map(\.vector.entries)).count == 1)
    #expect(MergeLaws.breach(sets[0], sets[1], sets[2]) == nil)
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
      var met = order.map { sets[$0] }
      // Each pair sends what it has at the same moment, as two members do that find it out.
      for (one, other) in [(0, 1), (1, 2), (0, 2), (0, 1)] {
        let (left, right) = (met[one].encodeSnapshot(), met[other].encodeSnapshot())
        try met[one].merge(snapshot: right.span.bytes)
        try met[other].merge(snapshot: left.span.bytes)
        let (leftDigest, rightDigest) = (met[one].digest, met[other].digest)
        #expect(leftDigest == rightDigest)
        #expect(met[one].anchors == met[other].anchors && met[one].count == met[one].anchors.count)
      }
    }
  }
}
