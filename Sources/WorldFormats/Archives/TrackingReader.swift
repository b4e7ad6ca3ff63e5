/// Reads the scalars of ARKit's tracking data one after the other: MessagePack without arrays and maps.
///
/// Source: the MessagePack specification (github.com/msgpack/msgpack, spec.md), big-endian throughout.
struct TrackingReader {
  private let bytes: [UInt8]
  private let start: Int
  private let end: Int
  private var place: Int

  /// Starts at the first byte of `range`.
  init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    (start, place, end) = (range.lowerBound, range.lowerBound, range.upperBound)
  }

  /// Fails with `reason` at the byte where the last value begins.
  func fault(_ reason: String) -> UnreadablePoints {
    UnreadablePoints("\(reason) at byte \(place - start) of trackingData")
  }

  /// A number that is not negative.
  mutating func integer() throws(UnreadablePoints) -> UInt64 {
    let tag = try tag()
    switch tag {
    case 0..<0x80:
      place += 1
      return UInt64(tag)
    case 0xcc...0xcf: return try number(1 << Int(tag - 0xcc))
    default: throw fault("an integer expected, tag \(tag) found")
    }
  }

  /// An integer below `limit`, as an index.
  mutating func index(below limit: Int, of list: String) throws(UnreadablePoints) -> Int {
    let value = try integer()
    guard value < UInt64(limit) else { throw fault("no \(list) \(value)") }
    return Int(value)
  }

  /// A finite number of 64 bits.
  mutating func real() throws(UnreadablePoints) -> Double {
    guard try tag() == 0xcb else { throw fault("a number of 64 bits expected, tag \(try tag()) found") }
    let value = Double(bitPattern: try number(8))
    guard value.isFinite else { throw fault("a number that is not finite") }
    return value
  }

  /// Three finite numbers.
  mutating func vector() throws(UnreadablePoints) -> SIMD3<Double> { [try real(), try real(), try real()] }

  /// Three coordinates (metres), none farther than a map reaches.
  mutating func position() throws(UnreadablePoints) -> SIMD3<Double> {
    let position = try vector()
    for axis in 0..<3 where position[axis].magnitude > Double(KeyedArchive.farthest) {
      throw fault("a position too far away")
    }
    return position
  }

  /// A finite number of 32 bits.
  mutating func single() throws(UnreadablePoints) -> Float {
    guard try tag() == 0xca else { throw fault("a number of 32 bits expected, tag \(try tag()) found") }
    let value = Float(bitPattern: UInt32(try number(4)))
    guard value.isFinite else { throw fault("a number that is not finite") }
    return value
  }

  /// Finite numbers that no importer needs.
  mutating func skipReals(_ count: Int) throws(UnreadablePoints) {
    for _ in 0..<count { _ = try real() }
  }

  mutating func flag() throws(UnreadablePoints) -> Bool {
    let tag = try tag()
    guard tag == 0xc2 || tag == 0xc3 else { throw fault("a flag expected, tag \(tag) found") }
    place += 1
    return tag == 0xc3
  }

  /// A text of ASCII characters.
  mutating func text() throws(UnreadablePoints) -> String {
    let tag = try tag()
    guard (0xa0..<0xc0).contains(tag) || tag == 0xd9 else { throw fault("a text expected, tag \(tag) found") }
    let isLong = tag == 0xd9
    guard !isLong || end - place >= 2 else { throw fault("the end within a value") }
    let length = isLong ? Int(bytes[place + 1]) : Int(tag & 31)
    let first = place + (isLong ? 2 : 1)
    guard end - first >= length else { throw fault("the end within a value") }
    let content = bytes[first..<(first + length)]
    guard content.allSatisfy({ $0 < 0x80 }) else { throw fault("a text that is not ASCII") }
    place = first + length
    return String(decoding: content, as: UTF8.self)
  }

  /// An integer that says which layout follows: any other one is not read.
  mutating func constant(_ expected: UInt64, _ name: String) throws(UnreadablePoints) {
    let reader = self
    let value = try integer()
    guard value == expected else { throw reader.fault("\(name) \(value) instead of \(expected)") }
  }

  /// How many items of at least `least` bytes follow: a count that the rest cannot hold is refused.
  mutating func count(least: Int) throws(UnreadablePoints) -> Int {
    let reader = self
    let count = try integer()
    guard count <= UInt64((end - place) / least) else { throw reader.fault("\(count) items in \(end - place) bytes") }
    return Int(count)
  }

  /// Fails when bytes are left.
  func finish() throws(UnreadablePoints) {
    guard place == end else { throw fault("\(end - place) bytes left over") }
  }

  private func tag() throws(UnreadablePoints) -> UInt8 {
    guard place < end else { throw fault("the end instead of a value") }
    return bytes[place]
  }

  /// The `size` bytes behind the tag.
  private mutating func number(_ size: Int) throws(UnreadablePoints) -> UInt64 {
    guard end - place > size else { throw fault("the end within a value") }
    var value: UInt64 = 0
    for offset in 1...size { value = value << 8 | UInt64(bytes[place + offset]) }
    place += 1 + size
    return value
  }
}
