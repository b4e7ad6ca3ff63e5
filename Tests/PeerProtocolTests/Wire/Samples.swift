import AnchorReplication
import Basics
import PeerProtocol
import Testing
import WorldModel

/// Values of every kind that travels, the same in every run.
enum Sample {
  static let alice = PeerID(SHA256Digest(hashing: Array("alice".utf8)))
  static let bob = PeerID(SHA256Digest(hashing: Array("bob".utf8)))
  static let map = MapID(SHA256Digest(hashing: Array("map".utf8)))
  static let addresses = [SocketAddress("192.0.2.7:4000"), SocketAddress("[2001:db8::7]:4001")].compactMap { $0 }

  static let hello = Hello(
    versions: 1...3, capabilities: .current, peerID: alice, incarnation: 0x0123_4567_89ab_cdef, service: "sharedworld",
    name: "Küche", instance: "sw-1", addresses: addresses)
  static let entry = RosterEntry(
    peerID: bob, version: 7, status: .left, incarnation: 42, name: "bob",
    addresses: addresses)
  static let announcement = MapAnnouncement(
    id: map, epoch: 3, revision: 5, size: 1_000_000, chunks: 9, provider: bob, isPrivate: true,
    isPartial: true)
  static let piece = MapPiece(map: map, chunk: 3, codec: .zstd, storedSize: 9, offset: 4)
  static let token = BulkOffer.Token(high: 0x1122_3344_5566_7788, low: 0x99aa_bbcc_ddee_ff00)
  static let have = {
    var set = ChunkSet(capacity: 12)
    for chunk in [0, 3, 9, 11] { set.insert(chunk) }
    return set
  }()
  static let flood = FloodHeader(
    origin: NodeID(peer: alice, incarnation: 42), nonce: 7, linkVersion: 3, destination: nil)
  static let status = MapStatus(map: map, stage: .transferring(percent: 37))
  static let node = NodeID(peer: alice, incarnation: 0x0123_4567_89ab_cdef)
  static let drag = EphemeralUpdate(
    origin: node, subject: .anchor(AnchorID(high: 0x0011_2233_4455_6677, low: 0x8899_aabb_ccdd_eeff)), sequence: 9,
    sessionTime: 12_345, pose: Pose(Transform(translation: [1, 2, -3])))
  static let filter = AnchorFilter(
    namePrefix: "lä", creator: bob, owner: alice, kind: .participant, region: .init(center: [1, 2, -3], radius: 4))
  static let interest = InterestFrame(node: node, version: 3, filter: filter)
  static let acknowledgement = AcknowledgementFrame(
    kind: .answer, hops: 2, from: node, to: NodeID(peer: bob, incarnation: 42), sequence: 1000)
  static let ownership = {
    let receiver = NodeID(peer: bob, incarnation: 42)
    let anchor = AnchorID(high: 0x0011_2233_4455_6677, low: 0x8899_aabb_ccdd_eeff)
    var frame = OwnershipFrame(kind: .question, from: node, to: receiver, anchor: anchor, number: 7, subject: alice)
    (frame.hops, frame.lease, frame.wait) = (1, 60_000, 10_000)
    return frame
  }()
}

/// One kind of frame: a golden value, how it is written, and how it is read back and written again.
struct FrameCase: Sendable, CustomTestStringConvertible {
  let name: String
  let type: FrameType
  let write: @Sendable (inout ByteWriter) -> Void
  let rewrite: @Sendable ([UInt8]) throws -> [UInt8]

  var testDescription: String { name }

  /// Whether a shorter body is always an error: not so for frames that end with any bytes, or have no reader of their own.
  var hasFixedEnd: Bool {
    let fixed: Set<FrameType> = [
      .hello, .goodbye, .ping, .roster, .rules, .invite, .inviteAnswer, .mapAnnounce, .ephemeral, .acknowledgement,
      .ownership, .interest,
    ]
    return fixed.contains(type)
  }

  var body: [UInt8] {
    var writer = ByteWriter()
    write(&writer)
    return writer.bytes
  }

  static let all: [FrameCase] = [
    FrameCase(
      name: "hello", type: .hello, write: { Sample.hello.write(to: &$0) },
      rewrite: { try reread($0, { (r) throws(DecodingFailure) in try Hello(reading: &r) }) { $0.write(to: &$1) } }),
    FrameCase(
      name: "goodbye", type: .goodbye, write: { Goodbye(.kicked, versions: 1...2).write(to: &$0) },
      rewrite: { try reread($0, { (r) throws(DecodingFailure) in try Goodbye(reading: &r) }) { $0.write(to: &$1) } }),
    FrameCase(name: "admit", type: .admit, write: { _ in }, rewrite: { $0 }),
    FrameCase(
      name: "ping", type: .ping, write: { $0.write(UInt64(0x1122_3344_5566_7788)) },
      rewrite: { try reread($0, { (r) throws(DecodingFailure) in try r.read(UInt64.self) }) { $1.write($0) } }),
    FrameCase(
      name: "roster", type: .roster,
      write: {
        $0.writeVarint(1)
        Sample.entry.write(to: &$0)
      },
      rewrite: {
        try reread($0, { (r) throws(DecodingFailure) in try RosterFrame(reading: &r).entries }) { entries, writer in
          writer.writeVarint(UInt64(entries.count))
          for entry in entries { entry.write(to: &writer) }
        }
      }),
    FrameCase(
      name: "rules", type: .rules,
      write: {
        $0.write(UInt32(3))
        $0.write(UInt8(1))
        $0.write(UInt8(8))
      },
      rewrite: {
        try reread($0, { (r) throws(DecodingFailure) in try SessionRules(reading: &r) }) { $0.write(to: &$1) }
      }),
    FrameCase(
      name: "invite", type: .invite, write: { Invite(number: 77, wait: 30_000, context: [9, 8, 7]).write(to: &$0) },
      rewrite: { try reread($0, { (r) throws(DecodingFailure) in try Invite(reading: &r) }) { $0.write(to: &$1) } }),
    FrameCase(
      name: "invite-accept", type: .inviteAnswer,
      write: { InviteAnswer(number: 77, decision: .accept).write(to: &$0) },
      rewrite: {
        try reread($0, { (r) throws(DecodingFailure) in try InviteAnswer(reading: &r) }) { $0.write(to: &$1) }
      }),
    FrameCase(
      name: "invite-decline", type: .inviteAnswer,
      write: { InviteAnswer(number: 77, decision: .decline(reason: "not now")).write(to: &$0) },
      rewrite: {
        try reread($0, { (r) throws(DecodingFailure) in try InviteAnswer(reading: &r) }) { $0.write(to: &$1) }
      }),
    FrameCase(
      name: "map-announce", type: .mapAnnounce, write: { Sample.announcement.write(to: &$0) },
      rewrite: {
        try reread($0, { (r) throws(DecodingFailure) in try MapAnnouncement(reading: &r) }) { $0.write(to: &$1) }
      }),
    FrameCase(
      name: "map-piece", type: .mapPiece,
      write: {
        Sample.piece.write(to: &$0)
        $0.write(bytes: [1, 2, 3, 4, 5])
      },
      rewrite: {
        try reread(
          $0,
          { (r) throws(DecodingFailure) in
            let piece = try MapPiece(reading: &r)
            return (piece, try r.readBytes(r.remaining))
          }
        ) { read, writer in
          read.0.write(to: &writer)
          writer.write(bytes: read.1)
        }
      }),
    FrameCase(
      name: "map-have", type: .mapHave,
      write: {
        $0.write(bytes: Sample.map.digest.bytes)
        Sample.have.write(to: &$0)
      },
      rewrite: {
        try reread(
          $0,
          { (r) throws(DecodingFailure) in
            let map = try r.readDigest()
            return (map, try ChunkSet(reading: &r, capacity: 12))
          }
        ) { read, writer in
          writer.write(read.0)
          read.1.write(to: &writer)
        }
      }),
    FrameCase(
      name: "map-status", type: .mapStatus,
      write: {
        Sample.flood.write(to: &$0)
        Sample.status.write(to: &$0)
      },
      rewrite: {
        try reread(
          $0,
          { (r) throws(DecodingFailure) in
            let header = try FloodHeader(reading: &r)
            return (header, try MapStatus(reading: &r))
          }
        ) { read, writer in
          read.0.write(to: &writer)
          read.1.write(to: &writer)
        }
      }),
    FrameCase(
      name: "bulk", type: .bulk, write: { BulkOffer(token: Sample.token, receiverDials: true).write(to: &$0) },
      rewrite: { try reread($0, { (r) throws(DecodingFailure) in try BulkOffer(reading: &r) }) { $0.write(to: &$1) } }),
    FrameCase(
      name: "attach", type: .attach, write: { Sample.token.write(to: &$0) },
      rewrite: {
        try reread($0, { (r) throws(DecodingFailure) in try BulkOffer.Token(reading: &r) }) { $0.write(to: &$1) }
      }),
    FrameCase(
      name: "ephemeral", type: .ephemeral, write: { Sample.drag.write(to: &$0) },
      rewrite: {
        try reread($0, { (r) throws(DecodingFailure) in try EphemeralUpdate(reading: &r) }) { $0.write(to: &$1) }
      }),
    FrameCase(
      name: "acknowledgement", type: .acknowledgement, write: { Sample.acknowledgement.write(to: &$0) },
      rewrite: {
        try reread($0, { (r) throws(DecodingFailure) in try AcknowledgementFrame(reading: &r) }) { $0.write(to: &$1) }
      }),
    FrameCase(
      name: "interest", type: .interest, write: { Sample.interest.write(to: &$0) },
      rewrite: {
        try reread($0, { (r) throws(DecodingFailure) in try InterestFrame(reading: &r) }) { $0.write(to: &$1) }
      }),
    FrameCase(
      name: "ownership", type: .ownership, write: { Sample.ownership.write(to: &$0) },
      rewrite: {
        try reread($0, { (r) throws(DecodingFailure) in try OwnershipFrame(reading: &r) }) { $0.write(to: &$1) }
      }),
    plain("pong", .pong) { $0.write(UInt64(0x1122_3344_5566_7788)) },
    plain("invite-cancel", .inviteCancel) { $0.write(UInt64(77)) },
    plain("map-manifest-request", .mapManifestRequest) {
      $0.write(bytes: Sample.map.digest.bytes)
      $0.write(UInt32(500))
    },
    plain("map-manifest", .mapManifest) {
      $0.write(bytes: Sample.map.digest.bytes)
      $0.write(UInt32(0))
      for (size, byte) in [(262_144, 1), (70_000, 2)] as [(Int, UInt8)] {
        ChunkName(size: size, hash: SHA256Digest(hashing: [byte])).write(to: &$0)
      }
    },
    plain("map-request", .mapRequest) {
      $0.write(bytes: Sample.map.digest.bytes)
      for chunk: UInt32 in [3, 4, 9] { $0.write(chunk) }
    },
    plain("map-cancel", .mapCancel) { $0.write(bytes: Sample.map.digest.bytes) },
    plain("message", .message) { $0.write(bytes: Array("hello".utf8)) },
  ]

  /// A frame without a type of its own, whose fields have fixed sizes.
  private static func plain(
    _ name: String, _ type: FrameType, _ write: @escaping @Sendable (inout ByteWriter) -> Void
  ) -> FrameCase {
    FrameCase(name: name, type: type, write: write, rewrite: { $0 })
  }

  private static func reread<T>(
    _ bytes: [UInt8], _ read: (inout ByteReader) throws(DecodingFailure) -> T, _ write: (T, inout ByteWriter) -> Void
  ) throws -> [UInt8] {
    var reader = ByteReader(bytes.span)
    let value = try read(&reader)
    try reader.finish()
    var writer = ByteWriter()
    write(value, &writer)
    return writer.bytes
  }
}
