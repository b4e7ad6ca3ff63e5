import Basics

/// A four-character code, first character in the lowest byte.
struct SectionCode: Hashable, Comparable {
  var rawValue: UInt32

  init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  private init(_ text: StaticString) {
    rawValue = (0..<4).reduce(0) { $0 | UInt32(text.utf8Start[$1]) << UInt32(8 * $1) }
  }

  /// Properties of the whole map.
  static let meta = SectionCode("META")
  /// The anchors.
  static let anchors = SectionCode("ANCH")
  /// The feature points.
  static let points = SectionCode("PNTS")

  /// The peer that shared the map.
  static let provider = SectionCode("PROV")

  /// The keyframes.
  static let keyframes = SectionCode("KEYF")
  /// The evidence of the points.
  static let evidence = SectionCode("EVID")

  /// The parity of the blocks of points.
  static let parity = SectionCode("PRTY")

  static let known = [meta, provider, anchors, keyframes, evidence, points, parity]
  /// The known ones that the first minor version did not have.
  static let later: Set = [provider, keyframes, evidence, parity]

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// The four characters for people, with a question mark for those that cannot be printed.
  var name: String {
    (0..<4).map { index in
      let byte = UInt8(truncatingIfNeeded: rawValue >> UInt32(8 * index))
      return (0x20..<0x7f).contains(byte) ? String(UnicodeScalar(byte)) : "?"
    }.joined()
  }
}

/// How the stored bytes of a section are arranged.
enum SectionCodec {
  /// As they are.
  static let plain: UInt32 = 0
  /// A directory, then blocks; see ``BlockDirectory``.
  static let blocks: UInt32 = 1
}

/// One row of the section table: 40 bytes.
struct SectionEntry: Equatable {
  static let size = 40

  var code: SectionCode
  var codec: UInt32
  /// The length of the section as it stands in the file (bytes).
  var storedLength: Int
  /// The length it stands for once decoded (bytes).
  var rawLength: UInt64
  /// How many of its first bytes the checksum covers; the rest carries checksums of its own.
  var coveredLength: Int
  var checksum: UInt64

  /// A row for a section that is about to be written.
  init(code: SectionCode, codec: UInt32, storedLength: Int, rawLength: UInt64, coveredLength: Int, checksum: UInt64) {
    self.code = code
    self.codec = codec
    self.storedLength = storedLength
    self.rawLength = rawLength
    self.coveredLength = coveredLength
    self.checksum = checksum
  }

  /// Reads the row at `offset`; the 40 bytes must be there.
  init(reading file: RawSpan, at offset: Int) throws(WorldMapError) {
    code = SectionCode(rawValue: file.integer(UInt32.self, at: offset))
    codec = file.integer(UInt32.self, at: offset + 4)
    let stored = file.integer(UInt64.self, at: offset + 8)
    let covered = file.integer(UInt64.self, at: offset + 24)
    guard stored <= UInt64(Limits.map) else { throw .overLimit(limit: Limits.map, offset: offset + 8) }
    guard covered <= stored else { throw .invalid("a checksum over more than the section", offset: offset + 24) }
    storedLength = Int(stored)
    coveredLength = Int(covered)
    rawLength = file.integer(UInt64.self, at: offset + 16)
    checksum = file.integer(UInt64.self, at: offset + 32)
  }

  func write(to writer: inout ByteWriter) {
    writer.write(code.rawValue)
    writer.write(codec)
    writer.write(UInt64(storedLength))
    writer.write(rawLength)
    writer.write(UInt64(coveredLength))
    writer.write(checksum)
  }
}

/// A section ready to be written.
struct SectionBody {
  var code: SectionCode
  var codec: UInt32
  var rawLength: UInt64
  /// The bytes that the table's checksum covers.
  var covered: [UInt8]
  /// The following bytes that are already at hand.
  var rest: [UInt8] = []
  /// The length of what follows them and is written elsewhere (bytes).
  var blockLength = 0

  /// Its row of the table.
  var entry: SectionEntry {
    SectionEntry(
      code: code, codec: codec, storedLength: covered.count + rest.count + blockLength, rawLength: rawLength,
      coveredLength: covered.count, checksum: XXH64.hash(covered))
  }
}
