import AnchorReplication
import PeerProtocol
import Simulator
import Testing
import WorldModel

/// C6: joining states is commutative, associative and idempotent, and the same as exchanging operations.
@Suite("Merge laws")
struct MergeLawTests {
  @Test("order, grouping and repetition do not matter", arguments: 0..<20)
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

  @Test("a snapshot does what the operations do", arguments: 0..<20)
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
}
