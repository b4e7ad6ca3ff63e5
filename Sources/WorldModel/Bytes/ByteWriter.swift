/// A growing buffer of little-endian values that is kept and reused, so that a steady stream of messages allocates
/// nothing.
package struct ByteWriter: Sendable, Equatable {
  /// What has been written since the last ``removeAll()``.
  package private(set) var bytes: [UInt8] = []

  /// An empty buffer with room for `capacity` bytes.
  package init(capacity: Int = 0) {
    bytes.reserveCapacity(capacity)
  }

  /// The number of bytes written.
  package var count: Int { bytes.count }

  /// Forgets what was written and keeps the memory.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Takes back everything after the first `count` bytes.
  package mutating func truncate(to count: Int) {
    bytes.removeLast(bytes.count - count)
  }

  /// Appends a fixed-width integer, little-endian.
  package mutating func write<T: FixedWidthInteger>(_ value: T) {
    var rest = value
    for _ in 0..<MemoryLayout<T>.size {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest = MemoryLayout<T>.size == 1 ? 0 : rest >> 8
    }
  }

  /// Appends an IEEE 754 single-precision number, little-endian.
  package mutating func write(_ value: Float) {
    write(value.bitPattern)
  }

  /// Appends an unsigned LEB128 number in its shortest form.
  package mutating func writeVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Appends bytes as they are.
  package mutating func write(bytes more: some Collection<UInt8>) {
    bytes.append(contentsOf: more)
  }

  /// Appends borrowed bytes as they are.
  package mutating func write(span: RawSpan) {
    span.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  /// Appends a varint length and the bytes.
  package mutating func writeBlob(_ blob: some Collection<UInt8>) {
    writeVarint(UInt64(blob.count))
    bytes.append(contentsOf: blob)
  }

  /// Appends a varint length and the text in UTF-8.
  package mutating func writeString(_ text: String) {
    writeBlob(text.utf8)
  }

  /// Overwrites four bytes written earlier, for a length that is known only at the end.
  package mutating func patch(_ value: UInt32, at offset: Int) {
    for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index))) }
  }
}
