/// The 32-bit elements of one component of a block in frame order: whole frames of 128, then the elements left over.
///
/// Element 32·l + r of a frame is lane l of its row r.
struct FrameRows: ~Copyable {
  typealias Row = PackedFrame.Row

  private var memory: UnsafeMutablePointer<Row>
  private var capacity: Int
  /// The number of elements.
  private(set) var count: Int

  /// Room for `count` elements, not yet filled.
  init(count: Int) {
    self.count = count
    capacity = count
    memory = Self.allocate(count)
  }

  /// Makes room for other elements, in the same memory if that is large enough; none of them is filled.
  mutating func reset(count: Int) {
    if count > capacity {
      memory.deallocate()
      memory = Self.allocate(count)
      capacity = count
    }
    self.count = count
  }

  private static func allocate(_ count: Int) -> UnsafeMutablePointer<Row> {
    .allocate(capacity: (count + PackedFrame.count - 1) / PackedFrame.count * PackedFrame.rows + 1)
  }

  deinit {
    memory.deallocate()
  }

  /// The number of whole frames.
  var frameCount: Int { count / PackedFrame.count }

  /// The number of elements after the whole frames.
  var tailCount: Int { count % PackedFrame.count }

  /// The 32 rows of a frame.
  func frame(_ index: Int) -> UnsafeMutablePointer<Row> { memory + index * PackedFrame.rows }

  /// The elements after the whole frames, in their own order.
  var tailAddress: UnsafeMutablePointer<UInt32> {
    UnsafeMutableRawPointer(frame(frameCount)).assumingMemoryBound(to: UInt32.self)
  }

  /// The elements after the whole frames, in their own order.
  var tail: UnsafeBufferPointer<UInt32> { UnsafeBufferPointer(start: tailAddress, count: tailCount) }

  /// The element at `index`, in the order of the block.
  subscript(index: Int) -> UInt32 {
    get { address[place(index)] }
    set { address[place(index)] = newValue }
  }

  /// All elements in the order of memory.
  var address: UnsafeMutablePointer<UInt32> {
    UnsafeMutableRawPointer(memory).assumingMemoryBound(to: UInt32.self)
  }

  /// Where the element at `index` stands in memory.
  @inline(__always)
  private func place(_ index: Int) -> Int {
    guard index < count & ~(PackedFrame.count - 1) else { return index }
    return index & ~(PackedFrame.count - 1) | (index & 31) << 2 | (index >> 5) & 3
  }
}
