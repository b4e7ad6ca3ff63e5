/// The objects of a binary property list, each read when it is asked for: nothing is copied or kept.
///
/// Documentation/Decisions/0014-device-archives.md says why this is no library's. Layout: `bplist00`, objects, their
/// offsets, and a trailer of 32 bytes (CFBinaryPList.c of Core Foundation).
struct BinaryPropertyList {
  /// An object.
  enum Value {
    case null
    /// An integer of at most 64 bits; a negative one as its two's complement.
    case integer(UInt64)
    /// The bytes of data.
    case data(Range<Int>)
    /// The bytes of a text: ASCII, or UTF-16 with the high byte first.
    case text(Range<Int>, isWide: Bool)
    /// The number of an object of a keyed archive.
    case identifier(UInt64)
    case array(References)
    case dictionary(keys: References, values: References)
    /// A real number, a flag or a date: no key of a map has one.
    case other
  }

  /// A run of references to objects.
  struct References {
    /// Where the first one stands (bytes).
    let offset: Int
    let count: Int
  }

  static let magic = Array("bplist00".utf8)
  private static let trailerSize = 32

  let bytes: [UInt8]
  /// The number of objects.
  let count: Int
  /// The number of the object that holds the others.
  let top: Int
  private let table: Int
  private let offsetSize: Int
  private let referenceSize: Int

  /// Reads the trailer.
  init(_ bytes: [UInt8]) throws(ARKitArchiveError) {
    guard bytes.starts(with: Self.magic) else { throw .malformedList("no 'bplist00'", offset: 0) }
    let trailer = bytes.count - Self.trailerSize
    guard trailer >= Self.magic.count else { throw .malformedList("the trailer is cut off", offset: bytes.count) }
    self.bytes = bytes
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
      throw .malformedList("a reference has 1 to 8 bytes", offset: trailer + 6)
    }
    let numbers = [8, 16, 24].map { Self.number(bytes, trailer + $0, 8) }
    guard numbers[2] >= UInt64(Self.magic.count), numbers[2] <= UInt64(trailer) else {
      throw .malformedList("the offsets lie outside the file", offset: trailer + 24)
    }
    table = Int(numbers[2])
    guard numbers[0] <= UInt64((trailer - table) / offsetSize) else {
      throw .malformedList("more objects than offsets", offset: trailer + 8)
    }
    count = Int(numbers[0])
    guard numbers[1] < numbers[0] else { throw .malformedList("no such top object", offset: trailer + 16) }
    top = Int(numbers[1])
  }

  /// The object with this number, which is below ``count``.
  func value(_ object: Int) throws(ARKitArchiveError) -> Value {
    let entry = table + object * offsetSize
    let offset = Self.number(bytes, entry, offsetSize)
    guard offset >= UInt64(Self.magic.count), offset < UInt64(table) else {
      throw .malformedList("an object outside the file", offset: entry)
    }
    let start = Int(offset)
    let (high, low) = (bytes[start] >> 4, Int(bytes[start] & 15))
    switch (high, low) {
    case (0, 0): return .null
    case (0, 8), (0, 9): return .other
    case (1, 0...3): return .integer(Self.number(bytes, try body(start, 1, 1 << low).lowerBound, 1 << low))
    case (1, 4): return try wideInteger(start)
    case (2, 2...3), (3, 3):
      _ = try body(start, 1, 1 << low)
      return .other
    case (8, 0...7): return .identifier(Self.number(bytes, try body(start, 1, low + 1).lowerBound, low + 1))
    case (4, _): return .data(try run(start, width: 1))
    case (5, _): return .text(try run(start, width: 1), isWide: false)
    case (6, _): return .text(try run(start, width: 2), isWide: true)
    case (10, _):
      let range = try run(start, width: referenceSize)
      return .array(References(offset: range.lowerBound, count: range.count / referenceSize))
    case (13, _):
      let range = try run(start, width: 2 * referenceSize)
      let count = range.count / (2 * referenceSize)
      return .dictionary(
        keys: References(offset: range.lowerBound, count: count),
        values: References(offset: range.lowerBound + count * referenceSize, count: count))
    default: throw .malformedList("an object of an unknown kind", offset: start)
    }
  }

  /// The number of the object that a reference names.
  func object(_ references: References, _ index: Int) throws(ARKitArchiveError) -> Int {
    let place = references.offset + index * referenceSize
    let object = Self.number(bytes, place, referenceSize)
    guard object < UInt64(count) else { throw .malformedList("a reference to no object", offset: place) }
    return Int(object)
  }

  /// The value that a reference names.
  func value(_ references: References, _ index: Int) throws(ARKitArchiveError) -> Value {
    try value(try object(references, index))
  }

  /// Whether a value is this text of ASCII characters; one of another length is not looked into.
  func matches(_ value: Value, _ text: String) -> Bool {
    guard case .text(let range, isWide: false) = value, range.count == text.utf8.count else { return false }
    return bytes[range].elementsEqual(text.utf8)
  }

  /// The bytes of a run, whose length stands in the marker at `start` or in the integer behind it.
  private func run(_ start: Int, width: Int) throws(ARKitArchiveError) -> Range<Int> {
    let short = Int(bytes[start] & 15)
    guard short == 15 else { return try body(start, 1, short * width) }
    let marker = bytes[try body(start, 1, 1).lowerBound]
    guard marker & 0xf0 == 0x10, marker & 15 <= 3 else { throw .malformedList("no length", offset: start + 1) }
    let size = 1 << Int(marker & 15)
    let length = Self.number(bytes, try body(start, 2, size).lowerBound, size)
    guard length <= UInt64(table / width) else { throw .malformedList("a length over the file's", offset: start + 1) }
    return try body(start, 2 + size, Int(length) * width)
  }

  /// An integer of 16 bytes, as it is written for numbers from 2⁶³ on.
  private func wideInteger(_ start: Int) throws(ARKitArchiveError) -> Value {
    let range = try body(start, 1, 16)
    guard Self.number(bytes, range.lowerBound, 8) == 0 else {
      throw .malformedList("an integer over 64 bits", offset: start)
    }
    return .integer(Self.number(bytes, range.lowerBound + 8, 8))
  }

  /// The `count` bytes that stand `distance` behind `start`, before the offsets.
  private func body(_ start: Int, _ distance: Int, _ count: Int) throws(ARKitArchiveError) -> Range<Int> {
    guard count <= table - start - distance else { throw .malformedList("an object is cut off", offset: start) }
    return (start + distance)..<(start + distance + count)
  }

  /// The big-endian number of `size` bytes at `offset`, which are there.
  private static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> UInt64 {
    bytes[offset..<(offset + size)].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
