/// Memory of a fixed capacity that kernels write into, and what has been written so far.
struct RawWriter: ~Copyable {
  private let base: UnsafeMutableRawPointer
  private let capacity: Int
  private var end: UnsafeMutableRawPointer

  init(capacity: Int) {
    self.capacity = capacity
    base = .allocate(byteCount: capacity, alignment: 16)
    end = base
  }

  deinit {
    base.deallocate()
  }

  /// The bytes written so far.
  var bytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base, count: end - base) }

  /// Leaves `count` bytes for later.
  mutating func advance(by count: Int) {
    end += count
  }

  /// Copies bytes.
  mutating func write(_ bytes: [UInt8]) {
    end.copyMemory(from: bytes, byteCount: bytes.count)
    end += bytes.count
  }

  /// Writes a component: its number, its method, the length of its bytes, and what `body` writes.
  mutating func component(
    _ component: Component, _ method: ComponentMethod, _ body: (inout UnsafeMutableRawPointer) -> Void
  ) {
    end.storeBytes(of: component.rawValue, as: UInt8.self)
    end.storeBytes(of: method.rawValue, toByteOffset: 1, as: UInt8.self)
    let start = end + 6
    end = start
    body(&end)
    (start - 4).storeBytes(of: UInt32(end - start).littleEndian, as: UInt32.self)
    precondition(end - base <= capacity, "a block outgrew its memory")
  }
}
