/// The section by which small damage of the blocks of points is repaired.
///
/// A block is taken as ``pieces`` pieces of one length, of which the last may be shorter; its parity is the exclusive or of
/// them all. A run of damaged bytes no longer than half a piece leaves the exclusive or of what was and what is in the parity's
/// columns, wherever the run stands: there are as many places to try as pieces, and the block's checksum tells the right one.
enum ParitySection {
  /// The pieces of a block: the parity is this part of the points' size, less than 1 %.
  static let pieces = 128

  /// The bytes of the parity of a block of `stored` bytes.
  static func length(of stored: Int) -> Int { (stored + pieces - 1) / pieces }

  /// The section of blocks that follow each other from `start` on.
  static func body(of rows: [BlockDirectory.Row], in file: [UInt8], from start: Int) -> SectionBody {
    var parities: [UInt8] = []
    parities.reserveCapacity(rows.reduce(0) { $0 + length(of: $1.storedLength) })
    var offset = start
    for row in rows {
      parities += parity(of: file[offset..<(offset + row.storedLength)])
      offset += row.storedLength
    }
    return SectionBody(
      code: .parity, codec: SectionCodec.plain, rawLength: UInt64(parities.count), covered: parities)
  }

  /// The exclusive or of the pieces of a block.
  private static func parity(of block: ArraySlice<UInt8>) -> [UInt8] {
    let length = length(of: block.count)
    var parity = [UInt8](repeating: 0, count: length)
    block.withUnsafeBufferPointer { block in
      parity.withUnsafeMutableBufferPointer { parity in
        for piece in stride(from: 0, to: block.count, by: length) {
          for column in 0..<min(length, block.count - piece) { parity[column] ^= block[piece + column] }
        }
      }
    }
    return parity
  }
}

extension ParitySection {
  /// Repairs the damaged blocks of a file whose directory and parities are sound; gives the numbers of those that it did.
  static func repair(_ file: inout [UInt8]) -> [Int] {
    guard let (directory, parities) = try? parts(of: file) else { return [] }
    var repaired: [Int] = []
    var place = parities
    for (index, row) in directory.rows.enumerated() {
      let range = place..<(place + length(of: row.storedLength))
      place = range.upperBound
      let isSound = (try? directory.payload(index, in: file.span.bytes, section: .points)) != nil
      if !isSound, row.end <= file.count, repair(&file, row, by: Array(file[range])) { repaired.append(index) }
    }
    return repaired
  }

  /// The directory of the points, and where the first parity stands.
  private static func parts(of file: [UInt8]) throws(WorldMapError) -> (BlockDirectory, parities: Int) {
    let span = file.span.bytes
    let container = try Container(readingCut: span)
    guard let points = try container.section(.points, in: span), let parity = try container.section(.parity, in: span)
    else { throw .invalid("no parity", offset: 0) }
    let directory = try BlockDirectory(
      reading: points, in: span, limit: Limits.points, blockLimit: PointsSection.blockSize)
    let expected = directory.rows.reduce(0) { $0 + length(of: $1.storedLength) }
    guard parity.entry.storedLength == expected, parity.entry.coveredLength == expected else {
      throw .invalid("a parity of other blocks", offset: parity.offset)
    }
    return (directory, parity.offset)
  }

  /// Repairs one block, if its damage is a run no longer than half a piece; else the file stays as it is.
  private static func repair(_ file: inout [UInt8], _ row: BlockDirectory.Row, by parity: [UInt8]) -> Bool {
    let difference = zip(parity, Self.parity(of: file[row.offset..<row.end])).map { $0 ^ $1 }
    let columns = difference.indices.filter { difference[$0] != 0 }
    guard let first = start(of: columns, length: parity.count) else { return false }
    for window in stride(from: first - parity.count, to: row.storedLength, by: parity.count) {
      // The columns before the start of the run belong to the piece behind.
      let places = columns.map { window + ($0 - first + parity.count) % parity.count }
      guard places.allSatisfy({ (0..<row.storedLength).contains($0) }) else { continue }
      for (place, column) in zip(places, columns) { file[row.offset + place] ^= difference[column] }
      if isSound(file, row) { return true }
      for (place, column) in zip(places, columns) { file[row.offset + place] ^= difference[column] }
    }
    return false
  }

  /// The column in which a run begins that may go on at the first column: the one behind the widest gap, which no gap
  /// within a run of half a piece reaches.
  private static func start(of columns: [Int], length: Int) -> Int? {
    guard let last = columns.last else { return nil }
    var best = (start: columns[0], gap: columns[0] + length - last)
    for (one, next) in zip(columns, columns.dropFirst()) where next - one > best.gap { best = (next, next - one) }
    return best.start
  }

  private static func isSound(_ file: [UInt8], _ row: BlockDirectory.Row) -> Bool {
    let block = file.span.bytes.extracting(row.offset..<row.end)
    return BlockHead(reading: block) == BlockHead(section: .points, row: row)
      && XXH64.hash(block.extracting(BlockHead.size..<block.byteCount)) == row.checksum
  }
}
