import Basics
import Testing

@testable import WorldModel

@Suite("Huffman codes")
struct HuffmanTests {
  private func encoded(_ bytes: [UInt8]) -> [UInt8] {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.count * 2 + PlaneEncoder.slack, alignment: 16)
    let counts = ByteCounts(counts: .allocate(capacity: HuffmanCode.symbols))
    defer {
      memory.deallocate()
      counts.counts.deallocate()
    }
    var end = memory
    var encoder = HuffmanEncoder()
    bytes.withUnsafeBufferPointer {
      counts.count($0)
      encoder.write($0, counts, to: &end)
    }
    return [UInt8](UnsafeRawBufferPointer(start: memory, count: end - memory))
  }

  /// What `source` decodes to, and how much of it was read.
  private func decoded(_ source: [UInt8], count: Int) -> (bytes: [UInt8], read: Int?) {
    var bytes = [UInt8](repeating: 0, count: count)
    var decoder = HuffmanDecoder()
    let read = source.withUnsafeBytes { source in
      bytes.withUnsafeMutableBufferPointer { decoder.read(source, to: $0) }
    }
    return (bytes, read)
  }

  private func lengths(_ counts: [UInt32]) -> [UInt8] {
    var lengths = [UInt8](repeating: 9, count: HuffmanCode.symbols)
    lengths.withUnsafeMutableBufferPointer { lengths in
      counts.withUnsafeBufferPointer { counts in
        guard let counts = counts.baseAddress, let lengths = lengths.baseAddress else { return }
        HuffmanCode.assign(counts, to: lengths)
      }
    }
    return lengths
  }

  @Test func theBytesAreThoseOfTheProtocol() {
    // Words: a 0, b 10, c 110, d 111. Streams: aa, aa, bb, cd.
    let bytes = encoded(Array("aaaabbcd".utf8))
    #expect(bytes == [1, 0x61, 0x64, 0x21, 0x33, 1, 0, 1, 0, 1, 0, 1, 0, 0b0000_0000, 0, 0b1010_0000, 0b1101_1100])
    #expect(decoded(bytes, count: 8) == (Array("aaaabbcd".utf8), bytes.count))
  }

  @Test func farBytesStandInRunsOfTheirOwn() {
    // Words: 0 as 0, 5 as 10, 255 as 11.
    let bytes = encoded([0, 0, 0, 0, 5, 5, 255, 255])
    #expect(bytes.prefix(10) == [2, 0, 5, 0x01, 0, 0x20, 255, 255, 0x02, 1])
    #expect(decoded(bytes, count: 8) == ([0, 0, 0, 0, 5, 5, 255, 255], bytes.count))
  }

  @Test(arguments: [2, 3, 4, 5, 19, 20, 23, 100, 127, 1000, 65_536])
  func bytesOfAnySpreadSurvive(count: Int) {
    var random = SplitMix64(seed: UInt64(count))
    for skew in 0..<9 {
      // From two values up to all, the higher ones ever rarer.
      var bytes = (0..<count).map { _ in
        UInt8(truncatingIfNeeded: random.next() >> (random.next() % 8)) >> UInt8(skew % 8)
      }
      bytes[0] = 0
      bytes[1] = 1
      let source = encoded(bytes)
      let isSame = decoded(source, count: count) == (bytes, source.count)
      #expect(isSame)
    }
  }

  @Test func wordsHaveAtMostElevenBitsAndUseAllPatternsUp() {
    var fibonacci = [UInt32](repeating: 0, count: HuffmanCode.symbols)
    (fibonacci[0], fibonacci[1]) = (1, 1)
    for index in 2..<30 { fibonacci[index] = fibonacci[index - 1] + fibonacci[index - 2] }
    var random = SplitMix64(seed: 2)
    let many = (0..<200).map { _ in
      let symbols = 2 + random.next() % 255
      return (0..<HuffmanCode.symbols).map { index in
        index < symbols ? 1 + UInt32(truncatingIfNeeded: random.next() >> 40) >> UInt32(random.next() % 25) : 0
      }
    }
    for counts in [fibonacci] + many {
      let lengths = lengths(counts)
      #expect(zip(counts, lengths).allSatisfy { ($0 > 0) == ($1 > 0) && $1 <= 11 })
      #expect(lengths.filter { $0 > 0 }.reduce(0) { $0 + 2048 >> Int($1) } == 2048)
      // The more frequent a byte, the shorter its word.
      let sorted = zip(counts, lengths).filter { $0.0 > 0 }.sorted { $0.0 < $1.0 }
      let falls = zip(sorted, sorted.dropFirst()).filter { $0.0.0 < $0.1.0 && $0.0.1 < $0.1.1 }
      #expect(falls.isEmpty)
    }
  }

  @Test func lengthsAreHuffmansWhereTheyFit() {
    var counts = [UInt32](repeating: 0, count: HuffmanCode.symbols)
    counts.replaceSubrange(0..<6, with: [5, 9, 12, 13, 16, 45])
    // The example of Cormen, Leiserson, Rivest and Stein, section 16.3.
    #expect(lengths(counts).prefix(6) == [4, 4, 3, 3, 3, 1])
  }

  @Test func damagedCodesAreRefusedOrReadWithinBounds() {
    var random = SplitMix64(seed: 8)
    let bytes = (0..<500).map { _ in UInt8(random.next() & 15 & random.next()) }
    let source = encoded(bytes)
    for count in 0..<source.count { #expect(decoded(Array(source[..<count]), count: 500).read == nil) }
    for index in source.indices {
      for bit in 0..<8 {
        var damaged = source
        damaged[index] ^= 1 << UInt8(bit)
        let read = decoded(damaged, count: 500).read
        #expect(read == nil || read! <= damaged.count)
      }
    }
    // No word, one word only, words for twice the patterns, a run that falls.
    for code: [UInt8] in [[0], [1, 7, 7, 1], [1, 0, 3, 0x11, 0x11], [2, 5, 5, 1, 5, 5, 1]] {
      #expect(decoded(code + [UInt8](repeating: 0, count: 40), count: 16).read == nil)
    }
  }
}
