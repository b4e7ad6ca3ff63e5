import Basics
package import WorldModel

/// A resource that a member offers to this node.
package struct OfferedResource: Sendable, Hashable {
  package let id: ResourceID
  /// The member that offers it.
  package let from: PeerID
  /// The name that the sender gave it, as ``ResourceName`` allows it.
  package let name: String
  /// Bytes of the resource.
  package let size: Int

  package init(id: ResourceID, from: PeerID, name: String, size: Int) {
    (self.id, self.from, self.name, self.size) = (id, from, name, size)
  }
}

/// A resource that is to be offered: its name, and the sizes and hashes of its chunks.
package struct ResourcePackage: Sendable {
  package let name: String
  /// The chunks, in the order of the bytes: all of one size, the last one at most.
  package let names: [ChunkName]

  package init(name: String, names: [ChunkName]) {
    (self.name, self.names) = (name, names)
  }
}

/// The rule for names of resources.
package enum ResourceName {
  /// The most bytes of UTF-8.
  package static let limit = 255

  /// Whether a name may be sent.
  package static func allows(_ name: String) -> Bool {
    (1...limit).contains(name.utf8.count) && PlainText.allows(name)
  }

  /// Reads a name that may be sent.
  static func read(from reader: inout ByteReader) throws(DecodingFailure) -> String {
    let start = reader.offset
    let name = try reader.readString(limit: limit)
    guard allows(name) else { throw .invalid("the name of a resource", offset: start) }
    return name
  }

  /// The nearest name that may be sent: wrong characters become U+FFFD, and what is too long is cut between characters.
  package static func cleaned(_ name: String) -> String {
    let plain = PlainText.cleaned(name)
    var (end, size) = (plain.startIndex, 0)
    for index in plain.indices {
      size += plain[index].utf8.count
      guard size <= limit else { break }
      end = plain.index(after: index)
    }
    return plain.isEmpty ? "?" : String(plain[..<end])
  }
}

/// The frame of an offer.
struct ResourceAnnouncement: Sendable, Equatable, FrameBody {
  /// Bytes of the longest one on the wire.
  static let largest = 32 + 8 + 8 + 8 + 4 + 2 + ResourceName.limit

  /// The manifest's id, its numbers, and how much it is.
  let head: ContentHead
  let name: String

  init(head: ContentHead, name: String) {
    (self.head, self.name) = (head, name)
  }

  func write(to writer: inout ByteWriter) {
    writer.write(head.id.digest)
    writer.write(head.epoch)
    writer.write(head.revision)
    writer.write(UInt64(head.size))
    writer.write(UInt32(head.chunks))
    writer.writeString(name)
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let id = ContentID(.resource, try reader.readDigest())
    let (incarnation, start) = (try reader.read(UInt64.self), reader.offset)
    let number = try reader.read(UInt64.self)
    guard number > 0 else { throw .invalid("a resource of number 0", offset: start) }
    head = try ContentHead(id: id, epoch: incarnation, revision: number, readingSize: &reader)
    name = try ResourceName.read(from: &reader)
  }
}

extension ContentHead {
  /// The head of a resource, whose size and number of chunks come next.
  init(
    id: ContentID, epoch: UInt64, revision: UInt64, readingSize reader: inout ByteReader
  ) throws(DecodingFailure) {
    let start = reader.offset
    let size = try reader.read(UInt64.self)
    let chunks = Int(try reader.read(UInt32.self))
    guard chunks <= ProtocolLimits.chunks, size <= UInt64(ProtocolLimits.resource),
      (chunks...(chunks * ProtocolLimits.chunk)).contains(Int(size)),
      // Nothing else comes of an empty one that its id could be compared with.
      chunks > 0 || ContentManifest(.resource, epoch: epoch, revision: revision, names: []).id == id
    else { throw .invalid("chunks that do not make the resource", offset: start) }
    self.init(id: id, epoch: epoch, revision: revision, size: Int(size), chunks: chunks)
  }
}
