package import Basics
package import WorldModel

/// The signed word of a member that another one was removed, by it or by the host that it follows.
///
/// Records are not signed, and the host of another part of the session believes no single member. With two of these, of two
/// members, it does: neither of them has to be there.
package struct RemovalWitness: Sendable, Equatable, FrameBody {
  /// Bytes on the wire.
  package static let size = Statement.keySize + 32 + 8 + Statement.signatureSize
  private static let purpose = Array("sharedworld removal".utf8)

  /// The public key of the witness.
  package let key: [UInt8]
  /// The removed peer.
  package let subject: PeerID
  /// Which start of the witness's process it is, which takes part in one session only: the removal counts in no later one.
  package let incarnation: UInt64
  /// The signature over all of this.
  package let signature: [UInt8]

  package init(key: [UInt8], subject: PeerID, incarnation: UInt64, signature: [UInt8]) {
    self.key = key
    self.subject = subject
    self.incarnation = incarnation
    self.signature = signature
  }

  /// The word of a start of this peer itself; nil when it cannot be signed.
  package init?(of subject: PeerID, by incarnation: UInt64, _ signatures: Signatures) {
    let key = signatures.publicKey
    guard let signature = signatures.sign(Self.signedBytes(key, subject, incarnation)),
      signature.count == Statement.signatureSize
    else { return nil }
    self.init(key: key, subject: subject, incarnation: incarnation, signature: signature)
  }

  /// Whether the owner of the key has signed this.
  func isSigned(_ signatures: Signatures) -> Bool {
    signatures.verify(signature, Self.signedBytes(key, subject, incarnation), key)
  }

  private static func signedBytes(_ key: [UInt8], _ subject: PeerID, _ incarnation: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(bytes: purpose)
    write(key, subject, incarnation, to: &writer)
    return writer.bytes
  }

  private static func write(_ key: [UInt8], _ subject: PeerID, _ incarnation: UInt64, to writer: inout ByteWriter) {
    writer.write(bytes: key)
    writer.write(subject.digest)
    writer.write(incarnation)
  }

  package func write(to writer: inout ByteWriter) {
    Self.write(key, subject, incarnation, to: &writer)
    writer.write(bytes: signature)
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    key = try reader.readBytes(Statement.keySize)
    subject = PeerID(try reader.readDigest())
    incarnation = try reader.read(UInt64.self)
    signature = try reader.readBytes(Statement.signatureSize)
  }
}

/// Some of the removals that the sender knows to be witnessed.
package struct RemovalWitnesses: Sendable, Equatable, FrameBody {
  /// Witnesses in one frame.
  package static let limit = 64
  /// Bytes of the longest frame.
  static let largest = 1 + limit * RemovalWitness.size

  package let witnesses: [RemovalWitness]

  /// At most ``limit`` of them.
  package init(_ witnesses: [RemovalWitness]) {
    self.witnesses = Array(witnesses.prefix(Self.limit))
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(UInt8(witnesses.count))
    for witness in witnesses { witness.write(to: &writer) }
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    witnesses = try reader.readShortList(of: RemovalWitness.self, limit: Self.limit)
  }
}
