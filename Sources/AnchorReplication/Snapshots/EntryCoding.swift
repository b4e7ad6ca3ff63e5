import Basics
import WorldModel

extension Entry {
  private static let hasCreator: UInt8 = 1
  private static let hasPayload: UInt8 = 2
  private static let hasOrigin: UInt8 = 4
  private static let hasLock: UInt8 = 8

  /// Writes the whole entry; `writeActor` writes an actor: in full for the digest, by number in a snapshot.
  func encode(
    into writer: inout ByteWriter, creators: CreatorTable, writeActor: (ActorIndex, inout ByteWriter) -> Void
  ) {
    writeActor(key.actor, &writer)
    writer.writeVarint(key.sequence)
    writer.write(id)
    writer.write(createdClock)
    let creator = creators[creator]
    var presence: UInt8 = 0
    if creator != nil { presence |= Self.hasCreator }
    if payload != nil { presence |= Self.hasPayload }
    if restoredFrom != nil { presence |= Self.hasOrigin }
    if lock != .free { presence |= Self.hasLock }
    writer.write(presence)
    if let creator { writer.write(creator.digest) }
    writer.write(pose)
    writer.writeString(name)
    writer.write(flags)
    kind.write(to: &writer)
    payload?.write(to: &writer)
    if let restoredFrom { writer.write(restoredFrom) }
    if lock != .free { lock.encode(into: &writer) }
    encodeStamps(into: &writer, writeActor: writeActor)
  }

  /// Writes the whole entry in the form that its digest is made of: the same on every peer that holds the same.
  func encodeCanonically(into writer: inout ByteWriter, actors: ActorTable, creators: CreatorTable) {
    encode(into: &writer, creators: creators) { index, writer in writer.write(actors.ids[Int(index)]) }
  }

  /// Writes which registers were written after the addition, and their stamps.
  private func encodeStamps(into writer: inout ByteWriter, writeActor: (ActorIndex, inout ByteWriter) -> Void) {
    var changed: AnchorFields = []
    for field in AnchorField.allCases where isChanged(field) { changed.insert(AnchorFields(field)) }
    writer.write(changed.rawValue)
    for field in AnchorField.allCases where changed.contains(AnchorFields(field)) {
      writer.write(clocks[field])
      writeActor(self.writer(of: field), &writer)
    }
  }

  /// Reads an entry of a snapshot whose actors are `indices`.
  init(
    decoding reader: inout ByteReader, indices: [ActorIndex], actors: ActorTable, creators: inout CreatorTable
  ) throws(DecodingFailure) {
    let actor = try reader.readActor(of: indices)
    let start = reader.offset
    let sequence = try reader.readVarint()
    guard 1...Dot.maximumSequence ~= sequence else { throw .invalid("sequence out of range", offset: start) }
    let id = try reader.readAnchorID()
    let clock = try reader.readClock()
    let presence = try reader.readByte()
    guard presence <= 15 else { throw .invalid("unknown parts of an anchor", offset: reader.offset - 1) }
    var creator: PeerID?
    if presence & Self.hasCreator != 0 {
      let peer = PeerID(try reader.readDigest())
      guard peer.prefix == actors.ids[Int(actor)].peerPrefix else {
        throw .invalid("creator is not the author", offset: reader.offset - 32)
      }
      creator = peer
    }
    let (pose, name) = (try reader.readPose(), try reader.readString(limit: Limits.anchorName))
    let flags = try reader.read(UInt32.self)
    let kindOffset = reader.offset
    let kind = try Anchor.Kind(reading: &reader)
    guard kind.mayBeWritten(by: actors.ids[Int(actor)]) else {
      throw .invalid("participant is not the author", offset: kindOffset)
    }
    let anchor = NewAnchor(
      id: id, creator: creator, pose: pose, name: name, flags: flags, kind: kind,
      payload: presence & Self.hasPayload != 0 ? try Anchor.Payload(reading: &reader) : nil,
      restoredFrom: presence & Self.hasOrigin != 0 ? try reader.readAnchorID() : nil)
    self.init(
      key: PackedKey(actor: actor, sequence: sequence), clock: clock, anchor: anchor,
      creator: creators.intern(creator))
    if presence & Self.hasLock != 0 {
      let lock = try AnchorLock(decoding: &reader)
      guard lock != .free else { throw .invalid("free lock in its long form", offset: reader.offset) }
      store(.lock(lock))
    }
    try decodeStamps(&reader, indices: indices)
  }

  private mutating func decodeStamps(_ reader: inout ByteReader, indices: [ActorIndex]) throws(DecodingFailure) {
    let start = reader.offset
    let changed = AnchorFields(rawValue: try reader.readByte())
    guard AnchorFields.all.isSuperset(of: changed) else { throw .invalid("unknown registers", offset: start) }
    guard kind.filterKind != .participant || !changed.contains(.kind) else {
      throw .invalid("an anchor becomes a participant", offset: start)
    }
    for field in AnchorField.allCases where changed.contains(AnchorFields(field)) {
      let offset = reader.offset
      let clock = try reader.readClock()
      stamp(field, clock: clock, writer: try reader.readActor(of: indices))
      guard isChanged(field) else { throw .invalid("first stamp in its long form", offset: offset) }
    }
  }
}

extension ByteReader {
  /// Reads the number of an actor in a snapshot.
  @_lifetime(self: copy self)
  fileprivate mutating func readActor(of indices: [ActorIndex]) throws(DecodingFailure) -> ActorIndex {
    let start = offset
    let number = try readVarint()
    guard number < UInt64(indices.count) else { throw .invalid("unknown actor", offset: start) }
    return indices[Int(number)]
  }
}
