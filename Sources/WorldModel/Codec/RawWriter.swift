/// Memory of a fixed capacity that kernels write into, and the count of bytes written.
struct RawWriter: ~Copyable {
  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  /// Where the next byte goes; kernels move it.
  var end: UnsafeMutableRawPointer
  private var component: UnsafeMutableRawPointer

  init(capacity: Int) {
    self.capacity = capacity
    base = .allocate(byteCount: capacity, alignment: 16)
    end = base
    component = base
  }

  deinit {
    base.deallocate()
  }

  /// The bytes written so far.
  var bytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base, count: end - base) }

  /// Discards the written bytes and ensures room for `needed` bytes.
  mutating func removeAll(capacity needed: Int) {
    if needed > capacity {
      base.deallocate()
      base = .allocate(byteCount: needed, alignment: 16)
      capacity = needed
    }
    end = base
  }

  /// Leaves `count` bytes for later.
  mutating func advance(by count: Int) {
    end += count
  }

  /// Copies bytes.
  mutating func write(_ bytes: [UInt8]) {
    end.copyMemory(from: bytes, byteCount: bytes.count)
    end += bytes.count
  }

  /// Writes a number, lowest byte first.
  mutating func write<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
    end.storeBytes(of: value.littleEndian, as: T.self)
    end += MemoryLayout<T>.size
  }

  /// Begins a component with its number, its method, and room for the length of its bytes.
  mutating func begin(_ component: Component, _ method: ComponentMethod) {
    end.storeBytes(of: component.rawValue, as: UInt8.self)
    end.storeBytes(of: method.rawValue, toByteOffset: 1, as: UInt8.self)
    end += 6
    self.component = end
  }

  /// Ends a component: its length is filled in.
  mutating func finish() {
    (component - 4).storeBytes(of: UInt32(end - component).littleEndian, as: UInt32.self)
    precondition(end - base <= capacity, "a block outgrew its memory")
  }
}
