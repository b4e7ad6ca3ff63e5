package import Basics
package import WorldModel

/// The record with which a node comes back into its session after its process has ended: who the members are and
/// who was removed, the session's rules, the highest epoch seen, and its own place in the order of joining.
///
/// Its bytes are canonical (Documentation/Protocol/node-record.md): equal records have equal bytes, and decoded bytes
/// encode to themselves.
package struct NodeRecord: Sendable, Equatable {
  /// "SWNR" in ASCII: tells a record from other files.
  private static let magic: UInt32 = 0x524e_5753
  /// The layouts that this build writes and reads: of open sessions, and of owned ones.
  private static let version: UInt8 = 1
  private static let ownedVersion: UInt8 = 2
  private static let headSize = 5
  private static let checksumSize = 32

  /// Whose record it is; nobody else can come back with it.
  package let peerID: PeerID
  /// The service type of its session.
  package let service: String
  /// The highest epoch the node has seen, at most ``ElectionMessage/greatestCount``: a later host's grants and maps have
  /// to win over earlier ones, also when every member has restarted.
  package var epoch: UInt64 = 0
  /// The node's place in the order of joining, or 0: who has been there for longer goes on being preferred as host.
  package var joinSequence: UInt32 = 0
  /// Whether newcomers are turned away, and how many members there may be.
  package var rules = SessionRules()
  /// The members of the session, where each listens, and those that were removed; in the order of the ids.
  ///
  /// That a member's certificate shows an id in here is all that admits it. Empty when there is no session to return to.
  package var roster: [RosterEntry] = []
  /// The genesis and the statements of an owned session; nil in an open one.
  package var governance: GovernanceRecord?

  /// The record of a node that belongs to no session.
  package init(peerID: PeerID, service: String) {
    self.peerID = peerID
    self.service = service
  }

  /// The record as bytes, at most ``ProtocolLimits/record``.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(governance == nil ? Self.version : Self.ownedVersion)
    writer.write(peerID.digest)
    writer.writeString(service)
    writer.write(epoch)
    writer.write(joinSequence)
    rules.write(to: &writer)
    writer.writeVarint(UInt64(roster.count))
    for entry in roster { entry.write(to: &writer) }
    governance?.write(to: &writer)
    writer.write(SHA256Digest(hashing: writer.bytes))
    return writer.bytes
  }

  /// Reads what ``encoded`` gives.
  ///
  /// - Throws: ``NodeRecordFailure``; nothing is reserved for what the bytes only claim.
  package init(decoding bytes: [UInt8]) throws(NodeRecordFailure) {
    var reader = ByteReader(bytes.span)
    guard (try? reader.read(UInt32.self)) == Self.magic else { throw .foreign }
    let version = try? reader.readByte()
    if let version, version != Self.version, version != Self.ownedVersion { throw .version(version) }
    do throws(DecodingFailure) {
      try Self.checkSum(of: bytes)
      try self.init(reading: &reader)
      if version == Self.ownedVersion { governance = try GovernanceRecord(reading: &reader) }
      guard reader.remaining == Self.checksumSize else { throw .invalid("bytes too many", offset: reader.offset) }
    } catch {
      throw .damaged(error)
    }
  }

  private static func checkSum(of bytes: [UInt8]) throws(DecodingFailure) {
    guard bytes.count <= ProtocolLimits.record else { throw .overLimit(limit: ProtocolLimits.record, offset: 0) }
    guard bytes.count >= headSize + checksumSize else { throw .truncated(offset: bytes.count) }
    let contents = bytes.count - checksumSize
    guard SHA256Digest(bytes: bytes[contents...]) == SHA256Digest(hashing: Array(bytes[..<contents])) else {
      throw .invalid("the checksum does not match", offset: contents)
    }
  }

  private init(reading reader: inout ByteReader) throws(DecodingFailure) {
    peerID = PeerID(try reader.readDigest())
    service = try reader.readString(limit: ProtocolLimits.peerName)
    epoch = try reader.readCount()
    joinSequence = try reader.readJoinSequence()
    let offset = reader.offset
    rules = try SessionRules(reading: &reader)
    roster = try RosterFrame(reading: &reader).entries
    guard rules.version <= RecordVersion.greatest, roster.allSatisfy({ $0.version <= RecordVersion.greatest }) else {
      throw .invalid("a version over 2^31", offset: offset)
    }
    guard zip(roster, roster.dropFirst()).allSatisfy({ $0.peerID < $1.peerID }) else {
      throw .invalid("the members are not in ascending order", offset: offset)
    }
    guard roster.count(where: { $0.status == .present }) <= ProtocolLimits.members else {
      throw .overLimit(limit: ProtocolLimits.members, offset: offset)
    }
  }
}

/// Why bytes are no record that a node can come back with.
package enum NodeRecordFailure: Error, Equatable {
  /// They are something else altogether.
  case foreign
  /// They have a layout that this build does not know.
  case version(UInt8)
  /// They were a record once and are damaged, or are only a part of one.
  case damaged(DecodingFailure)
}

extension NodeRecordFailure: CustomStringConvertible {
  /// The fault, in words.
  package var description: String {
    switch self {
    case .foreign: "it is no state of a session"
    case .version(let version): "it has layout \(version), which this version of the app does not know"
    case .damaged(let failure): "it is damaged: \(failure)"
    }
  }
}
