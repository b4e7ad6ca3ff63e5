package import Basics

/// The groups that one start of a member is in, in its own words; the highest version stands.
package struct GroupWord: Equatable, Sendable, FrameBody {
  /// Bytes of the longest one on the wire.
  package static let largest = NodeID.wireSize + 4 + 1 + ProtocolLimits.groups * (1 + ProtocolLimits.groupName)

  /// The start of the member's process.
  package let node: NodeID
  /// Counts what this start said of its groups, from 1.
  package var version: UInt32
  /// The names, ascending by their bytes.
  package private(set) var groups: [String]

  package init(node: NodeID, version: UInt32, groups: KeySet<String>) {
    self.node = node
    self.version = version
    self.groups = groups.inOrder(by: Self.precedes)
  }

  /// Appends node, version and the names behind their count.
  package func write(to writer: inout ByteWriter) {
    node.write(to: &writer)
    writer.write(version)
    writer.write(UInt8(groups.count))
    for group in groups { writer.writeString(group) }
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    node = try NodeID(reading: &reader)
    let start = reader.offset
    version = try reader.read(UInt32.self)
    let count = Int(try reader.readByte())
    guard version > 0, version <= RecordVersion.greatest, count <= ProtocolLimits.groups else {
      throw .invalid("a version or a number of groups out of range", offset: start)
    }
    groups = []
    for _ in 0..<count {
      let start = reader.offset
      let name = try reader.readString(limit: ProtocolLimits.groupName)
      guard !name.isEmpty, groups.last.map({ Self.precedes($0, name) }) != false else {
        throw .invalid("names of groups that are empty or not in order", offset: start)
      }
      groups.append(name)
    }
  }

  /// The order of the bytes, which no version of Unicode changes.
  private static func precedes(_ one: String, _ other: String) -> Bool {
    one.utf8.lexicographicallyPrecedes(other.utf8)
  }
}

/// The groups of all members: a register for each start of a member, which that start alone writes.
///
/// A set for each member, replaced as a whole, needs no merging of joins and leaves: only its author changes it, in one order.
/// Everybody keeps and passes on the newest word of everybody, so that members without a link learn it too, and a new link
/// begins with all of them, so that the halves of a split agree after it.
struct GroupBook: Sendable {
  /// Words that are remembered; those of members are never forgotten for others.
  private static let most = 4 * ProtocolLimits.members

  private(set) var words: [GroupWord] = []

  /// The word of a start of a member.
  subscript(node: NodeID) -> GroupWord? { words.first { $0.node == node } }

  /// Records a word; false when it is not news.
  ///
  /// A version far from the one that is known counts only from the author itself: somebody spread a word in its name.
  mutating func take(_ word: GroupWord, isOwnWord: Bool, isMember: (NodeID) -> Bool) -> Bool {
    guard let index = words.firstIndex(where: { $0.node == word.node }) else {
      if words.count >= Self.most {
        guard isMember(word.node), let place = words.firstIndex(where: { !isMember($0.node) }) else { return false }
        words.remove(at: place)
      }
      words.append(word)
      return true
    }
    let known = words[index].version
    let isLater = RecordVersion.follows(word.version, known)
    guard isLater || isOwnWord && RecordVersion.areApart(known, word.version) else { return false }
    words[index] = word
    return true
  }
}
