package import Basics

/// One word of a member: topic, author, key, version and body, as bytes.
///
/// Topic, author and key name the register. The order of the bytes of version and body is the order of the words: the version is
/// the one number on the wire whose highest byte comes first, so the later word stands, and of two different words of one
/// version, which only a liar makes, the same one everywhere. No user of a register can get either wrong, as none compares words.
package struct SpreadWord: Sendable, Equatable {
  /// The highest version; the author begins again behind it, and is vouched for.
  static let greatestVersion: UInt64 = 1 << 62
  /// How far a version may be above the known one unless somebody vouches for it: a lie cannot use up the numbers.
  static let longestLeap: UInt64 = 1 << 16
  /// Bytes of the topic, the author and the length of the key.
  private static let fixedName = 1 + NodeID.wireSize + 1

  /// The number of the topic, which may be one of a later version of the protocol.
  package let topic: UInt8
  /// The start of the author's process.
  package let author: NodeID
  /// Counts the author's words in the topic, from 1.
  package let version: UInt64
  /// Topic, author and key as they are sent.
  let name: ArraySlice<UInt8>
  /// Version and body as they are sent, without the length of the body between name and version.
  let content: ArraySlice<UInt8>

  /// The key; none where an author has one word.
  package var key: ArraySlice<UInt8> { name.dropFirst(Self.fixedName) }
  /// The value; empty when there is none any more.
  package var body: ArraySlice<UInt8> { content.dropFirst(8) }
  /// Bytes on the wire.
  var count: Int { name.count + 2 + content.count }

  package init(_ topic: WordTopic, by author: NodeID, key: [UInt8] = [], version: UInt64, body: [UInt8]) {
    (self.topic, self.author, self.version) = (topic.rawValue, author, version)
    name = Self.name(topic.rawValue, author, key)[...]
    var writer = ByteWriter()
    writer.write(version.bigEndian)
    writer.write(bytes: body)
    content = writer.take()[...]
  }

  /// The name of a register.
  static func name(_ topic: UInt8, _ author: NodeID, _ key: [UInt8]) -> [UInt8] {
    prefix(of: topic, author) + [UInt8(key.count)] + key
  }

  /// The beginning of the names of all words of an author in a topic.
  static func prefix(of topic: UInt8, _ author: NodeID) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(topic)
    author.write(to: &writer)
    return writer.bytes
  }

  /// Reads the words of a frame; they share its bytes.
  package static func read(_ bytes: [UInt8]) throws(DecodingFailure) -> [SpreadWord] {
    var reader = ByteReader(bytes.span)
    var words: [SpreadWord] = []
    while !reader.isAtEnd { words.append(try SpreadWord(reading: &reader, of: bytes)) }
    return words
  }

  private init(reading reader: inout ByteReader, of bytes: [UInt8]) throws(DecodingFailure) {
    let start = reader.offset
    topic = try reader.readByte()
    author = try NodeID(reading: &reader)
    _ = try reader.readSpan(Int(try reader.readByte()))
    let end = reader.offset
    let size = Int(try reader.read(UInt16.self))
    let middle = reader.offset
    version = UInt64(bigEndian: try reader.read(UInt64.self))
    guard 1...Self.greatestVersion ~= version else { throw .invalid("a version out of range", offset: middle) }
    _ = try reader.readSpan(size)
    (name, content) = (bytes[start..<end], bytes[middle..<reader.offset])
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(bytes: name)
    writer.write(UInt16(body.count))
    writer.write(bytes: content)
  }

  /// The body as a value.
  package func value<Value: FrameBody>(as type: Value.Type) throws(DecodingFailure) -> Value {
    try Value(body: Array(body))
  }

  /// The word without the bytes of the frame that it came in.
  var copy: SpreadWord {
    SpreadWord(topic: topic, author: author, version: version, name: Array(name)[...], content: Array(content)[...])
  }

  /// The same register without a word.
  var forgotten: SpreadWord {
    let none = [0, 0, 0, 0, 0, 0, 0, 1] as [UInt8]
    return SpreadWord(topic: topic, author: author, version: 1, name: name, content: none[...])
  }

  private init(
    topic: UInt8, author: NodeID, version: UInt64, name: ArraySlice<UInt8>, content: ArraySlice<UInt8>
  ) {
    (self.topic, self.author, self.version, self.name, self.content) = (topic, author, version, name, content)
  }

  /// Whether two versions are so far apart that one of them must be a lie.
  static func areApart(_ one: UInt64, _ other: UInt64) -> Bool { max(one, other) - min(one, other) > longestLeap }
}
