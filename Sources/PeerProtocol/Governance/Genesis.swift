package import Basics

/// The beginning of an owned session; its hash names the session and cannot be taken by another creator.
package struct Genesis: Sendable, Equatable, FrameBody {
  /// Bytes on the wire.
  package static let size = Statement.keySize + 2 + nonceSize
  /// Bytes of the nonce.
  package static let nonceSize = 16
  /// The numbers of the policies: in both the creator and the moderators it names admit, remove and lock; in the second members
  /// share no maps, but publishers do.
  private static let (owned, curated): (UInt8, UInt8) = (1, 2)
  private static let purpose = Array("sharedworld genesis".utf8)

  /// The creator's public key.
  package let creator: [UInt8]
  /// The most members of the session, 2 to ``ProtocolLimits/members``.
  package let limit: Int
  /// Whether members that are no publishers share no maps.
  package let isCurated: Bool
  /// Random bytes, so that a creator may begin many sessions.
  package let nonce: [UInt8]

  package init(creator: [UInt8], limit: Int, isCurated: Bool = false, nonce: [UInt8]) {
    precondition(creator.count == Statement.keySize && nonce.count == Self.nonceSize, "a genesis has fixed sizes")
    self.creator = creator
    self.isCurated = isCurated
    self.limit = min(max(limit, 2), ProtocolLimits.members)
    self.nonce = nonce
  }

  /// The id of the session.
  package var session: SHA256Digest {
    var writer = ByteWriter()
    writer.write(bytes: Self.purpose)
    write(to: &writer)
    return SHA256Digest(hashing: writer.bytes)
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(bytes: creator)
    writer.write(isCurated ? Self.curated : Self.owned)
    writer.write(UInt8(limit))
    writer.write(bytes: nonce)
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    creator = try reader.readBytes(Statement.keySize)
    let offset = reader.offset
    let policy = try reader.readByte()
    guard policy == Self.owned || policy == Self.curated else {
      throw .invalid("unknown policy of a session", offset: offset)
    }
    isCurated = policy == Self.curated
    limit = Int(try reader.readByte())
    guard (2...ProtocolLimits.members).contains(limit) else {
      throw .invalid("a session's limit is not 2 to \(ProtocolLimits.members)", offset: offset + 1)
    }
    nonce = try reader.readBytes(Self.nonceSize)
  }
}
