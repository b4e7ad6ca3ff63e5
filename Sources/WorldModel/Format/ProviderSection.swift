import Basics

/// The section of the peer that shared a map: the 32 bytes of its id.
enum ProviderSection {
  private static let size = 32

  static func encode(_ provider: PeerID) -> SectionBody {
    var writer = ByteWriter(capacity: size)
    writer.write(provider.digest)
    return SectionBody(
      code: .provider, codec: SectionCodec.plain, rawLength: UInt64(size), covered: writer.bytes)
  }

  /// Reads the peer of a section whose checksum fits; nil without a section.
  static func decode(
    _ section: (entry: SectionEntry, offset: Int)?, in file: RawSpan
  ) throws(WorldMapError) -> PeerID? {
    guard let (entry, offset) = section else { return nil }
    guard entry.codec == SectionCodec.plain, entry.coveredLength == size, entry.storedLength == size else {
      throw .invalid("a PROV section is \(size) bytes", offset: offset)
    }
    do throws(DecodingFailure) {
      var reader = ByteReader(file.extracting(offset..<(offset + size)))
      return PeerID(try reader.readDigest())
    } catch {
      throw WorldMapError(error, base: offset)
    }
  }
}
