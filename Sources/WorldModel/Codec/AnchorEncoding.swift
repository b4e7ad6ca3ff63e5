package import Basics

/// The canonical bytes of an anchor's parts, used by the map file and by replication alike.
///
/// Equal values give equal bytes, and reading refuses every value that ``Anchor/validate()`` would refuse, with the
/// offset of the part. Documentation/Protocol/worldmap-format.md has the layout.
extension Transform {
  /// Appends 48 bytes: x, y and z axis and position, three Float each.
  package func write(to writer: inout ByteWriter) {
    let (x, y, z) = axes
    for column in [x, y, z, translation] { writer.write(column) }
  }

  /// Reads 48 bytes and refuses a matrix that is not rigid.
  @_lifetime(reader: copy reader)
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let x = try reader.readVector3()
    let y = try reader.readVector3()
    let z = try reader.readVector3()
    self.init(x: x, y: y, z: z, translation: try reader.readVector3())
    try checked(at: start, validate)
  }
}

extension Anchor.Payload {
  /// Appends the content type as text and the bytes as a blob.
  package func write(to writer: inout ByteWriter) {
    writer.writeString(contentType)
    writer.writeBlob(bytes)
  }

  /// Reads a content type and bytes, each within its limit.
  @_lifetime(reader: copy reader)
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let contentType = try reader.readString(limit: Limits.contentType)
    self.init(contentType: contentType, bytes: try reader.readBlob(limit: Limits.anchorPayload))
  }
}

extension Anchor.Kind {
  /// The first byte of a kind.
  private enum Tag: UInt8 {
    case plain = 0
    case plane = 1
    case image = 2
    case object = 3
    case mesh = 4
    case participant = 5
  }

  /// Appends the tag byte and the fields of the kind.
  package func write(to writer: inout ByteWriter) {
    switch self {
    case .plain: writer.write(Tag.plain.rawValue)
    case .plane(let plane):
      writer.write(Tag.plane.rawValue)
      plane.write(to: &writer)
    case .image(let image):
      writer.write(Tag.image.rawValue)
      writer.writeString(image.referenceName)
      writer.write(image.physicalSize)
    case .object(let object):
      writer.write(Tag.object.rawValue)
      writer.writeString(object.referenceName)
      writer.write(object.extent)
    case .mesh(let mesh):
      writer.write(Tag.mesh.rawValue)
      writer.writeString(mesh.referenceName)
      writer.write(mesh.extent)
      writer.writeBlob(mesh.digest?.bytes ?? [])
    case .participant(let peer):
      writer.write(Tag.participant.rawValue)
      writer.write(bytes: peer.bytes)
    }
  }

  /// Reads a tag byte and the fields of that kind, and refuses what ``validate()`` refuses.
  @_lifetime(reader: copy reader)
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    guard let tag = Tag(rawValue: try reader.readByte()) else { throw .invalid("unknown anchor kind", offset: start) }
    switch tag {
    case .plain: self = .plain
    case .plane: self = .plane(try Anchor.Plane(reading: &reader))
    case .image:
      let name = try reader.readString(limit: Limits.referenceName)
      self = .image(Anchor.Image(referenceName: name, physicalSize: try reader.readVector2()))
    case .object:
      let name = try reader.readString(limit: Limits.referenceName)
      self = .object(Anchor.Object(referenceName: name, extent: try reader.readVector3()))
    case .mesh:
      let name = try reader.readString(limit: Limits.referenceName)
      let extent = try reader.readVector3()
      let digest = try reader.readOptionalDigest()
      self = .mesh(Anchor.Mesh(referenceName: name, digest: digest, extent: extent))
    case .participant:
      self = .participant(PeerID(try reader.readDigest()))
    }
    try checked(at: start, validate)
  }
}

extension Anchor.Plane {
  fileprivate func write(to writer: inout ByteWriter) {
    writer.write(alignment.rawValue)
    writer.write(classification.rawValue)
    writer.write(extent)
    writer.writeVarint(UInt64(boundary.count))
    for corner in boundary { writer.write(corner) }
  }

  @_lifetime(reader: copy reader)
  fileprivate init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    guard let alignment = Alignment(rawValue: try reader.readByte()),
      let classification = Classification(rawValue: try reader.readByte())
    else { throw .invalid("unknown plane alignment or classification", offset: start) }
    let extent = try reader.readVector2()
    var boundary: [SIMD2<Float>] = []
    for _ in 0..<(try reader.readCount(limit: Limits.planeBoundary)) { boundary.append(try reader.readVector2()) }
    self.init(alignment: alignment, classification: classification, extent: extent, boundary: boundary)
  }
}

/// Turns a validation error into a decoding failure at `offset`.
func checked(at offset: Int, _ validate: () throws(ModelError) -> Void) throws(DecodingFailure) {
  do { try validate() } catch { throw .invalid(error.description, offset: offset) }
}
