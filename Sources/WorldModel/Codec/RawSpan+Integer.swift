import Basics

extension RawSpan {
  /// The little-endian integer at `offset`; all its bytes must lie inside the span.
  func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, at offset: Int) -> T {
    precondition(offset >= 0 && offset + MemoryLayout<T>.size <= byteCount, "an integer outside its span")
    return T(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: T.self))
  }

  /// The bytes, copied.
  var copied: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}

extension ByteWriter {
  /// Appends borrowed bytes.
  mutating func write(_ span: RawSpan) {
    write(bytes: span.copied)
  }
}

extension UnsafeRawBufferPointer {
  /// The little-endian integer at `offset`; all its bytes must lie inside the buffer.
  func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, at offset: Int) -> T {
    precondition(offset >= 0 && offset + MemoryLayout<T>.size <= count, "an integer outside its buffer")
    return T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
  }
}
