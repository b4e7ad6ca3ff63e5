package import AnchorReplication
package import Basics
import WorldModel

/// A peer with a key hash of repeated bytes, as in Fixtures/Wire.
private func peer(_ number: UInt64) -> PeerID {
  PeerID(SHA256Digest(words: SIMD4(repeating: number &* 0x0101_0101_0101_0101)))
}

/// An empty set of the peer `number`.
package func emptySet(_ number: UInt64) -> AnchorSet {
  AnchorSet(actor: ActorID(peer: peer(number), incarnation: 1), peer: peer(number))
}

/// A set of peer 1 or 9 that is empty or has two anchors of its own: `choice` selects.
///
/// The actors of the golden files are peers 1 and 2, so that their operations and this set's may be the same, forged,
/// or unrelated.
package func startSet(_ choice: UInt8) -> AnchorSet {
  var set = emptySet(choice & 2 == 0 ? 9 : 1)
  guard choice & 1 == 1 else { return set }
  for number in 1...2 as ClosedRange<UInt64> {
    let anchor = Anchor(id: AnchorID(high: 0, low: number), name: "own", transform: .identity)
    precondition((try? set.place(anchor, at: number)) != nil)
  }
  return set
}

/// Whatever a set has taken in, its own snapshot brings all of it to another set.
package func checkSnapshot(of set: inout AnchorSet) {
  let bytes = set.encodeSnapshot()
  var other = emptySet(77)
  precondition((try? other.merge(snapshot: bytes.span.bytes)) != nil, "a set's own snapshot is refused")
  precondition(other.digest == set.digest, "equal sets with different digests")
  precondition(other.encodeSnapshot() == bytes, "a snapshot is not canonical")
  precondition(other.anchors == set.anchors, "a snapshot loses anchors")
  precondition(set.anchors.allSatisfy { (try? $0.validate()) != nil }, "a set shows an anchor that is not valid")
}
