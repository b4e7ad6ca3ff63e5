import Basics

/// Walks through the components of a block's payload.
struct ComponentReader {
  /// One component.
  struct Part {
    var method: ComponentMethod
    var bytes: UnsafeRawBufferPointer
    /// Where it begins in the payload.
    var offset: Int

    /// The defect.
    func failure(_ why: String) -> DecodingFailure { .invalid(why, offset: offset) }
  }

  private let payload: UnsafeRawBufferPointer
  private var offset = 0

  init(_ payload: UnsafeRawBufferPointer) {
    self.payload = payload
  }

  /// Compares the layout and the first identifier, with which every payload begins.
  mutating func skipHead(layout: CloudLayout, lowest: UInt64) throws(DecodingFailure) {
    var expected = ByteWriter()
    layout.write(to: &expected)
    expected.write(lowest)
    guard payload.count >= expected.count else { throw .truncated(offset: 0) }
    guard payload[..<expected.count].elementsEqual(expected.bytes) else {
      throw .invalid("a block of another layout than its section", offset: 0)
    }
    offset = expected.count
  }

  /// The next component, which must be `component`.
  mutating func next(_ component: Component) throws(DecodingFailure) -> Part {
    let start = offset
    guard payload.count - offset >= 6 else { throw .truncated(offset: start) }
    guard payload[start] == component.rawValue else { throw .invalid("components out of order", offset: start) }
    guard let method = ComponentMethod(rawValue: payload[start + 1]) else {
      throw .invalid("unknown method", offset: start + 1)
    }
    let length = Int(UInt32(littleEndian: payload.loadUnaligned(fromByteOffset: start + 2, as: UInt32.self)))
    guard length <= payload.count - start - 6 else { throw .truncated(offset: start + 2) }
    offset = start + 6 + length
    return Part(method: method, bytes: UnsafeRawBufferPointer(rebasing: payload[(start + 6)..<offset]), offset: start)
  }

  /// Fails unless every component has been read.
  func finish() throws(DecodingFailure) {
    guard offset == payload.count else { throw .invalid("bytes after the last component", offset: offset) }
  }
}
