import Basics
import WorldModel

/// A resource that is attached to the session: every member gets it, and so does every later one.
struct AttachmentFact: Sendable, Equatable {
  /// Bytes of the longest one on the wire.
  static let largest = 32 + 8 + 8 + 4 + 2 + ResourceName.limit

  /// The manifest's id and its numbers, the incarnation of the author's start and the number there.
  let head: ContentHead
  let name: String

  /// Counts the resources of its author's start.
  var number: UInt64 { head.revision }
}

/// The attachments of one start of a member that stand: the body of its word in ``WordTopic/attachments``.
struct AttachmentList: Sendable, Equatable {
  /// Bytes of the longest one on the wire.
  static let largest = 1 + ProtocolLimits.attachments * AttachmentFact.largest

  /// The least size of a chunk but the last (bytes).
  private static let leastChunk = 1024

  /// Ascending by number.
  private(set) var facts: [AttachmentFact] = []

  init(_ facts: [AttachmentFact]) { self.facts = facts }

  func write(to writer: inout ByteWriter) {
    writer.write(UInt8(facts.count))
    for fact in facts {
      writer.write(fact.head.id.digest)
      writer.write(fact.number)
      writer.write(UInt64(fact.head.size))
      writer.write(UInt32(fact.head.chunks))
      writer.writeString(fact.name)
    }
  }

  /// Reads a word.
  init(_ word: SpreadWord) throws(DecodingFailure) {
    let body = Array(word.body)
    var reader = ByteReader(body.span)
    let start = reader.offset
    let count = Int(try reader.readByte())
    guard count <= ProtocolLimits.attachments else {
      throw .overLimit(limit: ProtocolLimits.attachments, offset: start)
    }
    for _ in 0..<count {
      let start = reader.offset
      let id = ContentID(.resource, try reader.readDigest())
      let number = try reader.read(UInt64.self)
      guard number > facts.last?.number ?? 0, number <= ProtocolLimits.counter else {
        throw .invalid("numbers of attachments that are not in order", offset: start)
      }
      let headStart = reader.offset
      let head = try ContentHead(id: id, epoch: word.author.incarnation, revision: number, readingSize: &reader)
      // Names are fetched unasked: they must be few for the bytes.
      guard head.size > (head.chunks - 1) * Self.leastChunk else {
        throw .invalid("small chunks of an attachment", offset: headStart)
      }
      facts.append(AttachmentFact(head: head, name: try ResourceName.read(from: &reader)))
    }
    try reader.finish()
  }
}

/// The name of an attachment, by which somebody else than its author removes it: the key of a word in ``WordTopic/removals``.
///
/// It is no change of the author's word. A register that others may change would be nobody's, and anybody could empty it.
struct AttachmentName: Sendable, Hashable, Comparable, FrameBody {
  /// Bytes on the wire.
  static let size = NodeID.wireSize + 8

  /// The start of the author's process.
  let author: NodeID
  let number: UInt64

  /// Orders by author, then by number.
  static func < (left: Self, right: Self) -> Bool { (left.author, left.number) < (right.author, right.number) }

  /// Its bytes.
  var bytes: [UInt8] {
    var writer = ByteWriter()
    author.write(to: &writer)
    writer.write(number)
    return writer.bytes
  }
}

extension AttachmentName {
  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    author = try NodeID(reading: &reader)
    number = try reader.read(UInt64.self)
  }

  /// Reads the key of a word.
  init(_ word: SpreadWord) throws(DecodingFailure) {
    try self.init(body: Array(word.key))
  }
}

/// The attachments of all members, and who has removed which.
struct AttachmentBook: Sendable {
  private(set) var lists: Table<NodeID, [AttachmentFact]> = [:]
  private var removals: Table<AttachmentName, [NodeID]> = [:]

  /// Takes the list of a start of a member.
  mutating func set(_ list: AttachmentList?, of author: NodeID) { lists[author] = list?.facts }

  /// Somebody removes an attachment, or does not any more.
  mutating func set(isRemoved: Bool, _ name: AttachmentName, by remover: NodeID) {
    var removers = (removals[name] ?? []).filter { $0 != remover }
    if isRemoved { removers.append(remover) }
    removals[name] = removers.isEmpty ? nil : removers
  }

  /// Those who remove an attachment.
  func removers(of name: AttachmentName) -> [NodeID] { removals[name] ?? [] }

  /// The author of an attachment, and what it says of it.
  func find(_ content: ContentID) -> (author: NodeID, fact: AttachmentFact)? {
    for (author, facts) in lists {
      if let fact = facts.first(where: { $0.head.id == content }) { return (author, fact) }
    }
    return nil
  }
}
