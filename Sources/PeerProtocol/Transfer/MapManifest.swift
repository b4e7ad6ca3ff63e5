package import WorldModel

/// What a map consists of: its size and the hash of every raw chunk.
package struct MapManifest: Sendable, Equatable {
  /// The epoch of the session in which it was shared.
  package let epoch: UInt64
  /// Counts the maps a session has shared.
  package let revision: UInt64
  /// Bytes of the encoded map.
  package let size: Int
  /// SHA-256 of each chunk of ``ProtocolLimits/chunk`` bytes, the last one shorter.
  package let hashes: [SHA256Digest]
  /// SHA-256 of the manifest in its wire form.
  package let id: MapID

  package init(epoch: UInt64, revision: UInt64, size: Int, hashes: [SHA256Digest]) {
    self.epoch = epoch
    self.revision = revision
    self.size = size
    self.hashes = hashes
    var writer = ByteWriter(capacity: 28 + 32 * hashes.count)
    writer.write(epoch)
    writer.write(revision)
    writer.write(UInt64(size))
    writer.write(UInt32(ProtocolLimits.chunk))
    for hash in hashes { writer.write(hash) }
    id = MapID(SHA256Digest(hashing: writer.bytes))
  }

  /// The number of chunks of a map of `size` bytes.
  package static func chunkCount(size: Int) -> Int { (size + ProtocolLimits.chunk - 1) / ProtocolLimits.chunk }

  /// Bytes of raw map in chunk `index`.
  package func rawSize(of index: Int) -> Int { min(ProtocolLimits.chunk, size - index * ProtocolLimits.chunk) }
}

/// What a holder says of a map that it can serve.
package struct MapAnnouncement: Sendable, Equatable {
  package var id: MapID
  /// The epoch of the session in which it was shared.
  package var epoch: UInt64
  package var revision: UInt64
  /// Bytes of the encoded map.
  package var size: Int
  /// Who shared it first.
  package var provider: PeerID
  /// Whether it is for the receiver of this frame alone: not the session's map, not handed on.
  package var isPrivate: Bool
  /// Whether the sender has only a part of it yet; which part follows in a frame of its own.
  package var isPartial: Bool

  package init(
    id: MapID, epoch: UInt64, revision: UInt64, size: Int, provider: PeerID, isPrivate: Bool, isPartial: Bool = false
  ) {
    self.id = id
    self.epoch = epoch
    self.revision = revision
    self.size = size
    self.provider = provider
    self.isPrivate = isPrivate
    self.isPartial = isPartial
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
    provider = PeerID(try reader.readDigest())
    let flags = try reader.readByte()
    (isPrivate, isPartial) = (flags & 1 != 0, flags & 2 != 0)
  }
}
