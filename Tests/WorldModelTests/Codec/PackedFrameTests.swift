import Basics
import Testing

@testable import WorldModel

@Suite("Packed frames")
struct PackedFrameTests {
  /// Packs and unpacks the elements; the bytes and what came back.
  private func roundTrip(_ words: [UInt32], step: Int) -> (bytes: [UInt8], words: [UInt32]?) {
    let rows = FrameRows(words)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: PackedFrame.largest, alignment: 16)
    defer { memory.deallocate() }
    var end = memory
    PackedFrame.encode(rows.frame(0), step: step, to: &end)
    let bytes = [UInt8](UnsafeRawBufferPointer(start: memory, count: end - memory))
    let back = FrameRows(count: 128)
    let length = bytes.withUnsafeBytes { PackedFrame.decode($0, to: back.frame(0)) }
    return (bytes, length == bytes.count ? back.elements : nil)
  }

  @Test(arguments: 0...32)
  func everyWidthSurvives(width: Int) {
    var random = SplitMix64(seed: UInt64(width))
    for step in [1, 4] {
      let mask = width == 0 ? 0 : UInt32.max >> UInt32(32 - width)
      let words = (0..<128).map { _ in UInt32(truncatingIfNeeded: random.next()) & mask }
      let (bytes, back) = roundTrip(words, step: step)
      #expect(back == words)
      #expect(bytes.count <= 2 + 16 * width)
    }
  }

  @Test(arguments: [1, 3, 20, 127, 128])
  func exceptionsSurvive(count: Int) {
    var random = SplitMix64(seed: 5)
    var words = (0..<128).map { _ in UInt32(random.next() & 15) }
    for index in 0..<count { words[(index * 37) % 128] |= UInt32(truncatingIfNeeded: random.next()) }
    for step in [1, 4] { #expect(roundTrip(words, step: step).words == words) }
  }

  @Test func fewLargeNumbersCostLittle() {
    var words = [UInt32](repeating: 7, count: 128)
    words[100] = 0xFFFF_FFFF
    let (bytes, back) = roundTrip(words, step: 1)
    #expect(back == words)
    // Two bytes of head, three bits each, and one exception of a place and four bytes.
    #expect(bytes.count == 2 + 16 * 3 + 5)
    #expect(bytes[0] == 3 | 3 << 6)
    #expect(bytes[1] == 1)
    #expect(bytes[50] == 100)
  }

  @Test func damagedFramesAreRefusedOrReadWithinBounds() {
    var random = SplitMix64(seed: 9)
    let words = (0..<128).map { _ in UInt32(random.next() & 0x3FF) | (random.next() % 20 == 0 ? 1 << 30 : 0) }
    let bytes = roundTrip(words, step: 1).bytes
    let back = FrameRows(count: 128)
    for count in 0..<bytes.count {
      let length = Array(bytes[..<count]).withUnsafeBytes { PackedFrame.decode($0, to: back.frame(0)) }
      #expect(length == nil)
    }
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << UInt8(bit)
        let length = damaged.withUnsafeBytes { PackedFrame.decode($0, to: back.frame(0)) }
        #expect(length == nil || length! <= damaged.count)
      }
    }
  }

  @Test(arguments: [1, 127, 128, 129, 300])
  func differencesAreUndone(count: Int) {
    var random = SplitMix64(seed: 3)
    let words = (0..<count).map { _ in (random.unit() - 0.5).bitPattern }
    let transforms: [PackedStream.Transform] = [
      .plain, .floatDifferences, .differences, .folded,
    ]
    for transform in transforms {
      let rows = FrameRows(words)
      let memory = UnsafeMutableRawPointer.allocate(byteCount: PackedStream.largest(count), alignment: 16)
      defer { memory.deallocate() }
      var end = memory
      PackedStream.encode(rows, transform, .compact, to: &end)
      var back = FrameRows(count: count)
      let bytes = UnsafeRawBufferPointer(start: memory, count: end - memory)
      #expect(PackedStream.decode(bytes, transform, to: &back) == bytes.count)
      #expect(back.elements == words)
    }
  }
}
