import AnchorReplication
import Basics
import WorldModel

/// The invariants of every moment of a ``ReplicationWorld``: C1 by digest, C4 and C5.
struct ReplicationWatch {
  private typealias Marks = [Dot: [AnchorField: (UInt64, UInt64, Stamp)]]

  private var marks: [ActorID: Marks] = [:]
  private var gone: [ActorID: Set<Dot>] = [:]

  mutating func check(_ world: inout ReplicationWorld) {
    var digests: [VersionVector: SHA256Digest] = [:]
    for index in world.peers.indices where world.peers[index].isAlive {
      let (digest, vector) = (world.peers[index].set.digest, world.peers[index].set.vector)
      if let known = digests[vector], known != digest { world.fail("C1 equal vectors, unequal digests") }
      digests[vector] = digest
      if let text = check(&world.peers[index].set) { world.fail("\(text) at \(index + 1)") }
    }
  }

  private mutating func check(_ set: inout AnchorSet) -> String? {
    var present: Marks = [:]
    let before = marks[set.actor] ?? [:]
    for anchor in set.anchors {
      guard let key = set.key(of: anchor.id) else { continue }
      if gone[set.actor]?.contains(key) == true { return "C4 a removed anchor came back" }
      for field in AnchorField.allCases {
        guard let stamp = set.stamp(of: field, of: anchor.id) else { continue }
        var mark: (UInt64, UInt64, Stamp) = (0, 0, stamp)
        if case .lock(let lock)? = set.value(of: field, of: anchor.id) { (mark.0, mark.1) = (lock.epoch, lock.number) }
        present[key, default: [:]][field] = mark
        if let last = before[key]?[field], mark < last { return "C5 a stamp of \(field) went back" }
      }
    }
    // A key that no longer shows was removed, unless another one of the same id hides it; those come from maps only.
    for key in before.keys where present[key] == nil && key.actor.incarnation < 1_000 {
      gone[set.actor, default: []].insert(key)
    }
    marks[set.actor] = present
    return nil
  }
}
