import CZstd
import SharedWorld

/// What zstd alone makes of bytes, with contexts that are used again.
private final class Zstd {
  private let level: Int32
  private let compressor = ZSTD_createCCtx()
  private let decompressor = ZSTD_createDCtx()

  init(level: Int32) {
    self.level = level
  }

  deinit {
    ZSTD_freeCCtx(compressor)
    ZSTD_freeDCtx(decompressor)
  }

  func compress(_ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int {
    ZSTD_compressCCtx(compressor, target.baseAddress, target.count, bytes.baseAddress, bytes.count, level)
  }

  func decompress(_ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
    consume(ZSTD_decompressDCtx(decompressor, target.baseAddress, target.count, bytes.baseAddress, bytes.count))
  }
}

/// Memory of its own.
private final class Buffer {
  let bytes: UnsafeMutableRawBufferPointer

  init(_ count: Int) {
    bytes = .allocate(byteCount: count, alignment: 64)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit { bytes.deallocate() }
}

/// zstd over the array as a program holds it: x, y, z and identifier of each point, 20 bytes.
final class InterleavedCodec: CloudCodec {
  private let zstd: Zstd
  private let rows: Buffer
  private let stored: Buffer
  private let back: Buffer
  private var size = 0

  init(_ cloud: FeatureCloud, level: Int32) {
    zstd = Zstd(level: level)
    let count = cloud.count * WorldMapRows.bytesPerPoint
    rows = Buffer(count)
    stored = Buffer(ZSTD_compressBound(count))
    back = Buffer(count)
    for index in cloud.indices {
      let (position, start) = (cloud.positions[index], index * WorldMapRows.bytesPerPoint)
      for axis in 0..<3 { rows.bytes.storeBytes(of: position[axis], toByteOffset: start + axis * 4, as: Float.self) }
      rows.bytes.storeBytes(of: cloud.identifiers[index], toByteOffset: start + 12, as: UInt64.self)
    }
  }

  func encode() -> Int {
    size = zstd.compress(UnsafeRawBufferPointer(rows.bytes), into: stored.bytes)
    return size
  }

  func decode() {
    zstd.decompress(UnsafeRawBufferPointer(rebasing: stored.bytes[..<size]), into: back.bytes)
  }
}

/// The first bytes of all numbers, then the second, and so on: each such plane goes through zstd.
///
/// Blocks have 65,536 points, as in the map format. A plane that does not shrink is stored as it is.
final class PlanesCodec: CloudCodec {
  private static let block = 65_536
  private let zstd: Zstd
  private let cloud: FeatureCloud
  private let planes = Buffer(block * WorldMapRows.bytesPerPoint)
  private let stored: Buffer
  private var lengths: [Int] = []
  private var positions: [SIMD3<Float>]
  private var identifiers: [UInt64]

  init(_ cloud: FeatureCloud, level: Int32) {
    zstd = Zstd(level: level)
    self.cloud = cloud
    // Each plane is compressed into the room after the last, which must suffice before it is known to shrink.
    stored = Buffer(cloud.count * WorldMapRows.bytesPerPoint + ZSTD_compressBound(Self.block))
    positions = Array(repeating: .zero, count: cloud.count)
    identifiers = Array(repeating: 0, count: cloud.count)
  }

  func encode() -> Int {
    lengths.removeAll(keepingCapacity: true)
    var end = 0
    for start in stride(from: 0, to: cloud.count, by: Self.block) {
      let count = min(Self.block, cloud.count - start)
      split(start, count)
      for plane in 0..<WorldMapRows.bytesPerPoint {
        let raw = UnsafeRawBufferPointer(rebasing: planes.bytes[(plane * count)..<((plane + 1) * count)])
        let room = UnsafeMutableRawBufferPointer(rebasing: stored.bytes[end...])
        var length = zstd.compress(raw, into: room)
        if length >= count {
          room.copyMemory(from: raw)
          length = count
        }
        lengths.append(length)
        end += length
      }
    }
    return end + lengths.count * 4
  }

  func decode() {
    var (end, plane) = (0, 0)
    for start in stride(from: 0, to: cloud.count, by: Self.block) {
      let count = min(Self.block, cloud.count - start)
      for place in 0..<WorldMapRows.bytesPerPoint {
        let source = UnsafeRawBufferPointer(rebasing: stored.bytes[end..<(end + lengths[plane])])
        let target = UnsafeMutableRawBufferPointer(rebasing: planes.bytes[(place * count)..<((place + 1) * count)])
        if source.count == count { target.copyMemory(from: source) } else { zstd.decompress(source, into: target) }
        (end, plane) = (end + lengths[plane], plane + 1)
      }
      join(start, count)
    }
    consume(identifiers.count)
  }

  /// Writes the planes of a block.
  private func split(_ start: Int, _ count: Int) {
    cloud.positions.withUnsafeBytes { bytes in
      for plane in 0..<12 { copy(bytes, from: start * 16 + plane, step: 16, to: plane, count) }
    }
    cloud.identifiers.withUnsafeBytes { bytes in
      for plane in 0..<8 { copy(bytes, from: start * 8 + plane, step: 8, to: 12 + plane, count) }
    }
  }

  /// Every `step`th byte from `place` on is one plane.
  private func copy(_ bytes: UnsafeRawBufferPointer, from place: Int, step: Int, to plane: Int, _ count: Int) {
    guard let source = bytes.baseAddress, let planes = planes.bytes.baseAddress else { return }
    let target = (planes + plane * count).assumingMemoryBound(to: UInt8.self)
    for index in 0..<count { target[index] = (source + place).load(fromByteOffset: index &* step, as: UInt8.self) }
  }

  /// Reads the planes of a block.
  private func join(_ start: Int, _ count: Int) {
    guard let plane = planes.bytes.bindMemory(to: UInt8.self).baseAddress else { return }
    positions.withUnsafeMutableBytes { bytes in
      guard let numbers = bytes.bindMemory(to: UInt32.self).baseAddress else { return }
      for axis in 0..<3 {
        let (source, target) = (plane + axis * 4 * count, numbers + start * 4 + axis)
        for index in 0..<count {
          let low = UInt32(source[index]) | UInt32(source[count + index]) << 8
          let high = UInt32(source[2 * count + index]) | UInt32(source[3 * count + index]) << 8
          target[index &* 4] = low | high << 16
        }
      }
    }
    let source = plane + 12 * count
    identifiers.withUnsafeMutableBufferPointer { identifiers in
      for index in 0..<count {
        var word: UInt64 = 0
        for byte in 0..<8 { word |= UInt64(source[byte * count + index]) << UInt64(8 * byte) }
        identifiers[start + index] = word
      }
    }
  }
}
