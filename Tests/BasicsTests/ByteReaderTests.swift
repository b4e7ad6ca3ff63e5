import Basics
import Testing

@Suite struct ByteReaderTests {
  @Test func `values are read back in order, little-endian, to the last byte`() throws {
    var writer = ByteWriter(capacity: 8)
    writer.write(UInt16(0x0102))
    writer.write(Int32(-2))
    writer.write(Float(1.5))
    writer.writeString("é")
    writer.writeBlob([7, 8])
    writer.write(span: ([9] as [UInt8]).span.bytes)
    #expect(writer.bytes.prefix(6) == [2, 1, 0xfe, 0xff, 0xff, 0xff])
    var reader = ByteReader(writer.bytes.span)
    let numbers = (try reader.read(UInt16.self), try reader.read(Int32.self), try reader.readFloat())
    #expect(numbers == (0x0102, -2, 1.5))
    let (text, blob) = (try reader.readString(limit: 2), try reader.readBlob(limit: 2))
    #expect(text == "é")
    #expect(blob == [7, 8])
    #expect(reader.remaining == 1)
    let last = try reader.readByte()
    #expect(last == 9)
    try reader.finish()
  }

  @Test(arguments: [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, UInt64(UInt32.max), .max])
  func `a varint is read back from its shortest form`(value: UInt64) throws {
    var writer = ByteWriter()
    writer.writeVarint(value)
    #expect(writer.count == max(1, (64 - value.leadingZeroBitCount + 6) / 7))
    var reader = ByteReader(writer.bytes.span)
    let again = try reader.readVarint()
    #expect(again == value)
    try reader.finish()
  }

  @Test func `bytes after the last value are refused`() {
    #expect(failure(in: [1, 2]) { try $0.finish() } == .invalid("2 bytes too many", offset: 0))
  }

  @Test(arguments: [
    ([0x80, 0x00], "number not in its shortest form"), ([0xff, 0x80, 0x00], "number not in its shortest form"),
    (Array(repeating: 0xff, count: 9) + [0x02], "number over 64 bits"),
    (Array(repeating: 0xff, count: 10) + [0x01], "number over 64 bits"),
  ])
  func `a varint in a longer form or over 64 bits is refused`(bytes: [UInt8], why: String) {
    #expect(failure(in: bytes) { _ = try $0.readVarint() } == .invalid(why, offset: 0))
  }

  @Test func `a value that the bytes end in is refused where it begins`() {
    let reads: [(inout ByteReader) throws -> Void] = [
      { _ = try $0.read(UInt64.self) },
      { _ = try $0.readFloat() },
      { _ = try $0.readSpan(4) },
      { _ = try $0.readBytes(.max) },
      { _ = try $0.readBytes(-1) },
    ]
    for read in reads { #expect(failure(in: [1, 2, 3], read) == .truncated(offset: 0)) }
  }

  @Test func `a length over its limit is refused before its bytes are looked for`() {
    #expect(failure(in: [5]) { _ = try $0.readBlob(limit: 4) } == .overLimit(limit: 4, offset: 0))
    #expect(failure(in: [0xff, 0x7f]) { _ = try $0.readString(limit: 4) } == .overLimit(limit: 4, offset: 0))
    #expect(failure(in: [1, 0xff]) { _ = try $0.readString(limit: 4) } == .invalid("text is not UTF-8", offset: 0))
  }

  /// Why `read` fails on `bytes`; nil when it does not.
  private func failure(in bytes: [UInt8], _ read: (inout ByteReader) throws -> Void) -> DecodingFailure? {
    var reader = ByteReader(bytes.span)
    do {
      try read(&reader)
      return nil
    } catch {
      return error as? DecodingFailure
    }
  }
}
