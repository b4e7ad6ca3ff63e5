import AnchorReplication
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

/// The attachments that one start of a member has made and that stand, as a member knows them.
///
/// Only that start adds some, in the order of their numbers; others may remove them. So a number up to the last one that is
/// not among them is one that was removed, and nothing else need be remembered of it.
struct AttachmentWord: Sendable, Equatable, FrameBody {
  /// Bytes of the longest one on the wire.
  static let largest = NodeID.wireSize + 8 + 1 + ProtocolLimits.attachments * AttachmentFact.largest

  /// The least size of a chunk but the last (bytes).
  private static let leastChunk = 1024

  /// The start of the author's process.
  let node: NodeID
  /// The highest number that it has attached anything under.
  var last: UInt64
  /// Those that stand, ascending by number.
  var facts: [AttachmentFact]

  init(node: NodeID, last: UInt64 = 0, facts: [AttachmentFact] = []) {
    (self.node, self.last, self.facts) = (node, last, facts)
  }

  /// The word that follows from both: an attachment that either of them knows and lacks was removed.
  ///
  /// - Parameter rules: Without ``ProtocolRules/attachmentContext`` everything that either of them has stands.
  func merged(with other: AttachmentWord, rules: ProtocolRules) -> AttachmentWord {
    let forgets = rules.contains(.attachmentContext)
    let mine = facts.filter { $0.number > other.last || other.facts.contains($0) || !forgets }
    let theirs = other.facts.filter { fact in
      !mine.contains(fact) && (fact.number > last || !forgets)
    }
    let all = (mine + theirs).inOrder { $0.number < $1.number }
    return AttachmentWord(node: node, last: max(last, other.last), facts: all)
  }

  func write(to writer: inout ByteWriter) {
    node.write(to: &writer)
    writer.write(last)
    writer.write(UInt8(facts.count))
    for fact in facts {
      writer.write(fact.head.id.digest)
      writer.write(fact.number)
      writer.write(UInt64(fact.head.size))
      writer.write(UInt32(fact.head.chunks))
      writer.writeString(fact.name)
    }
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    node = try NodeID(reading: &reader)
    let start = reader.offset
    last = try reader.read(UInt64.self)
    let count = Int(try reader.readByte())
    guard last <= ProtocolLimits.counter, count <= ProtocolLimits.attachments else {
      throw .invalid("a number of attachments out of range", offset: start)
    }
    facts = []
    for _ in 0..<count {
      let start = reader.offset
      let id = ContentID(.resource, try reader.readDigest())
      let number = try reader.read(UInt64.self)
      guard number > facts.last?.number ?? 0, number <= last else {
        throw .invalid("numbers of attachments that are not in order", offset: start)
      }
      let place = reader.offset
      let head = try ContentHead(id: id, epoch: node.incarnation, revision: number, readingSize: &reader)
      // Names are fetched unasked: they must be few for the bytes.
      guard head.size > (head.chunks - 1) * Self.leastChunk else {
        throw .invalid("small chunks of an attachment", offset: place)
      }
      facts.append(AttachmentFact(head: head, name: try ResourceName.read(from: &reader)))
    }
  }
}

/// The attachments of all members: a word for each start of one.
///
/// Words merge in any order to the same, so members tell each other what is news, and a new link begins with all of them.
struct AttachmentBook: Sendable {
  /// Starts that are remembered; those with attachments that stand are never forgotten for others.
  private static let most = 4 * ProtocolLimits.members

  private(set) var words: [AttachmentWord] = []

  /// The word of a start of a member.
  subscript(node: NodeID) -> AttachmentWord? { words.first { $0.node == node } }

  /// The word with an attachment, and its place among the facts.
  func find(_ content: ContentID) -> (word: AttachmentWord, place: Int)? {
    for word in words {
      if let place = word.facts.firstIndex(where: { $0.head.id == content }) { return (word, place) }
    }
    return nil
  }

  /// Replaces the word of its start; false when there is no room for another one.
  mutating func set(_ word: AttachmentWord, isMember: (NodeID) -> Bool) -> Bool {
    if let index = words.firstIndex(where: { $0.node == word.node }) {
      words[index] = word
      return true
    }
    if words.count >= Self.most {
      guard let place = words.firstIndex(where: { $0.facts.isEmpty && !isMember($0.node) }) else { return false }
      words.remove(at: place)
    }
    words.append(word)
    return true
  }
}
