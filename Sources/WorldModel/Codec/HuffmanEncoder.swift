/// Writes bytes as code words of a ``HuffmanCode``; Documentation/Protocol/worldmap-format.md has the layout.
struct HuffmanEncoder: ~Copyable {
  /// The code word of each byte, with its length in the high half.
  private let words: UnsafeMutablePointer<UInt32>
  private let lengths: UnsafeMutablePointer<UInt8>

  init() {
    words = .allocate(capacity: HuffmanCode.symbols)
    lengths = .allocate(capacity: HuffmanCode.symbols)
  }

  deinit {
    words.deallocate()
    lengths.deallocate()
  }

  /// Writes a code for these bytes, the lengths of four streams, and the streams, and moves `out` behind them.
  ///
  /// - Parameters:
  ///   - bytes: At most 65,536, of which at least two differ.
  ///   - counts: How often each of them occurs.
  ///   - out: Memory for as many bytes and ``PlaneEncoder/slack`` more.
  mutating func write(
    _ bytes: UnsafeBufferPointer<UInt8>, _ counts: ByteCounts, to out: inout UnsafeMutableRawPointer
  ) {
    guard let source = bytes.baseAddress else { return }
    HuffmanCode.assign(counts.counts, to: lengths)
    makeWords()
    writeCode(to: &out)
    let head = out
    out += 8
    let quarter = bytes.count / 4
    for stream in 0..<4 {
      let end = stream == 3 ? bytes.count : (stream + 1) * quarter
      let start = out
      writeStream(source + stream * quarter, end - stream * quarter, to: &out)
      head.storeBytes(of: UInt16(out - start).littleEndian, toByteOffset: 2 * stream, as: UInt16.self)
    }
  }

  /// Finds the code words that belong to the lengths.
  private func makeWords() {
    var word: UInt32 = 0
    var last = 0
    HuffmanCode.forEachInOrder(lengths) { symbol, length in
      word &<<= UInt32(truncatingIfNeeded: length &- last)
      words[symbol] = UInt32(truncatingIfNeeded: length) &<< 16 | word
      word &+= 1
      last = length
    }
  }

  /// Writes the lengths of the code words in runs of bytes that have one, gaps of up to four included.
  private func writeCode(to out: inout UnsafeMutableRawPointer) {
    let head = out
    var runs: UInt8 = 0
    out += 1
    var symbol = 0
    while let first = (symbol..<HuffmanCode.symbols).first(where: { lengths[$0] > 0 }) {
      var last = first
      symbol = first + 1
      while symbol < HuffmanCode.symbols, symbol - last <= 5 {
        if lengths[symbol] > 0 { last = symbol }
        symbol += 1
      }
      out.storeBytes(of: UInt8(first), as: UInt8.self)
      out.storeBytes(of: UInt8(last), toByteOffset: 1, as: UInt8.self)
      out += 2
      for even in stride(from: first, through: last, by: 2) {
        let pair = lengths[even] | (even < last ? lengths[even + 1] : 0) << 4
        out.storeBytes(of: pair, as: UInt8.self)
        out += 1
      }
      runs += 1
    }
    head.storeBytes(of: runs, as: UInt8.self)
  }

  /// Writes code words, highest bit first, and zeros up to a whole byte.
  private func writeStream(_ source: UnsafePointer<UInt8>, _ count: Int, to out: inout UnsafeMutableRawPointer) {
    var next = out
    var bits: UInt64 = 0
    var filled: UInt64 = 0
    // Five words and up to seven bits left over fit 64 bits.
    var place = 0
    while place < count {
      for offset in place..<min(place &+ 5, count) {
        let word = words[Int(source[offset])]
        bits = bits &<< UInt64(word &>> 16) | UInt64(word & 0xffff)
        filled &+= UInt64(word &>> 16)
      }
      next.storeBytes(of: (bits &<< (64 &- filled)).bigEndian, as: UInt64.self)
      next += Int(filled &>> 3)
      filled &= 7
      place &+= 5
    }
    out = next + (filled > 0 ? 1 : 0)
  }
}
