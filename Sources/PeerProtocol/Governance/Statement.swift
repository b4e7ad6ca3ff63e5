import AnchorReplication
package import Basics
package import WorldModel

/// The part that a peer has in an owned session.
package enum SessionRole: UInt8, Sendable, CaseIterable {
  /// It began the session, and names the moderators.
  case creator = 0
  /// It admits, removes and locks, as the creator does, but for creators and moderators.
  case moderator = 1
  /// It takes part.
  case member = 2
  /// It sees, is seen and sends messages, and writes nothing: no anchors, no attachments, no maps.
  case guest = 3
  /// A member that shares maps also where members do not.
  case publisher = 4

  /// Whether it may admit, remove and lock.
  package var mayRule: Bool { self == .creator || self == .moderator }

  /// The order of roles by what they allow: of several admissions that stand the least counts.
  var rank: Int {
    switch self {
    case .guest: 0
    case .member: 1
    case .publisher: 2
    case .moderator: 3
    case .creator: 4
    }
  }
}

/// One signed sentence of an owned session.
package struct Statement: Sendable, Equatable, FrameBody {
  /// The kind of sentence.
  package enum Kind: UInt8, Sendable, CaseIterable {
    /// The subject is a member, with a role; of a guest's runs the first operations count.
    case admission = 1
    /// The subject is not; of each of its runs the first operations count.
    case removal = 2
    /// The signer had applied more operations of a removed peer than its removal lets count.
    case raise = 3
    /// Nobody new is admitted.
    case lock = 4
    /// Newcomers are admitted again.
    case unlock = 5
  }

  /// How many operations of one run of a removed peer count.
  package struct Cut: Sendable, Equatable {
    /// The random half of the run's actor.
    package let incarnation: UInt64
    /// The number of the last operation that counts.
    package let sequence: UInt64

    package init(incarnation: UInt64, sequence: UInt64) {
      self.incarnation = incarnation
      self.sequence = sequence
    }
  }

  /// Bytes of a public key and of a signature: those of Ed25519 (RFC 8032).
  static let keySize = 32
  package static let signatureSize = 64
  /// Removals that one admission undoes, and runs that one removal names.
  package static let undoneLimit = 4
  package static let cutLimit = 32
  /// The highest serial number, so that counting on never overflows.
  static let greatestSerial: UInt64 = 1 << 62
  /// Bytes of the longest statement on the wire.
  package static let largest = keySize + 51 + undoneLimit * 32 + cutLimit * 16 + signatureSize + 1
  private static let purpose = Array("sharedworld statement".utf8)

  /// The signer's public key.
  package let key: [UInt8]
  package let kind: Kind
  /// The peer that it is about; of a lock none, which is zero.
  package let subject: PeerID
  /// Of the statements of one signer about one subject the highest counts; 0 in a raise.
  package let serial: UInt64
  /// The role that an admission gives; member in all others.
  package let role: SessionRole
  /// When an admission ends (milliseconds since 1970); 0 for never.
  package let until: UInt64
  /// The hashes of the statements that an admission undoes, or of the one whose cut is raised.
  package let named: [SHA256Digest]
  /// Of a removal or the admission of a guest, in the order of the runs; of a raise one.
  package let cuts: [Cut]
  /// The signature over ``signedBytes(in:)``.
  package private(set) var signature: [UInt8]
  /// The hash of the content, without the signature.
  package let hash: SHA256Digest

  package init(
    key: [UInt8], _ kind: Kind, of subject: PeerID = none, serial: UInt64, role: SessionRole = .member,
    until: UInt64 = 0, naming named: [SHA256Digest] = [], cuts: [Cut] = [], signature: [UInt8] = []
  ) {
    self.key = key
    self.kind = kind
    self.subject = subject
    self.serial = serial
    self.role = role
    self.until = until
    self.named = named
    self.cuts = cuts
    self.signature = signature
    var writer = ByteWriter()
    Self.write(key, kind, subject, serial, role, until, named, cuts, to: &writer)
    hash = SHA256Digest(hashing: writer.bytes)
  }

  /// Whether this is an admission that has ended at a time (milliseconds since 1970).
  func hasEnded(at time: UInt64) -> Bool { until > 0 && until <= time }

  /// Whether this may cut off what its subject writes: a removal, or an admission as a guest or for a while.
  var mayCut: Bool { kind == .removal || kind == .admission && (role == .guest || until > 0) }

  /// The subject of statements about no peer.
  package static let none = PeerID(SHA256Digest(words: SIMD4(0, 0, 0, 0)))
  /// The subject of the creator's word on newcomers: its admission gives the role in which they are admitted.
  ///
  /// No peer has this id, since ids are hashes.
  package static let newcomers = PeerID(SHA256Digest(words: SIMD4(0, 0, 0, 1)))

  /// The same, signed for a session; nil when the signature cannot be made.
  package func signed(by signatures: Signatures, in session: SHA256Digest) -> Statement? {
    guard let bytes = signatures.sign(signedBytes(in: session)), bytes.count == Self.signatureSize else {
      return nil
    }
    var copy = self
    copy.signature = bytes
    return copy
  }

  /// The bytes that are signed: what they are for, the session, and the content.
  func signedBytes(in session: SHA256Digest) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(bytes: Self.purpose)
    writer.write(session)
    writeContent(to: &writer)
    return writer.bytes
  }

  /// Whether this counts instead of another statement of the same signer about the same subject; a total order.
  func replaces(_ other: Statement) -> Bool {
    serial != other.serial ? serial > other.serial : other.hash < hash
  }

  // MARK: Bytes

  package func write(to writer: inout ByteWriter) {
    writeContent(to: &writer)
    writer.write(bytes: signature)
  }

  private func writeContent(to writer: inout ByteWriter) {
    Self.write(key, kind, subject, serial, role, until, named, cuts, to: &writer)
  }

  private static func write(
    _ key: [UInt8], _ kind: Kind, _ subject: PeerID, _ serial: UInt64, _ role: SessionRole, _ until: UInt64,
    _ named: [SHA256Digest], _ cuts: [Cut], to writer: inout ByteWriter
  ) {
    writer.write(bytes: key)
    writer.write(kind.rawValue)
    writer.write(subject.digest)
    writer.write(serial)
    writer.write(kind == .admission ? role.rawValue : 0)
    writer.write(until)
    writer.write(UInt8(named.count))
    for hash in named { writer.write(hash) }
    writer.write(UInt8(cuts.count))
    for cut in cuts {
      writer.write(cut.incarnation)
      writer.write(cut.sequence)
    }
  }

  /// Reads a statement that says what its kind says, and nothing else; the signature is checked later.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let key = try reader.readBytes(Self.keySize)
    let start = reader.offset
    let kindNumber = try reader.readByte()
    let subject = PeerID(try reader.readDigest())
    let serial = try reader.read(UInt64.self)
    let roleNumber = try reader.readByte()
    let until = try reader.read(UInt64.self)
    let named = try Self.readNames(&reader)
    let cuts = try Self.readCuts(&reader)
    let signature = try reader.readBytes(Self.signatureSize)
    let role = SessionRole(rawValue: roleNumber)
    // It is read to its end by now, so that those after it in a list count.
    guard let kind = Kind(rawValue: kindNumber), kind != .admission || role != nil else {
      throw .unknownKind(offset: start)
    }
    let isValid =
      switch kind {
      case .admission:
        (role.map { $0 != .creator && ($0 == .guest || cuts.isEmpty) && ($0 != .moderator || until == 0) } ?? false)
          && subject != Self.none && serial > 0
      case .removal: roleNumber == 0 && named.isEmpty && subject != Self.none && serial > 0
      case .raise: roleNumber == 0 && named.count == 1 && cuts.count == 1 && subject != Self.none && serial == 0
      case .lock, .unlock: roleNumber == 0 && named.isEmpty && cuts.isEmpty && subject == Self.none && serial > 0
      }
    guard isValid, serial <= Self.greatestSerial, until <= (kind == .admission ? Self.greatestSerial : 0) else {
      throw .invalid("a statement that says nothing", offset: start)
    }
    self.init(
      key: key, kind, of: subject, serial: serial, role: kind == .admission ? role ?? .member : .member,
      until: until, naming: named, cuts: cuts, signature: signature)
  }

  private static func readNames(_ reader: inout ByteReader) throws(DecodingFailure) -> [SHA256Digest] {
    let offset = reader.offset
    let count = Int(try reader.readByte())
    guard count <= undoneLimit else { throw .overLimit(limit: undoneLimit, offset: offset) }
    var named: [SHA256Digest] = []
    for _ in 0..<count { named.append(try reader.readDigest()) }
    return named
  }

  private static func readCuts(_ reader: inout ByteReader) throws(DecodingFailure) -> [Cut] {
    let offset = reader.offset
    let count = Int(try reader.readByte())
    guard count <= cutLimit else { throw .overLimit(limit: cutLimit, offset: offset) }
    var cuts: [Cut] = []
    for _ in 0..<count {
      let cut = Cut(incarnation: try reader.read(UInt64.self), sequence: try reader.read(UInt64.self))
      guard cuts.last.map({ $0.incarnation < cut.incarnation }) ?? true, cut.sequence <= Dot.maximumSequence else {
        throw .invalid("cuts that are not in ascending order", offset: offset)
      }
      cuts.append(cut)
    }
    return cuts
  }
}
