package import Basics
import WorldModel

/// The kind of thing that a content is.
package enum ContentFamily: UInt8, Sendable {
  case map = 0
  case resource = 1

  /// The family of the content that a frame about chunks begins with.
  init(firstIn body: RawSpan) throws(DecodingFailure) {
    var reader = ByteReader(body)
    try self.init(reading: &reader)
  }

  fileprivate init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    guard let family = Self(rawValue: try reader.readByte()) else { throw .unknownKind(offset: start) }
    self = family
  }
}

/// The id of a content that travels in chunks: its family, and the hash of its manifest.
///
/// A hash alone does not say whose it is. Anybody may offer a resource under the hash of a map, and would take the map's
/// chunks away from it.
package struct ContentID: Hashable, Sendable {
  /// Bytes on the wire.
  static let size = 33

  package let family: ContentFamily
  package let digest: SHA256Digest

  package init(_ family: ContentFamily, _ digest: SHA256Digest) {
    (self.family, self.digest) = (family, digest)
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(family.rawValue)
    writer.write(digest)
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    self.init(try ContentFamily(reading: &reader), try reader.readDigest())
  }
}
