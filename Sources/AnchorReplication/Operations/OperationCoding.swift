import Basics
import WorldModel

/// The first byte of an encoded operation.
struct OperationCode {
  static let add: UInt8 = 1
  static let remove: UInt8 = 2
  static let setPose: UInt8 = 3
  static let setName: UInt8 = 4
  static let setPayload: UInt8 = 5
  static let setFlags: UInt8 = 6
  static let setLock: UInt8 = 7
  static let setKind: UInt8 = 8
  /// Added to the code when the key's actor is not the operation's own and follows in 16 bytes.
  static let foreignKey: UInt8 = 0x80

  /// The code that writes `field`.
  static func set(_ field: AnchorField) -> UInt8 { setPose + field.rawValue }
}

extension AnchorOperation {
  /// Writes the operation without its dot, which follows from the run it is part of.
  func encodeBody(into writer: inout ByteWriter) {
    switch action {
    case .add(let anchor):
      writer.write(OperationCode.add)
      writer.write(clock)
      anchor.encode(into: &writer)
    case .set(let key, let base, let value):
      encodeHead(OperationCode.set(value.field), key, into: &writer)
      writer.write(base)
      value.encode(into: &writer)
    case .remove(let key, let seen):
      encodeHead(OperationCode.remove, key, into: &writer)
      for field in AnchorField.allCases { writer.write(seen[field]) }
    }
  }

  /// Writes code, clock and key.
  private func encodeHead(_ code: UInt8, _ key: Dot, into writer: inout ByteWriter) {
    let isForeign = key.actor != dot.actor
    writer.write(isForeign ? code | OperationCode.foreignKey : code)
    writer.write(clock)
    if isForeign { writer.write(key.actor) }
    writer.write(key.sequence)
  }

  /// Reads what ``encodeBody(into:)`` wrote for the operation `dot`.
  init(body reader: inout ByteReader, dot: Dot) throws(DecodingFailure) {
    let start = reader.offset
    let code = try reader.readByte()
    let clock = try reader.readClock()
    guard code != OperationCode.add else {
      self.init(dot: dot, clock: clock, action: .add(try NewAnchor(decoding: &reader, by: dot.actor)))
      return
    }
    var key = Dot(actor: dot.actor, sequence: 0)
    if code & OperationCode.foreignKey != 0 {
      key.actor = try reader.readActor()
      guard key.actor != dot.actor else { throw .invalid("own key in its long form", offset: start) }
    }
    key.sequence = try reader.readSequence()
    guard key < dot || key.actor != dot.actor else { throw .invalid("key is not before its edit", offset: start) }
    let plain = code & ~OperationCode.foreignKey
    guard plain != OperationCode.remove else {
      var seen = FieldClocks(all: 0)
      for field in AnchorField.allCases { seen[field] = try reader.readClock() }
      self.init(dot: dot, clock: clock, action: .remove(key: key, seen: seen))
      return
    }
    guard plain >= OperationCode.setPose, let field = AnchorField(rawValue: plain - OperationCode.setPose) else {
      throw .invalid("unknown operation", offset: start)
    }
    let base = try reader.readClock()
    self.init(
      dot: dot, clock: clock,
      action: .set(key: key, base: base, try AnchorFieldValue(decoding: &reader, field: field)))
  }
}

extension Anchor.Kind {
  /// Whether a run of a peer's process may add an anchor of this kind: nobody says where another peer stands.
  ///
  /// The addition alone decides, so that every replica refuses the same ones, whatever else it knows.
  func mayBeWritten(by actor: ActorID) -> Bool {
    switch self {
    case .participant(let peer): peer.prefix == actor.peerPrefix
    case .plain, .plane, .image, .object, .mesh: true
    }
  }
}

extension NewAnchor {
  private static let hasCreator: UInt8 = 1
  private static let hasPayload: UInt8 = 2
  private static let hasOrigin: UInt8 = 4

  /// Writes everything an addition carries.
  func encode(into writer: inout ByteWriter) {
    writer.write(id)
    var presence: UInt8 = 0
    if creator != nil { presence |= Self.hasCreator }
    if payload != nil { presence |= Self.hasPayload }
    if restoredFrom != nil { presence |= Self.hasOrigin }
    writer.write(presence)
    if let creator { writer.write(creator.digest) }
    writer.write(pose)
    writer.writeString(name)
    writer.write(flags)
    kind.write(to: &writer)
    payload?.write(to: &writer)
    if let restoredFrom { writer.write(restoredFrom) }
  }

  /// Reads what ``encode(into:)`` wrote; the creator must be the peer that `actor` is a run of.
  init(decoding reader: inout ByteReader, by actor: ActorID) throws(DecodingFailure) {
    id = try reader.readAnchorID()
    let start = reader.offset
    let presence = try reader.readByte()
    guard presence <= 7 else { throw .invalid("unknown parts of an anchor", offset: start) }
    creator = nil
    if presence & Self.hasCreator != 0 {
      let peer = PeerID(try reader.readDigest())
      guard peer.prefix == actor.peerPrefix else { throw .invalid("creator is not the author", offset: start + 1) }
      creator = peer
    }
    pose = try reader.readPose()
    name = try reader.readString(limit: Limits.anchorName)
    flags = try reader.read(UInt32.self)
    let kindOffset = reader.offset
    kind = try Anchor.Kind(reading: &reader)
    guard kind.mayBeWritten(by: actor) else { throw .invalid("participant is not the author", offset: kindOffset) }
    payload = presence & Self.hasPayload != 0 ? try Anchor.Payload(reading: &reader) : nil
    restoredFrom = presence & Self.hasOrigin != 0 ? try reader.readAnchorID() : nil
  }
}

extension AnchorFieldValue {
  /// Writes the value without its field, which follows from the operation's code.
  func encode(into writer: inout ByteWriter) {
    switch self {
    case .pose(let pose): writer.write(pose)
    case .name(let name): writer.writeString(name)
    case .flags(let flags): writer.write(flags)
    case .lock(let lock): lock.encode(into: &writer)
    case .kind(let kind): kind.write(to: &writer)
    case .payload(let payload):
      writer.write(UInt8(payload == nil ? 0 : 1))
      payload?.write(to: &writer)
    }
  }

  /// Reads what ``encode(into:)`` wrote for `field`.
  init(decoding reader: inout ByteReader, field: AnchorField) throws(DecodingFailure) {
    switch field {
    case .pose: self = .pose(try reader.readPose())
    case .name: self = .name(try reader.readString(limit: Limits.anchorName))
    case .flags: self = .flags(try reader.read(UInt32.self))
    case .lock: self = .lock(try AnchorLock(decoding: &reader))
    case .payload: self = .payload(try reader.readFlag() ? Anchor.Payload(reading: &reader) : nil)
    case .kind:
      let start = reader.offset
      let kind = try Anchor.Kind(reading: &reader)
      // Where a device stands is said by the addition of its own peer alone.
      guard kind.filterKind != .participant else { throw .invalid("an anchor becomes a participant", offset: start) }
      self = .kind(kind)
    }
  }
}

extension AnchorLock {
  /// Writes epoch, number, lease, and the owner behind a byte that is 1 if there is one.
  func encode(into writer: inout ByteWriter) {
    writer.write(epoch)
    writer.write(number)
    writer.write(leaseUntil)
    writer.write(UInt8(owner == nil ? 0 : 1))
    if let owner { writer.write(owner.digest) }
  }

  /// Reads what ``encode(into:)`` wrote.
  init(decoding reader: inout ByteReader) throws(DecodingFailure) {
    epoch = try reader.read(UInt64.self)
    number = try reader.read(UInt64.self)
    leaseUntil = try reader.read(UInt64.self)
    owner = try reader.readFlag() ? PeerID(reader.readDigest()) : nil
  }
}
