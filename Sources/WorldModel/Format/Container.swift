import Basics

/// The head of a `.worldmap` file: magic, version, and the table of sections;
/// Documentation/Protocol/worldmap-format.md has the layout.
struct Container {
  /// As PNG does it: a byte over 127, then the name, then line ends, so that a transfer as text is noticed.
  static let magic: [UInt8] = [0x89, 0x57, 0x4D, 0x41, 0x50, 0x0D, 0x0A, 0x1A]
  /// Readers refuse a file of a later major version.
  static let majorVersion: UInt16 = 1
  /// A later minor version only adds sections that older readers may keep without knowing them.
  static let minorVersion: UInt16 = 1
  /// Bytes before the table.
  static let headerSize = 32
  /// The most sections of a file.
  static let sectionLimit = 64

  /// The rows of the table with the offset of each section's first byte.
  var sections: [(entry: SectionEntry, offset: Int)]

  /// The head of a file of these sections: 32 bytes and the table.
  static func head(of sections: [SectionBody]) -> [UInt8] {
    var table = ByteWriter()
    var length = headerSize + SectionEntry.size * sections.count
    for entry in sections.map(\.entry) {
      entry.write(to: &table)
      length += entry.storedLength
    }
    var head = ByteWriter(capacity: headerSize + table.count)
    head.write(bytes: magic)
    head.write(majorVersion)
    // A file without the later sections has the same bytes as one of an older program.
    head.write(sections.contains { SectionCode.later.contains($0.code) } ? minorVersion : 0)
    head.write(UInt32(sections.count))
    head.write(UInt64(length))
    head.write(headChecksum(head.bytes.span.bytes, table.bytes.span.bytes))
    head.write(bytes: table.bytes)
    return head.bytes
  }

  /// Reads and checks the head of a file that must be exactly as long as it says.
  init(reading file: RawSpan) throws(WorldMapError) {
    try self.init(readingCut: file)
    let length = file.integer(UInt64.self, at: 16)
    guard length <= UInt64(file.byteCount) else { throw .truncated(offset: file.byteCount) }
    guard length == UInt64(file.byteCount) else {
      throw .invalid("bytes follow the end of the map", offset: Int(length))
    }
    let end = sections.last.map { $0.offset + $0.entry.storedLength } ?? Self.headerSize
    guard end <= file.byteCount else { throw .truncated(offset: file.byteCount) }
    guard end == file.byteCount else { throw .invalid("bytes outside every section", offset: end) }
  }

  /// Reads and checks the head of a file whose sections may be cut off.
  init(readingCut file: RawSpan) throws(WorldMapError) {
    try Self.checkMagicAndVersion(file)
    guard file.byteCount >= Self.headerSize else { throw .truncated(offset: file.byteCount) }
    guard file.byteCount <= Limits.map else { throw .overLimit(limit: Limits.map, offset: 16) }
    let count = Int(file.integer(UInt32.self, at: 12))
    guard count <= Self.sectionLimit else { throw .overLimit(limit: Self.sectionLimit, offset: 12) }
    let tableEnd = Self.headerSize + SectionEntry.size * count
    guard tableEnd <= file.byteCount else { throw .truncated(offset: file.byteCount) }
    let table = file.extracting(Self.headerSize..<tableEnd)
    guard file.integer(UInt64.self, at: 24) == Self.headChecksum(file.extracting(0..<24), table) else {
      throw .damaged("the section table", offset: 0)
    }
    sections = []
    var offset = tableEnd
    for index in 0..<count {
      let entry = try SectionEntry(reading: file, at: Self.headerSize + SectionEntry.size * index)
      sections.append((entry, offset))
      offset += entry.storedLength
    }
  }

  /// The checksum of the first 24 bytes and the table, as one run.
  private static func headChecksum(_ head: RawSpan, _ table: RawSpan) -> UInt64 {
    var bytes = ByteWriter(capacity: head.byteCount + table.byteCount)
    bytes.write(head)
    bytes.write(table)
    return XXH64.hash(bytes.bytes)
  }

  private static func checkMagicAndVersion(_ file: RawSpan) throws(WorldMapError) {
    let present = min(file.byteCount, magic.count)
    for index in 0..<present where file.integer(UInt8.self, at: index) != magic[index] { throw .notAWorldMap }
    guard file.byteCount >= 12 else { throw .truncated(offset: file.byteCount) }
    let major = file.integer(UInt16.self, at: 8)
    guard major == majorVersion else {
      throw .unsupportedVersion(found: Int(major), supported: Int(majorVersion), offset: 8)
    }
  }

  /// The section with this code, if there is one; its checksum is verified.
  func section(_ code: SectionCode, in file: RawSpan) throws(WorldMapError) -> (entry: SectionEntry, offset: Int)? {
    var found: (entry: SectionEntry, offset: Int)?
    for section in sections where section.entry.code == code {
      guard found == nil else { throw .invalid("a second \(code.name) section", offset: section.offset) }
      found = section
    }
    guard let found else { return nil }
    try verify(found, in: file)
    return found
  }

  /// Compares a section's checksum with the bytes that it covers.
  func verify(_ section: (entry: SectionEntry, offset: Int), in file: RawSpan) throws(WorldMapError) {
    let (entry, offset) = section
    guard offset + entry.coveredLength <= file.byteCount else { throw .truncated(offset: file.byteCount) }
    let covered = file.extracting(offset..<(offset + entry.coveredLength))
    guard XXH64.hash(covered) == entry.checksum else {
      throw .damaged("section \(entry.code.name)", offset: offset)
    }
  }
}
