import Basics
import WorldModel

/// The frames about chunks but for pieces, which also come on bulk links.
enum ChunkFrame {
  case manifestRequest, manifest, request, have
}

/// Asks for the hashes of a content's chunks.
struct ManifestRequest: Sendable, Equatable, FrameBody {
  /// Bytes on the wire.
  static let size = ContentID.size + 4

  let content: ContentID
  /// The first chunk whose hash is wanted.
  let first: Int

  init(content: ContentID, first: Int) {
    self.content = content
    self.first = first
  }

  func write(to writer: inout ByteWriter) {
    content.write(to: &writer)
    writer.write(UInt32(first))
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    content = try ContentID(reading: &reader)
    first = Int(try reader.read(UInt32.self))
  }
}

/// A part of a manifest: sizes and hashes of chunks in their order.
struct ManifestPart: Sendable, Equatable, FrameBody {
  let content: ContentID
  /// The chunk that the first name is of.
  let first: Int
  let names: [ChunkName]

  init(content: ContentID, first: Int, names: [ChunkName]) {
    self.content = content
    self.first = first
    self.names = names
  }

  func write(to writer: inout ByteWriter) {
    content.write(to: &writer)
    writer.write(UInt32(first))
    for name in names { name.write(to: &writer) }
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    content = try ContentID(reading: &reader)
    first = Int(try reader.read(UInt32.self))
    var names: [ChunkName] = []
    while !reader.isAtEnd {
      guard names.count < ProtocolLimits.manifestNames else {
        throw .overLimit(limit: ProtocolLimits.manifestNames, offset: reader.offset)
      }
      names.append(try ChunkName(reading: &reader))
    }
    self.names = names
  }
}

/// Asks for chunks of a content.
struct ContentRequest: Sendable, Equatable, FrameBody {
  let content: ContentID
  let chunks: [Int]

  init(content: ContentID, chunks: [Int]) {
    self.content = content
    self.chunks = chunks
  }

  func write(to writer: inout ByteWriter) {
    content.write(to: &writer)
    for chunk in chunks { writer.write(UInt32(chunk)) }
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    content = try ContentID(reading: &reader)
    var chunks: [Int] = []
    while !reader.isAtEnd { chunks.append(Int(try reader.read(UInt32.self))) }
    self.chunks = chunks
  }
}

/// Which chunks of a content the sender has: a bit for each, whose number only the receiver of its announcement knows.
struct ContentHave: Sendable, Equatable, FrameBody {
  let content: ContentID
  private let bits: [UInt8]

  init(content: ContentID, chunks: ChunkSet) {
    self.content = content
    var writer = ByteWriter()
    chunks.write(to: &writer)
    bits = writer.bytes
  }

  func write(to writer: inout ByteWriter) {
    content.write(to: &writer)
    writer.write(bytes: bits)
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    content = try ContentID(reading: &reader)
    bits = try reader.readBytes(reader.remaining)
  }

  /// The chunks, of a content that has `count` of them.
  func chunks(of count: Int) throws(DecodingFailure) -> ChunkSet {
    var reader = ByteReader(bits.span)
    let chunks = try ChunkSet(reading: &reader, capacity: count)
    try reader.finish()
    return chunks
  }
}
