/// A growing buffer of little-endian values that is kept and reused, so that a steady stream of messages allocates
/// nothing.
///
/// Its methods are inlinable because they are called for every number on hot paths of other modules.
@usableFromInline package struct ByteWriter: Sendable, Equatable {
  /// The bytes written since the last ``removeAll()``.
  @inlinable package var bytes: [UInt8] { storage }

  @usableFromInline var storage: [UInt8] = []

  /// An empty buffer with room for `capacity` bytes.
  @inlinable package init(capacity: Int = 0) {
    storage.reserveCapacity(capacity)
  }

  /// An empty buffer that takes over the memory of `spent`.
  @inlinable package init(reusing spent: consuming [UInt8]) {
    storage = spent
    storage.removeAll(keepingCapacity: true)
  }

  /// A buffer that continues behind `bytes`, in their memory.
  @inlinable package init(appendingTo bytes: consuming [UInt8]) {
    storage = bytes
  }

  /// Moves the written bytes out together with their memory; the buffer is then empty and owns no memory.
  @inlinable package mutating func take() -> [UInt8] { exchange(&storage, with: []) }

  /// The number of bytes written.
  @inlinable package var count: Int { storage.count }

  /// Discards the written bytes and retains the memory.
  @inlinable package mutating func removeAll() {
    storage.removeAll(keepingCapacity: true)
  }

  /// Takes back everything after the first `count` bytes.
  package mutating func truncate(to count: Int) {
    storage.removeLast(bytes.count - count)
  }

  /// Appends a fixed-width integer, little-endian.
  @inlinable package mutating func write<T: FixedWidthInteger>(_ value: T) {
    unsafe withUnsafeBytes(of: value.littleEndian) { unsafe storage.append(contentsOf: $0) }
  }

  /// Appends an IEEE 754 single-precision number, little-endian.
  @inlinable package mutating func write(_ value: Float) {
    write(value.bitPattern)
  }

  /// Appends an unsigned LEB128 number in its shortest form.
  @inlinable package mutating func writeVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      storage.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    storage.append(UInt8(rest))
  }

  /// Appends bytes as they are.
  @inlinable package mutating func write(bytes more: some Collection<UInt8>) {
    storage.append(contentsOf: more)
  }

  /// Appends borrowed bytes as they are.
  @inlinable package mutating func write(span: RawSpan) {
    unsafe span.withUnsafeBytes { unsafe storage.append(contentsOf: $0) }
  }

  /// Appends a varint length and the bytes.
  @inlinable package mutating func writeBlob(_ blob: some Collection<UInt8>) {
    writeVarint(UInt64(blob.count))
    storage.append(contentsOf: blob)
  }

  /// Appends a varint length and the text in UTF-8.
  @inlinable package mutating func writeString(_ text: String) {
    writeBlob(text.utf8)
  }

  /// Overwrites four bytes written earlier, for a length that is known only at the end.
  @inlinable package mutating func patch(_ value: UInt32, at offset: Int) {
    for index in 0..<4 { storage[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index))) }
  }
}
