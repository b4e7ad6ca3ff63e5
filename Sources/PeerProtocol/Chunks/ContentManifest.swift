package import Basics
import WorldModel

/// The entry of a chunk in a manifest.
package struct ChunkName: Sendable, Hashable {
  /// Its raw bytes, 1 to ``ProtocolLimits/chunk``.
  package let size: Int
  /// Their SHA-256.
  package let hash: SHA256Digest

  package init(size: Int, hash: SHA256Digest) {
    self.size = size
    self.hash = hash
  }

  /// The entry of a chunk with these raw bytes.
  package init(naming raw: [UInt8]) {
    self.init(size: raw.count, hash: SHA256Digest(hashing: raw))
  }

  /// Whether it is the entry of these raw bytes.
  package func names(_ raw: [UInt8]) -> Bool { raw.count == size && SHA256Digest(hashing: raw) == hash }

  package func write(to writer: inout ByteWriter) {
    writer.write(UInt32(size))
    writer.write(hash)
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let offset = reader.offset
    size = Int(try reader.read(UInt32.self))
    guard (1...ProtocolLimits.chunk).contains(size) else {
      throw .overLimit(limit: ProtocolLimits.chunk, offset: offset)
    }
    hash = try reader.readDigest()
  }
}

/// The parts of a content: the sizes and hashes of its chunks.
///
/// Two numbers keep equal bytes apart: the epoch of the session and the revision for a map, the incarnation of its sender and
/// its number there for a resource.
package struct ContentManifest: Sendable, Equatable {
  /// The higher of its two numbers.
  package let epoch: UInt64
  /// The lower one.
  package let revision: UInt64
  /// Raw bytes.
  package let size: Int
  /// The chunks, in the order of its bytes.
  package let names: [ChunkName]
  /// SHA-256 of the manifest in its wire form.
  package let id: ContentID

  package init(_ family: ContentFamily, epoch: UInt64, revision: UInt64, names: [ChunkName]) {
    self.epoch = epoch
    self.revision = revision
    self.names = names
    size = names.reduce(0) { $0 + $1.size }
    var writer = ByteWriter(capacity: 24 + 36 * names.count)
    writer.write(epoch)
    writer.write(revision)
    writer.write(UInt64(size))
    for name in names { name.write(to: &writer) }
    id = ContentID(family, SHA256Digest(hashing: writer.bytes))
  }
}

extension ContentManifest {
  /// The part that is known of the content without this manifest.
  package var head: ContentHead {
    ContentHead(id: id, epoch: epoch, revision: revision, size: size, chunks: names.count)
  }
}
