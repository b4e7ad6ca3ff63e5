/// A cursor that decodes little-endian values from borrowed bytes, checking every bound.
///
/// It never allocates except for the results that are arrays or strings, and it never reads past the end: a short
/// buffer is ``DecodingFailure/truncated(offset:)`` with the offset where the value should have begun.
/// Its methods are inlinable because they are called for every number on hot paths of other modules.
@usableFromInline package struct ByteReader: ~Escapable {
  @usableFromInline let bytes: RawSpan

  /// The offset of the next byte, from the start of the span (bytes).
  @inlinable package var offset: Int { position }

  @usableFromInline var position = 0

  /// Starts at the first byte of `bytes`.
  @_lifetime(copy bytes)
  @inlinable package init(_ bytes: RawSpan) {
    self.bytes = bytes
  }

  /// Starts at the first of `bytes`.
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) {
    unsafe self.bytes = bytes.bytes
  }

  /// The number of bytes not read yet.
  @inlinable package var remaining: Int { bytes.byteCount - offset }

  /// Whether every byte has been read.
  @inlinable package var isAtEnd: Bool { remaining == 0 }

  /// Reads a fixed-width integer, little-endian.
  @_lifetime(self: copy self)
  @inlinable package mutating func read<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) throws(DecodingFailure)
    -> T
  {
    let size = MemoryLayout<T>.size
    guard remaining >= size else { throw .truncated(offset: offset) }
    let value = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: T.self)
    position += size
    return T(littleEndian: value)
  }

  /// Reads one byte.
  @_lifetime(self: copy self)
  @inlinable package mutating func readByte() throws(DecodingFailure) -> UInt8 {
    try read(UInt8.self)
  }

  /// Reads a flag: a byte that is 0 or 1.
  @_lifetime(self: copy self)
  @inlinable package mutating func readFlag() throws(DecodingFailure) -> Bool {
    let start = offset
    let byte = try readByte()
    guard byte <= 1 else { throw .invalid("flag is neither 0 nor 1", offset: start) }
    return byte == 1
  }

  /// Reads an IEEE 754 single-precision number, little-endian.
  @_lifetime(self: copy self)
  @inlinable package mutating func readFloat() throws(DecodingFailure) -> Float {
    Float(bitPattern: try read(UInt32.self))
  }

  /// Reads an unsigned LEB128 number of at most 64 bits; only the shortest form is accepted.
  @_lifetime(self: copy self)
  @inlinable package mutating func readVarint() throws(DecodingFailure) -> UInt64 {
    let start = offset
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try readByte()
      let bits = UInt64(byte & 0x7f)
      guard shift < 63 || bits <= 1 else { throw .invalid("number over 64 bits", offset: start) }
      value |= bits << shift
      if byte & 0x80 == 0 {
        guard byte != 0 || shift == 0 else { throw .invalid("number not in its shortest form", offset: start) }
        return value
      }
      shift += 7
      guard shift < 70 else { throw .invalid("number over 64 bits", offset: start) }
    }
  }

  /// Borrows the next `count` bytes and moves past them.
  @_lifetime(copy self)
  @inlinable package mutating func readSpan(_ count: Int) throws(DecodingFailure) -> RawSpan {
    guard count >= 0, remaining >= count else { throw .truncated(offset: offset) }
    let span = bytes.extracting(offset..<(offset + count))
    position += count
    return span
  }

  /// Copies the next `count` bytes.
  @_lifetime(self: copy self)
  @inlinable package mutating func readBytes(_ count: Int) throws(DecodingFailure) -> [UInt8] {
    guard count >= 0, remaining >= count else { throw .truncated(offset: offset) }
    let start = offset
    position += count
    return unsafe bytes.withUnsafeBytes { raw in
      unsafe [UInt8](UnsafeRawBufferPointer(rebasing: raw[start..<(start + count)]))
    }
  }

  /// Reads a varint length and that many bytes of UTF-8 without what ``PlainText`` refuses; a length over `limit` is refused
  /// before anything is copied.
  ///
  /// - Parameter known: A text that was read before and may come again: then it is the result, and none is made or checked.
  @_lifetime(self: copy self)
  @inlinable package mutating func readString(
    limit: Int, knowing known: String = ""
  ) throws(DecodingFailure) -> String {
    let start = offset
    let bytes = try readSpan(try readCount(limit: limit))
    if bytes.isText(known) { return known }
    let text = unsafe bytes.withUnsafeBytes { raw in
      unsafe String(utf8: raw.assumingMemoryBound(to: UInt8.self).span)
    }
    guard let text else { throw .invalid("text is not UTF-8", offset: start) }
    guard PlainText.allows(text) else { throw .invalid("text has control characters", offset: start) }
    return text
  }

  /// Reads a varint length and that many bytes, refusing a length over `limit` before anything is copied.
  @_lifetime(self: copy self)
  @inlinable package mutating func readBlob(limit: Int) throws(DecodingFailure) -> [UInt8] {
    try readBytes(try readCount(limit: limit))
  }

  /// Reads a varint that counts what follows, refusing one over `limit`.
  @_lifetime(self: copy self)
  @inlinable package mutating func readCount(limit: Int) throws(DecodingFailure) -> Int {
    let start = offset
    let count = try readVarint()
    guard count <= UInt64(limit) else { throw .overLimit(limit: limit, offset: start) }
    return Int(count)
  }

  /// Fails unless every byte has been read.
  @inlinable package func finish() throws(DecodingFailure) {
    guard isAtEnd else { throw .invalid("\(remaining) bytes too many", offset: offset) }
  }
}

extension String {
  /// The text of bytes of UTF-8; nil for other ones.
  ///
  /// By a span it takes a third of the time of `String(validating:as:)`.
  @inlinable package init?(utf8 bytes: Span<UInt8>) {
    guard let text = try? UTF8Span(validating: bytes) else { return nil }
    self.init(copying: text)
  }
}

extension RawSpan {
  /// Whether these are the bytes of a text in UTF-8.
  @inlinable package func isText(_ text: String) -> Bool {
    let wanted = text.utf8.span
    guard wanted.count == byteCount else { return false }
    return unsafe withUnsafeBytes { bytes in
      for index in 0..<wanted.count where unsafe wanted[index] != bytes[index] { return false }
      return true
    }
  }
}
