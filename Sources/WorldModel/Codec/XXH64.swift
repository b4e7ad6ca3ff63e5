/// The 64-bit xxHash (seed 0) of the map file's checksums.
///
/// Published by Yann Collet as the "xxHash fast digest algorithm" specification; chosen because it runs at memory
/// speed, so that checking costs a fast decoder nothing, and is forty lines in any language.
package enum XXH64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// The hash of `bytes`.
  package static func hash(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.withContiguousStorageIfAvailable { hash(UnsafeRawBufferPointer($0)) } ?? hash(Array(bytes))
  }

  /// The hash of borrowed bytes.
  package static func hash(_ span: RawSpan) -> UInt64 {
    span.withUnsafeBytes { hash($0) }
  }

  /// The hash of the bytes at a pointer.
  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var offset = 0
    var result = bytes.count >= 32 ? stripes(bytes, &offset) : prime5
    result &+= UInt64(bytes.count)
    while bytes.count - offset >= 8 {
      result = rotate(result ^ round(0, load(bytes, offset)), 27) &* prime1 &+ prime4
      offset += 8
    }
    if bytes.count - offset >= 4 {
      let word = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      result = rotate(result ^ (word &* prime1), 23) &* prime2 &+ prime3
      offset += 4
    }
    while offset < bytes.count {
      result = rotate(result ^ (UInt64(bytes[offset]) &* prime5), 11) &* prime1
      offset += 1
    }
    result = (result ^ (result >> 33)) &* prime2
    result = (result ^ (result >> 29)) &* prime3
    return result ^ (result >> 32)
  }

  /// Four lanes over whole stripes of 32 bytes.
  private static func stripes(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt64 {
    var lane0 = prime1 &+ prime2
    var lane1 = prime2
    var lane2: UInt64 = 0
    var lane3 = 0 &- prime1
    while bytes.count - offset >= 32 {
      lane0 = round(lane0, load(bytes, offset))
      lane1 = round(lane1, load(bytes, offset + 8))
      lane2 = round(lane2, load(bytes, offset + 16))
      lane3 = round(lane3, load(bytes, offset + 24))
      offset += 32
    }
    var result = rotate(lane0, 1) &+ rotate(lane1, 7) &+ rotate(lane2, 12) &+ rotate(lane3, 18)
    for lane in [lane0, lane1, lane2, lane3] { result = (result ^ round(0, lane)) &* prime1 &+ prime4 }
    return result
  }

  @inline(__always)
  private static func load(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    value &<< bits | value &>> (64 - bits)
  }
}
