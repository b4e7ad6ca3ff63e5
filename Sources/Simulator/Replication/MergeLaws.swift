package import AnchorReplication

/// C6: joining states is commutative, associative and idempotent.
package enum MergeLaws {
  /// The law that does not hold for three sets; nil if all do.
  package static func breach(_ first: AnchorSet, _ second: AnchorSet, _ third: AnchorSet) -> String? {
    do throws(ReplicationError) {
      let (first, second, third) = (try state(of: first, 1), try state(of: second, 2), try state(of: third, 3))
      let joined = try merged(first, second)
      guard try joined.encodeSnapshot() == merged(second, first).encodeSnapshot() else { return "not commutative" }
      guard try merged(joined, second).encodeSnapshot() == joined.encodeSnapshot() else { return "not idempotent" }
      let (left, right) = (try merged(joined, third), try merged(first, merged(second, third)))
      return left.encodeSnapshot() == right.encodeSnapshot() ? nil : "not associative"
    } catch {
      return "a state was refused: \(error)"
    }
  }

  /// The state alone: what waits for its turn in a set is no part of it, but may have its turn in a merge.
  private static func state(of set: AnchorSet, _ number: UInt64) throws(ReplicationError) -> AnchorSet {
    try merged(AnchorSet(actor: ActorID(peer: SessionPeer.identity(of: 1_000), incarnation: number)), set)
  }

  /// The result of merging the state of `other` into `set`.
  private static func merged(_ set: AnchorSet, _ other: AnchorSet) throws(ReplicationError) -> AnchorSet {
    var result = set
    let snapshot = other.encodeSnapshot()
    try unsafe result.merge(snapshot: snapshot.span.bytes)
    return result
  }
}
