package import Basics
package import WorldModel

/// One run of a peer's program: the first 8 bytes of its ``PeerID`` and 8 random bytes drawn at each start.
///
/// An actor is never used again, because its sequence numbers begin at 1 and are forgotten in a crash.
package struct ActorID: Hashable, Sendable, Comparable {
  /// The first 8 bytes, big-endian: the peer's half.
  package let peerPrefix: UInt64
  /// The last 8 bytes, big-endian: the random half.
  package let incarnation: UInt64

  /// An actor from its two halves.
  package init(peerPrefix: UInt64, incarnation: UInt64) {
    self.peerPrefix = peerPrefix
    self.incarnation = incarnation
  }

  /// A new run of `peer`, told apart by the random number `incarnation`.
  package init(peer: PeerID, incarnation: UInt64) {
    self.init(peerPrefix: peer.prefix, incarnation: incarnation)
  }

  /// The actor in whose name the anchors of a map join: the first 16 bytes of SHA-256("map-actor" ‖ digest).
  ///
  /// Every peer that shares the map computes the same one, so that concurrent imports are the same operations.
  package init(mapDigest: SHA256Digest) {
    let words = SHA256Digest(hashing: Array("map-actor".utf8) + mapDigest.bytes).words
    self.init(peerPrefix: words[0], incarnation: words[1])
  }

  /// Orders by bytes, first byte first.
  package static func < (left: Self, right: Self) -> Bool {
    (left.peerPrefix, left.incarnation) < (right.peerPrefix, right.incarnation)
  }
}

extension ActorID: CustomStringConvertible {
  /// 32 lower-case hexadecimal digits.
  package var description: String { AnchorID(high: peerPrefix, low: incarnation).bytes.hexadecimal }
}

/// The name of one operation: its actor, and its place among that actor's operations.
package struct Dot: Hashable, Sendable, Comparable {
  /// The author.
  package var actor: ActorID
  /// Its number, from 1 to ``maximumSequence``, without gaps.
  package var sequence: UInt64

  /// The largest sequence number: 2⁴⁸ − 1, which five million operations a second reach after 1.7 years.
  package static let maximumSequence: UInt64 = 1 << 48 - 1

  /// A dot.
  package init(actor: ActorID, sequence: UInt64) {
    self.actor = actor
    self.sequence = sequence
  }

  /// Orders by actor, then by number.
  package static func < (left: Self, right: Self) -> Bool {
    (left.actor, left.sequence) < (right.actor, right.sequence)
  }
}
