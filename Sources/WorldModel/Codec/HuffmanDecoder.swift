/// Reads what ``HuffmanEncoder`` wrote.
struct HuffmanDecoder: ~Copyable {
  /// For each value of the next bits: the byte in the high half, the length of its code word in the low one.
  private let table: UnsafeMutablePointer<UInt16>
  private let lengths: UnsafeMutablePointer<UInt8>
  /// How many bits the table is looked up by: those of the longest code word.
  private var width = 0

  init() {
    table = .allocate(capacity: 1 << HuffmanCode.longest)
    lengths = .allocate(capacity: HuffmanCode.symbols)
  }

  deinit {
    table.deallocate()
    lengths.deallocate()
  }

  /// Reads a code and as many bytes as fit `target`.
  ///
  /// - Returns: The number of bytes read, or nil when `source` does not hold that.
  mutating func read(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableBufferPointer<UInt8>) -> Int? {
    guard let head = readCode(source), source.count - head >= 8, let out = target.baseAddress else { return nil }
    var starts = SIMD4<Int>()
    var start = head + 8
    for stream in 0..<4 {
      starts[stream] = start
      start += Int(source.integer(UInt16.self, at: head + 2 * stream))
    }
    guard start <= source.count else { return nil }
    let ends = SIMD4(starts.y, starts.z, starts.w, start)
    let quarter = target.count / 4
    // The next bit of each stream, counted from the start of the source.
    var bits = starts &* 8
    let done = readTogether(source, &bits, quarter, to: out)
    for stream in 0..<4 {
      let count = stream == 3 ? target.count - 3 * quarter : quarter
      let place = out + stream * quarter
      guard readRest(source, &bits[stream], done..<count, to: place) == ends[stream] else { return nil }
    }
    return start
  }

  /// Reads the lengths of the code words and fills the table.
  ///
  /// - Returns: The number of bytes read, or nil when they are no complete code.
  private mutating func readCode(_ source: UnsafeRawBufferPointer) -> Int? {
    guard let runs = source.first else { return nil }
    lengths.update(repeating: 0, count: HuffmanCode.symbols)
    var offset = 1
    var next = 0
    for _ in 0..<runs {
      guard source.count - offset >= 2 else { return nil }
      let (first, last) = (Int(source[offset]), Int(source[offset + 1]))
      offset += 2
      guard first >= next, last >= first, source.count - offset >= (last - first) / 2 + 1 else { return nil }
      for symbol in first...last {
        let pair = source[offset + (symbol - first) / 2]
        lengths[symbol] = (symbol - first) % 2 == 0 ? pair & 15 : pair >> 4
      }
      offset += (last - first) / 2 + 1
      next = last + 1
    }
    return fillTable() ? offset : nil
  }

  /// Fills the table for the lengths; false when these are not those of a complete code.
  private mutating func fillTable() -> Bool {
    var places = 0
    width = 0
    for symbol in 0..<HuffmanCode.symbols where lengths[symbol] > 0 {
      let length = Int(lengths[symbol])
      guard length <= HuffmanCode.longest else { return false }
      places &+= 1 &<< (HuffmanCode.longest &- length)
      width = max(width, length)
    }
    guard places == 1 << HuffmanCode.longest, width > 0 else { return false }
    var next = table
    let width = width
    HuffmanCode.forEachInOrder(lengths) { symbol, length in
      let count = 1 &<< (width &- length)
      next.update(repeating: UInt16(truncatingIfNeeded: symbol &<< 8 | length), count: count)
      next += count
    }
    return true
  }

  /// Reads five bytes of each stream at a time, as long as there are eight bytes to load.
  ///
  /// - Returns: How many bytes of each stream were read.
  private func readTogether(
    _ source: UnsafeRawBufferPointer, _ bits: inout SIMD4<Int>, _ quarter: Int, to out: UnsafeMutablePointer<UInt8>
  ) -> Int {
    guard let base = source.baseAddress, source.count >= 8 else { return 0 }
    let limit = (source.count - 8) * 8
    let shift = UInt64(64 - width)
    let table = table
    var (bit0, bit1, bit2, bit3) = (bits.x, bits.y, bits.z, bits.w)
    let (out0, out1, out2, out3) = (out, out + quarter, out + 2 * quarter, out + 3 * quarter)
    var done = 0
    while done &+ 5 <= quarter, bit0 <= limit, bit1 <= limit, bit2 <= limit, bit3 <= limit {
      var word0 = Self.load(base, bit0)
      var word1 = Self.load(base, bit1)
      var word2 = Self.load(base, bit2)
      var word3 = Self.load(base, bit3)
      // The low bytes of these sums are the numbers of bits that were used, 55 at most.
      var (used0, used1, used2, used3): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
      for place in done..<(done &+ 5) {
        out0[place] = Self.next(&word0, &used0, table, shift)
        out1[place] = Self.next(&word1, &used1, table, shift)
        out2[place] = Self.next(&word2, &used2, table, shift)
        out3[place] = Self.next(&word3, &used3, table, shift)
      }
      bit0 &+= Int(used0 & 255)
      bit1 &+= Int(used1 & 255)
      bit2 &+= Int(used2 & 255)
      bit3 &+= Int(used3 & 255)
      done &+= 5
    }
    bits = SIMD4(bit0, bit1, bit2, bit3)
    return done
  }

  /// The bits from `bit` on, at least 57 of them.
  @inline(__always)
  private static func load(_ base: UnsafeRawPointer, _ bit: Int) -> UInt64 {
    UInt64(bigEndian: base.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self)) &<< UInt64(bit & 7)
  }

  /// The byte whose code word `word` begins with, which is taken away.
  @inline(__always)
  private static func next(
    _ word: inout UInt64, _ used: inout UInt64, _ table: UnsafePointer<UInt16>, _ shift: UInt64
  ) -> UInt8 {
    let entry = UInt64(table[Int(word &>> shift)])
    // The shift takes the low six bits of the entry, which are the length.
    word = word &<< entry
    used = used &+ entry
    return UInt8(truncatingIfNeeded: entry &>> 8)
  }

  /// Reads the bytes of one stream one by one; behind the source there are zeros.
  ///
  /// - Returns: The byte with which the stream ends.
  private func readRest(
    _ source: UnsafeRawBufferPointer, _ bit: inout Int, _ places: Range<Int>, to out: UnsafeMutablePointer<UInt8>
  ) -> Int {
    for place in places {
      var word: UInt64 = 0
      for byte in 0..<3 {
        let index = bit / 8 + byte
        word |= UInt64(index < source.count ? source[index] : 0) << UInt64(56 - 8 * byte)
      }
      word &<<= UInt64(bit & 7)
      var used: UInt64 = 0
      out[place] = Self.next(&word, &used, table, UInt64(64 - width))
      bit += Int(used & 255)
    }
    return (bit + 7) / 8
  }
}
