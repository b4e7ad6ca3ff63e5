import Basics
import PeerTransport
import WorldModel

/// A datagram by which a peer says where it listens, signed by its identity.
///
/// The signature says who wrote it, not that it is new or from where: everybody can send it again. A dial decides.
struct Announcement: Equatable, Sendable {
  /// Bits that say how newcomers get in.
  private enum Flag {
    static let locked: UInt8 = 1
    static let full: UInt8 = 2
    static let passcode: UInt8 = 4
    static let all = locked | full | passcode
  }

  /// The first bytes of every datagram: who speaks, and the version.
  static let magic: [UInt8] = Array("SWLA".utf8) + [1]
  private static let kind: UInt8 = 1
  private static let signatureSize = 64
  /// Stands before the signed bytes, so that the signature is good for nothing else.
  private static let purpose = Array("sharedworld announcement".utf8)
  /// Bytes of the longest one.
  static let largest = magic.count + 1 + 8 + 32 + 2 + 1 + 16 + 64 + signatureSize

  /// The key of the peer that wrote it.
  let peer: PeerID
  /// A later one of the same peer has a higher number.
  let number: UInt64
  /// The TCP port on which the peer listens; 0 when it leaves.
  let port: UInt16
  /// The DNS-SD service type.
  let service: String
  /// The name that the peer shows, or empty.
  let name: String
  let standing: Candidate.Standing
  let asksForPasscode: Bool

  /// The datagram of a peer, signed.
  static func datagram(
    of identity: TLSIdentity, number: UInt64, port: UInt16, service: String, _ record: DiscoveryRecord
  ) throws(TransportFailure) -> [UInt8] {
    var writer = ByteWriter(capacity: largest)
    writer.write(bytes: magic + [kind])
    writer.write(number)
    writer.write(bytes: identity.publicKey)
    writer.write(port)
    let standing: UInt8 = record.standing == .locked ? Flag.locked : record.standing == .full ? Flag.full : 0
    writer.write(standing | (record.asksForPasscode ? Flag.passcode : 0))
    writer.writeString(service)
    writer.writeString((record.shownName ?? "").utf8Prefix(DiscoveryRecord.nameLimit))
    writer.write(bytes: try identity.signature(over: purpose + writer.bytes))
    return writer.bytes
  }

  /// Reads a datagram and checks its signature; nil for one that is malformed, forged or of another kind.
  init?(verifying bytes: [UInt8]) {
    let signed = bytes.dropLast(Self.signatureSize)
    guard bytes.count <= Self.largest, bytes.starts(with: Self.magic + [Self.kind]),
      let fields = try? Self.fields(of: Array(signed.dropFirst(Self.magic.count + 1)))
    else { return nil }
    guard fields.flags & ~Flag.all == 0, !fields.service.isEmpty,
      TLSIdentity.verifies(bytes.suffix(Self.signatureSize), over: Self.purpose + signed, key: fields.key)
    else { return nil }
    peer = TLSIdentity.peerID(ofKey: fields.key)
    (number, port, service) = (fields.number, fields.port, fields.service)
    name = PlainText.cleaned(fields.name)
    standing = fields.flags & Flag.locked != 0 ? .locked : fields.flags & Flag.full != 0 ? .full : .open
    asksForPasscode = fields.flags & Flag.passcode != 0
  }

  private typealias Fields = (number: UInt64, key: [UInt8], port: UInt16, flags: UInt8, service: String, name: String)

  private static func fields(of bytes: [UInt8]) throws(DecodingFailure) -> Fields {
    var reader = ByteReader(bytes.span)
    let fields = Fields(
      try reader.read(UInt64.self), try reader.readBytes(32), try reader.read(UInt16.self), try reader.readByte(),
      try reader.readString(limit: 15), try reader.readString(limit: DiscoveryRecord.nameLimit))
    try reader.finish()
    return fields
  }
}

/// A datagram that asks its receiver to announce itself to the sender.
///
/// It is as long as the longest answer, so that nobody can make peers send others more than it sends itself.
enum AnnouncementRequest {
  private static let kind: UInt8 = 2

  /// A request to the peers of a service.
  static func datagram(service: String) -> [UInt8] {
    var writer = ByteWriter(capacity: Announcement.largest)
    writer.write(bytes: Announcement.magic + [kind])
    writer.writeString(service)
    return writer.bytes + [UInt8](repeating: 0, count: Announcement.largest - writer.bytes.count)
  }

  /// Whether a datagram is a request to the peers of a service.
  static func isRequest(_ bytes: [UInt8], of service: String) -> Bool {
    bytes.count >= Announcement.largest && bytes.starts(with: datagram(service: service))
  }
}
