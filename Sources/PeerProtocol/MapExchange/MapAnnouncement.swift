package import Basics
package import WorldModel

/// The announcement of a map that a holder can serve.
package struct MapAnnouncement: Sendable, Equatable, FrameBody {
  /// Bytes on the wire.
  package static let size = 93

  package var id: MapID
  /// The epoch of the session in which it was shared.
  package var epoch: UInt64
  package var revision: UInt64
  /// Bytes of the encoded map.
  package var size: Int
  /// Chunks of the map.
  package var chunks: Int
  /// The peer that shared it first.
  package var provider: PeerID
  /// Whether it is for the receiver of this frame alone: not the session's map, not handed on.
  package var isPrivate: Bool
  /// Whether the sender has only a part of it yet; which part follows in a frame of its own.
  package var isPartial: Bool

  package init(
    id: MapID, epoch: UInt64, revision: UInt64, size: Int, chunks: Int, provider: PeerID, isPrivate: Bool,
    isPartial: Bool = false
  ) {
    self.id = id
    self.epoch = epoch
    self.revision = revision
    self.size = size
    self.chunks = chunks
    self.provider = provider
    self.isPrivate = isPrivate
    self.isPartial = isPartial
  }

  /// The announcement of a map with this manifest.
  package init(_ manifest: ContentManifest, provider: PeerID, isPrivate: Bool) {
    self.init(
      id: MapID(manifest.id), epoch: manifest.epoch, revision: manifest.revision, size: manifest.size,
      chunks: manifest.names.count, provider: provider, isPrivate: isPrivate)
  }

  /// Whether this map replaces `other` as the session's current one; the same answer on every peer.
  package func supersedes(_ other: MapAnnouncement) -> Bool {
    if epoch != other.epoch { return epoch > other.epoch }
    if revision != other.revision { return revision > other.revision }
    if provider != other.provider { return provider > other.provider }
    return id > other.id
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(id.digest)
    writer.write(epoch)
    writer.write(revision)
    writer.write(UInt64(size))
    writer.write(UInt32(chunks))
    writer.write(provider.digest)
    writer.write(UInt8(isPrivate ? 1 : 0) | UInt8(isPartial ? 2 : 0))
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    id = MapID(try reader.readDigest())
    epoch = try reader.read(UInt64.self)
    revision = try reader.read(UInt64.self)
    guard max(epoch, revision) <= ProtocolLimits.counter else { throw .invalid("epoch or revision", offset: 32) }
    let offset = reader.offset
    let size = try reader.read(UInt64.self)
    guard size > 0, size <= UInt64(ProtocolLimits.map) else {
      throw .overLimit(limit: ProtocolLimits.map, offset: offset)
    }
    self.size = Int(size)
    chunks = Int(try reader.read(UInt32.self))
    guard chunks <= ProtocolLimits.chunks, (chunks...(chunks * ProtocolLimits.chunk)).contains(self.size) else {
      throw .invalid("chunks that do not make the map", offset: offset + 8)
    }
    provider = PeerID(try reader.readDigest())
    let flags = try reader.readByte()
    guard flags <= 3 else { throw .invalid("unknown bits of an announcement", offset: reader.offset - 1) }
    (isPrivate, isPartial) = (flags & 1 != 0, flags & 2 != 0)
  }
}

extension MapAnnouncement {
  /// The content that is announced.
  var head: ContentHead {
    ContentHead(id: id.content, epoch: epoch, revision: revision, size: size, chunks: chunks)
  }
}

extension MapID {
  /// The map that is this content.
  package init(_ content: ContentID) { self.init(content.digest) }

  /// The map as a content that travels in chunks.
  package var content: ContentID { ContentID(.map, digest) }
}

/// A map of which the sender wants nothing more.
struct MapCancel: Sendable, Equatable, FrameBody {
  /// Bytes on the wire.
  static let size = 32

  let map: MapID

  init(_ map: MapID) {
    self.map = map
  }

  func write(to writer: inout ByteWriter) { writer.write(map.digest) }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    map = MapID(try reader.readDigest())
  }
}
