/// The first 24 bytes of a block: enough to find and check it in a file whose directory is lost.
struct BlockHead: Equatable {
  static let size = 24
  /// "WBLK", first character in the lowest byte.
  static let magic: UInt32 = 0x4B4C_4257

  var section: SectionCode
  /// Points or anchors in the block.
  var count: Int
  /// Bytes of the block, head included.
  var storedLength: Int
  /// XXH64 of the bytes after the head.
  var checksum: UInt64

  init(section: SectionCode, row: BlockDirectory.Row) {
    self.section = section
    count = row.count
    storedLength = row.storedLength
    checksum = row.checksum
  }

  /// Reads the head of a block; nil when the bytes do not begin with one.
  init?(reading bytes: RawSpan) {
    guard bytes.byteCount >= Self.size, bytes.integer(UInt32.self, at: 0) == Self.magic else { return nil }
    section = SectionCode(rawValue: bytes.integer(UInt32.self, at: 4))
    count = Int(bytes.integer(UInt32.self, at: 8))
    storedLength = Int(bytes.integer(UInt32.self, at: 12))
    checksum = bytes.integer(UInt64.self, at: 16)
  }
}

extension BlockDirectory.Row {
  /// Fills in the head of a block whose payload stands behind room for it.
  init(
    section: SectionCode, count: Int, keys: ClosedRange<UInt64>, bounds: BoundingBox,
    filling block: UnsafeMutableRawBufferPointer
  ) {
    let payload = UnsafeRawBufferPointer(rebasing: block[BlockHead.size...])
    self.init(
      storedLength: block.count, count: count, checksum: XXH64.hash(payload), keys: keys, bounds: bounds)
    block.storeBytes(of: BlockHead.magic.littleEndian, as: UInt32.self)
    block.storeBytes(of: section.rawValue.littleEndian, toByteOffset: 4, as: UInt32.self)
    block.storeBytes(of: UInt32(count).littleEndian, toByteOffset: 8, as: UInt32.self)
    block.storeBytes(of: UInt32(block.count).littleEndian, toByteOffset: 12, as: UInt32.self)
    block.storeBytes(of: checksum.littleEndian, toByteOffset: 16, as: UInt64.self)
  }
}
