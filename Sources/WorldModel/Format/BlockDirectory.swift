import Basics

/// The beginning of a blocked section: its parameters, and one row for each block.
///
/// Each block can be read, checked and decoded without the others. The table's checksum covers the directory, and the
/// directory's rows carry the checksums of the blocks.
struct BlockDirectory {
  /// Bytes of a row.
  static let rowSize = 56

  /// The parameters that every block of the section needs, in the section's own layout.
  var parameters: [UInt8]
  var rows: [Row]

  /// One block.
  struct Row: Equatable {
    /// Bytes of the block.
    var storedLength: Int
    /// Points or anchors in it.
    var count: Int
    /// XXH64 of the block's payload.
    var checksum: UInt64
    /// The lowest and highest key in it: identifiers of points, first eight bytes of the ids of anchors.
    var keys: ClosedRange<UInt64>
    /// A box that holds its points or anchors, once decoded.
    var bounds: BoundingBox
    /// Where its bytes begin in the file; known when read.
    var offset = 0
    /// Where its bytes end in the file.
    var end: Int { offset + storedLength }
  }

  init(parameters: [UInt8], rows: [Row]) {
    self.parameters = parameters
    self.rows = rows
  }

  /// The number of elements in all blocks.
  var count: Int { rows.reduce(0) { $0 + $1.count } }

  func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: 8 + parameters.count + rows.count * Self.rowSize)
    writer.write(UInt32(rows.count))
    writer.write(UInt32(parameters.count))
    writer.write(bytes: parameters)
    for row in rows {
      writer.write(UInt32(row.storedLength))
      writer.write(UInt32(row.count))
      writer.write(row.checksum)
      writer.write(row.keys.lowerBound)
      writer.write(row.keys.upperBound)
      writer.write(row.bounds.minimum)
      writer.write(row.bounds.maximum)
    }
    return writer.bytes
  }

  /// Reads the directory of a section whose checksum fits.
  ///
  /// - Parameters:
  ///   - limit: The most elements of the section.
  ///   - blockLimit: The most elements of a block.
  init(
    reading section: (entry: SectionEntry, offset: Int), in file: RawSpan, limit: Int, blockLimit: Int
  ) throws(WorldMapError) {
    let (entry, start) = section
    guard entry.codec == SectionCodec.blocks else { throw .invalid("unknown codec of section", offset: start) }
    guard entry.coveredLength >= 8 else { throw .truncated(offset: start + entry.coveredLength) }
    let rowCount = Int(file.integer(UInt32.self, at: start))
    let parameterCount = Int(file.integer(UInt32.self, at: start + 4))
    guard entry.coveredLength == 8 + parameterCount + rowCount * Self.rowSize else {
      throw .invalid("the directory does not have the length of its rows", offset: start)
    }
    parameters = file.extracting((start + 8)..<(start + 8 + parameterCount)).copied
    rows = []
    var offset = start + entry.coveredLength
    let end = start + entry.storedLength
    var total = 0
    for index in 0..<rowCount {
      let at = start + 8 + parameterCount + index * Self.rowSize
      var row = try Row(reading: file, at: at, blockLimit: blockLimit)
      row.offset = offset
      guard row.storedLength <= end - offset else { throw .truncated(offset: end) }
      offset += row.storedLength
      total += row.count
      guard total <= limit else { throw .overLimit(limit: limit, offset: at + 4) }
      rows.append(row)
    }
    guard offset == end else { throw .invalid("bytes after the last block", offset: offset) }
  }

  /// The payload of a block, after its head and checksum were compared.
  @_lifetime(copy file)
  func payload(_ index: Int, in file: RawSpan, section: SectionCode) throws(WorldMapError) -> RawSpan {
    let row = rows[index]
    guard row.end <= file.byteCount else { throw .truncated(offset: file.byteCount) }
    let bytes = file.extracting(row.offset..<row.end)
    guard let head = BlockHead(reading: bytes), head == BlockHead(section: section, row: row),
      XXH64.hash(bytes.extracting(BlockHead.size..<bytes.byteCount)) == row.checksum
    else { throw .damaged("block \(index) of section \(section.name)", offset: row.offset) }
    return bytes.extracting(BlockHead.size..<bytes.byteCount)
  }
}

extension BlockDirectory.Row {
  fileprivate init(reading file: RawSpan, at offset: Int, blockLimit: Int) throws(WorldMapError) {
    storedLength = Int(file.integer(UInt32.self, at: offset))
    count = Int(file.integer(UInt32.self, at: offset + 4))
    guard count > 0 else { throw .invalid("an empty block", offset: offset + 4) }
    guard count <= blockLimit else { throw .overLimit(limit: blockLimit, offset: offset + 4) }
    checksum = file.integer(UInt64.self, at: offset + 8)
    let lowest = file.integer(UInt64.self, at: offset + 16)
    let highest = file.integer(UInt64.self, at: offset + 24)
    guard lowest <= highest else { throw .invalid("a block's keys are out of order", offset: offset + 16) }
    keys = lowest...highest
    var corners: [Float] = []
    for index in 0..<6 { corners.append(Float(bitPattern: file.integer(UInt32.self, at: offset + 32 + 4 * index))) }
    bounds = BoundingBox(
      minimum: [corners[0], corners[1], corners[2]], maximum: [corners[3], corners[4], corners[5]])
    guard bounds.minimum.isFinite, bounds.maximum.isFinite, all(bounds.minimum .<= bounds.maximum) else {
      throw .invalid("a block's box is not a box", offset: offset + 32)
    }
  }
}
