package import Basics
package import WorldModel

/// One run of one peer's process: the peer and a number drawn at random when the process started.
///
/// A restarted process is a new node, so nothing that was said by or about its earlier run can be taken for it.
package struct NodeID: Hashable, Sendable {
  /// The peer that runs the process.
  package let peer: PeerID

  /// Which run it is, drawn at random at start; equality is all that matters.
  package let incarnation: UInt64

  /// Names one run of `peer`.
  package init(peer: PeerID, incarnation: UInt64) {
    self.peer = peer
    self.incarnation = incarnation
  }
}

extension NodeID: Comparable {
  /// Orders by peer, then by incarnation.
  package static func < (left: Self, right: Self) -> Bool {
    left.peer == right.peer ? left.incarnation < right.incarnation : left.peer < right.peer
  }
}

extension NodeID: CustomStringConvertible {
  /// The first eight digits of the peer and the last four of the incarnation, for people to read.
  package var description: String {
    let digits = String(incarnation & 0xffff, radix: 16)
    return "\(peer.short)·\(String(repeating: "0", count: 4 - digits.count))\(digits)"
  }
}

extension NodeID {
  /// Bytes of a node on the wire: 32 of the peer and 8 of the incarnation.
  package static let wireSize = 40

  /// Appends the peer's 32 bytes and the incarnation, little-endian.
  package func write(to writer: inout ByteWriter) {
    writer.write(peer.digest)
    writer.write(incarnation)
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    peer = PeerID(try reader.readDigest())
    incarnation = try reader.read(UInt64.self)
  }
}
