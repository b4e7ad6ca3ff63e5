package import AnchorReplication
package import Basics

/// Kinds that were written after their anchors were added: as many as fit into a frame.
package struct KindList: FrameBody, Equatable, Sendable {
  package let writes: [KindWrite]

  package init(_ writes: [KindWrite]) {
    self.writes = writes
  }

  /// Appends how many writes there are, and the writes.
  package func write(to writer: inout ByteWriter) {
    writer.write(UInt16(writes.count))
    for write in writes { write.write(to: &writer) }
  }

  /// Reads what ``write(to:)`` wrote; refuses a list of none.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let count = try reader.read(UInt16.self)
    guard count > 0 else { throw .invalid("a list of no kinds", offset: 0) }
    var writes: [KindWrite] = []
    for _ in 0..<count { writes.append(try KindWrite(reading: &reader)) }
    self.writes = writes
  }
}

/// One side's digest of the kinds that were written.
package struct KindComparison: FrameBody, Equatable, Sendable {
  /// Bytes on the wire.
  package static let size = 1 + 8 * KindDigest.parts

  /// Whether the sender wants the other side's digest in return, if that differs.
  package let wantsAnswer: Bool
  package let digest: KindDigest

  package init(wantsAnswer: Bool, digest: KindDigest) {
    (self.wantsAnswer, self.digest) = (wantsAnswer, digest)
  }

  /// Appends the flag and the parts of the digest.
  package func write(to writer: inout ByteWriter) {
    writer.write(UInt8(wantsAnswer ? 1 : 0))
    for sum in digest.sums { writer.write(sum) }
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    wantsAnswer = try reader.readFlag()
    var sums: [UInt64] = []
    for _ in 0..<KindDigest.parts { sums.append(try reader.read(UInt64.self)) }
    digest = KindDigest(sums: sums)
  }
}
