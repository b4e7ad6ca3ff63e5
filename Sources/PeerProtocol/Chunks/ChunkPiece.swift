package import Basics
import WorldModel

/// A part of a stored chunk, small enough not to delay other frames: what stands before its bytes.
package struct ChunkPiece: Sendable, Equatable {
  package var content: ContentID
  package var chunk: Int
  package var codec: StoredChunk.Codec
  /// Bytes of the whole stored chunk.
  package var storedSize: Int
  /// Where the bytes that follow lie in the stored chunk.
  package var offset: Int

  package init(content: ContentID, chunk: Int, codec: StoredChunk.Codec, storedSize: Int, offset: Int) {
    self.content = content
    self.chunk = chunk
    self.codec = codec
    self.storedSize = storedSize
    self.offset = offset
  }

  package func write(to writer: inout ByteWriter) {
    content.write(to: &writer)
    writer.write(UInt32(chunk))
    writer.write(codec.rawValue)
    writer.write(UInt32(storedSize))
    writer.write(UInt32(offset))
  }

  /// Reads all that stands before the bytes, and refuses a size that no chunk has, and more bytes or fewer than a piece may have.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    content = try ContentID(reading: &reader)
    chunk = Int(try reader.read(UInt32.self))
    let start = reader.offset
    guard let codec = StoredChunk.Codec(rawValue: try reader.readByte()) else {
      throw .invalid("unknown chunk codec", offset: start)
    }
    self.codec = codec
    let size = reader.offset
    storedSize = Int(try reader.read(UInt32.self))
    guard (1...ProtocolLimits.chunk).contains(storedSize) else {
      throw .overLimit(limit: ProtocolLimits.chunk, offset: size)
    }
    offset = Int(try reader.read(UInt32.self))
    guard (1...ProtocolLimits.bulkPiece).contains(reader.remaining) else {
      throw .overLimit(limit: ProtocolLimits.bulkPiece, offset: reader.offset)
    }
  }
}
