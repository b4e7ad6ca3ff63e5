import Basics
import WorldModel

/// Asks for the hashes of a map's chunks.
struct ManifestRequest: Sendable, Equatable, FrameBody {
  /// Bytes on the wire.
  static let size = 36

  let map: MapID
  /// The first chunk whose hash is wanted.
  let first: Int

  init(map: MapID, first: Int) {
    self.map = map
    self.first = first
  }

  func write(to writer: inout ByteWriter) {
    writer.write(map.digest)
    writer.write(UInt32(first))
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    map = MapID(try reader.readDigest())
    first = Int(try reader.read(UInt32.self))
  }
}

/// A part of a manifest: sizes and hashes of chunks in their order.
struct ManifestPart: Sendable, Equatable, FrameBody {
  let map: MapID
  /// The chunk that the first name is of.
  let first: Int
  let names: [ChunkName]

  init(map: MapID, first: Int, names: [ChunkName]) {
    self.map = map
    self.first = first
    self.names = names
  }

  func write(to writer: inout ByteWriter) {
    writer.write(map.digest)
    writer.write(UInt32(first))
    for name in names { name.write(to: &writer) }
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    map = MapID(try reader.readDigest())
    first = Int(try reader.read(UInt32.self))
    var names: [ChunkName] = []
    while !reader.isAtEnd { names.append(try ChunkName(reading: &reader)) }
    self.names = names
  }
}

/// Asks for chunks of a map.
struct MapRequest: Sendable, Equatable, FrameBody {
  let map: MapID
  let chunks: [Int]

  init(map: MapID, chunks: [Int]) {
    self.map = map
    self.chunks = chunks
  }

  func write(to writer: inout ByteWriter) {
    writer.write(map.digest)
    for chunk in chunks { writer.write(UInt32(chunk)) }
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    map = MapID(try reader.readDigest())
    var chunks: [Int] = []
    while !reader.isAtEnd { chunks.append(Int(try reader.read(UInt32.self))) }
    self.chunks = chunks
  }
}

/// Wants nothing more of a map.
struct MapCancel: Sendable, Equatable, FrameBody {
  /// Bytes on the wire.
  static let size = 32

  let map: MapID

  init(map: MapID) {
    self.map = map
  }

  func write(to writer: inout ByteWriter) { writer.write(map.digest) }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    map = MapID(try reader.readDigest())
  }
}

/// Which chunks of a map the sender has: a bit for each, whose number only the holder of the announcement knows.
struct MapHave: Sendable, Equatable, FrameBody {
  let map: MapID
  private let bits: [UInt8]

  init(map: MapID, chunks: ChunkSet) {
    self.map = map
    var writer = ByteWriter()
    chunks.write(to: &writer)
    bits = writer.bytes
  }

  func write(to writer: inout ByteWriter) {
    writer.write(map.digest)
    writer.write(bytes: bits)
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    map = MapID(try reader.readDigest())
    bits = try reader.readBytes(reader.remaining)
  }

  /// The chunks, of a map that has `count` of them.
  func chunks(of count: Int) throws(DecodingFailure) -> ChunkSet {
    var reader = ByteReader(bits.span)
    let chunks = try ChunkSet(reading: &reader, capacity: count)
    try reader.finish()
    return chunks
  }
}
