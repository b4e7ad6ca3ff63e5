package import Basics

/// The section of the anchors: sorted by id, in blocks of at most 64.
enum AnchorSection {
  /// Anchors in a block.
  static let blockSize = 64

  /// The section of `anchors`, which are valid and differ in their ids.
  static func encode(_ anchors: [Anchor]) -> SectionBody {
    let sorted = anchors.sorted { $0.id < $1.id }
    var rawLength = 0
    var rows: [BlockDirectory.Row] = []
    var blocks: [UInt8] = []
    for start in stride(from: 0, to: sorted.count, by: blockSize) {
      let block = sorted[start..<min(start + blockSize, sorted.count)]
      var writer = ByteWriter()
      writer.write(bytes: repeatElement(0, count: BlockHead.size))
      for anchor in block { anchor.write(to: &writer) }
      var bytes = writer.bytes
      rawLength += bytes.count - BlockHead.size
      let bounds = BoundingBox(containing: block.map(\.transform.translation))
      let keys = sorted[start].id.high...sorted[block.endIndex - 1].id.high
      rows.append(
        bytes.withUnsafeMutableBytes {
          BlockDirectory.Row(
            section: .anchors, count: block.count, keys: keys,
            bounds: bounds ?? BoundingBox(minimum: .zero, maximum: .zero), filling: $0)
        })
      blocks += bytes
    }
    return SectionBody(
      code: .anchors, codec: SectionCodec.blocks, rawLength: UInt64(rawLength),
      covered: BlockDirectory(parameters: [], rows: rows).encoded(), rest: blocks)
  }

  /// Reads the anchors of one block.
  ///
  /// - Parameters:
  ///   - payload: The bytes after the block's head.
  ///   - count: How many anchors they hold.
  ///   - base: Where the payload begins in the file, for errors.
  static func decode(payload: RawSpan, count: Int, base: Int) throws(WorldMapError) -> [Anchor] {
    do throws(DecodingFailure) {
      var reader = ByteReader(payload)
      var anchors: [Anchor] = []
      for _ in 0..<count {
        let start = reader.offset
        let anchor = try Anchor(reading: &reader)
        if let last = anchors.last, last.id >= anchor.id {
          throw DecodingFailure.invalid("anchors out of order", offset: start)
        }
        anchors.append(anchor)
      }
      try reader.finish()
      return anchors
    } catch {
      throw WorldMapError(error, base: base)
    }
  }
}

extension Anchor {
  /// Which optional fields follow.
  private struct Fields: OptionSet {
    let rawValue: UInt8
    static let payload = Fields(rawValue: 1)
    static let creator = Fields(rawValue: 2)
    static let createdAt = Fields(rawValue: 4)
    static let all: Fields = [.payload, .creator, .createdAt]
  }

  /// Appends the canonical bytes: id, fields present, name, transform, kind, then the optional fields.
  package func write(to writer: inout ByteWriter) {
    var fields: Fields = []
    if payload != nil { fields.insert(.payload) }
    if creator != nil { fields.insert(.creator) }
    if createdAt != nil { fields.insert(.createdAt) }
    writer.write(bytes: id.bytes)
    writer.write(fields.rawValue)
    writer.writeString(name)
    transform.write(to: &writer)
    kind.write(to: &writer)
    payload?.write(to: &writer)
    if let creator { writer.write(bytes: creator.bytes) }
    if let createdAt { writer.write(createdAt.milliseconds) }
  }

  /// Reads the canonical bytes, and refuses what ``validate()`` refuses.
  @_lifetime(reader: copy reader)
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    guard let id = AnchorID(bytes: try reader.readBytes(16)) else { throw .truncated(offset: start) }
    let fields = Fields(rawValue: try reader.readByte())
    guard fields.isSubset(of: .all) else { throw .invalid("unknown anchor fields", offset: start + 16) }
    let name = try reader.readString(limit: Limits.anchorName)
    let transform = try Transform(reading: &reader)
    let kind = try Kind(reading: &reader)
    self.init(id: id, name: name, transform: transform, kind: kind)
    if fields.contains(.payload) { payload = try Payload(reading: &reader) }
    if fields.contains(.creator) { creator = PeerID(try reader.readDigest()) }
    if fields.contains(.createdAt) { createdAt = SessionTime(milliseconds: try reader.read(UInt64.self)) }
  }
}
