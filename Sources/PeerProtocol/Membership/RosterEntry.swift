package import Basics
package import WorldModel

/// The record of one peer that members tell each other: the last writer wins.
package struct RosterEntry: Sendable, Equatable {
  /// Whether the peer belongs to the session.
  package enum Status: UInt8, Sendable {
    /// Admitted, whether it can be reached now or not.
    case present = 0
    /// It said goodbye.
    case left = 1
    /// A member removed it; it stays out for the session's life.
    case kicked = 2
  }

  package var peerID: PeerID
  /// Counts the changes of this record, from 1 (``RecordVersion``); the later one wins.
  package var version: UInt32
  package var status: Status
  /// Which start of the peer's process this is.
  package var incarnation: UInt64
  package var name: String
  package var addresses: [SocketAddress]

  package init(
    peerID: PeerID, version: UInt32, status: Status = .present, incarnation: UInt64, name: String,
    addresses: [SocketAddress]
  ) {
    self.peerID = peerID
    self.version = version
    self.status = status
    self.incarnation = incarnation
    self.name = name
    self.addresses = addresses
  }

  /// The start of the process this record speaks of.
  package var node: NodeID { NodeID(peer: peerID, incarnation: incarnation) }

  /// Whether this record replaces `other`; of different records of one version one always does, so that all members keep the same.
  package func replaces(_ other: RosterEntry) -> Bool {
    if version != other.version { return RecordVersion.follows(version, other.version) }
    let (mine, theirs) = (rank, other.rank)
    if mine != theirs { return theirs.lexicographicallyPrecedes(mine) }
    return other.encoded.lexicographicallyPrecedes(encoded)
  }

  private var rank: [UInt64] { [UInt64(status.rawValue), incarnation] }

  private var encoded: [UInt8] {
    var writer = ByteWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// The same contents under another version.
  package func with(version: UInt32) -> RosterEntry {
    var copy = self
    copy.version = version
    return copy
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(peerID.digest)
    writer.write(version)
    writer.write(status.rawValue)
    writer.write(incarnation)
    writer.writeString(name)
    SocketAddress.write(addresses, to: &writer)
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    peerID = PeerID(try reader.readDigest())
    version = try reader.readVersion()
    let offset = reader.offset
    guard let status = Status(rawValue: try reader.readByte()) else {
      throw .invalid("unknown roster status", offset: offset)
    }
    self.status = status
    incarnation = try reader.read(UInt64.self)
    name = try reader.readString(limit: ProtocolLimits.peerName)
    addresses = try SocketAddress.readList(from: &reader)
  }
}
