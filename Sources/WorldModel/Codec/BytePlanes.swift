/// Four planes of bytes: plane k holds byte k of every element of a component.
///
/// Neighbouring elements agree in their high bytes, so a plane of high bytes is nearly constant while the noise stays
/// in planes of its own. A frame's bytes stand in runs of four neighbours, of each lane in turn: so four rows of four
/// lanes are turned by shifts and masks alone.
struct BytePlanes: ~Copyable {
  typealias Row = PackedFrame.Row

  /// The bytes between two planes, and the most elements.
  let capacity: Int
  private let memory: UnsafeMutablePointer<UInt8>

  init(capacity: Int) {
    self.capacity = capacity
    memory = .allocate(capacity: max(4 * capacity, 1))
  }

  deinit {
    memory.deallocate()
  }

  /// The first `count` bytes of plane `byte`.
  func plane(_ byte: Int, _ count: Int) -> UnsafeMutableBufferPointer<UInt8> {
    UnsafeMutableBufferPointer(start: memory + byte * capacity, count: count)
  }

  /// Splits the rows of a frame; its bytes begin at `place` in each plane.
  @inline(__always)
  func split(_ rows: UnsafePointer<Row>, at place: Int) {
    let even = Row(repeating: 0x00ff_00ff)
    let low = Row(repeating: 0x0000_ffff)
    for group in 0..<(PackedFrame.rows / 4) {
      let row = rows + 4 * group
      // Bytes 0 and 2, then 1 and 3, of two rows each.
      let evens = (row[0] & even) | (row[1] & even) &<< 8
      let odds = (row[0] &>> 8) & even | row[1] & ~even
      let moreEvens = (row[2] & even) | (row[3] & even) &<< 8
      let moreOdds = (row[2] &>> 8) & even | row[3] & ~even
      let target = UnsafeMutableRawPointer(memory + (place &+ 16 &* group))
      target.storeBytes(of: evens & low | moreEvens &<< 16, as: Row.self)
      target.storeBytes(of: odds & low | moreOdds &<< 16, toByteOffset: capacity, as: Row.self)
      target.storeBytes(of: evens &>> 16 | moreEvens & ~low, toByteOffset: 2 &* capacity, as: Row.self)
      target.storeBytes(of: odds &>> 16 | moreOdds & ~low, toByteOffset: 3 &* capacity, as: Row.self)
    }
  }

  /// Joins the bytes from `place` on to the rows of a frame.
  @inline(__always)
  func join(at place: Int, to rows: UnsafeMutablePointer<Row>) {
    let even = Row(repeating: 0x00ff_00ff)
    let low = Row(repeating: 0x0000_ffff)
    for group in 0..<(PackedFrame.rows / 4) {
      let source = UnsafeRawPointer(memory + (place &+ 16 &* group))
      let byte0 = source.loadUnaligned(as: Row.self)
      let byte1 = source.loadUnaligned(fromByteOffset: capacity, as: Row.self)
      let byte2 = source.loadUnaligned(fromByteOffset: 2 &* capacity, as: Row.self)
      let byte3 = source.loadUnaligned(fromByteOffset: 3 &* capacity, as: Row.self)
      let evens = byte0 & low | byte2 &<< 16
      let odds = byte1 & low | byte3 &<< 16
      let moreEvens = byte0 &>> 16 | byte2 & ~low
      let moreOdds = byte1 &>> 16 | byte3 & ~low
      let row = rows + 4 * group
      row[0] = evens & even | (odds & even) &<< 8
      row[1] = (evens &>> 8) & even | odds & ~even
      row[2] = moreEvens & even | (moreOdds & even) &<< 8
      row[3] = (moreEvens &>> 8) & even | moreOdds & ~even
    }
  }

  /// The element at `place` after the frames, whose bytes stand at `place` too.
  subscript(place: Int) -> UInt32 {
    get {
      (0..<4).reduce(0) { $0 | UInt32(memory[$1 * capacity + place]) << UInt32(8 * $1) }
    }
    nonmutating set {
      for byte in 0..<4 { memory[byte * capacity + place] = UInt8(truncatingIfNeeded: newValue >> UInt32(8 * byte)) }
    }
  }
}
