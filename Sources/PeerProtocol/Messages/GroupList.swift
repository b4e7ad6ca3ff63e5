package import Basics

/// The groups that one start of a member is in: the body of its word in ``WordTopic/groups``.
///
/// A set that is replaced as a whole needs no merging of joins and leaves: only its author changes it, in one order.
package struct GroupList: Equatable, Sendable, FrameBody {
  /// Bytes of the longest one on the wire.
  package static let largest = 1 + ProtocolLimits.groups * (1 + ProtocolLimits.groupName)

  /// The names, ascending by their bytes.
  package private(set) var groups: [String]

  package init(_ groups: KeySet<String>) {
    self.groups = groups.inOrder(by: Self.precedes)
  }

  /// Appends the names behind their count.
  package func write(to writer: inout ByteWriter) {
    writer.write(UInt8(groups.count))
    for group in groups { writer.writeString(group) }
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let count = Int(try reader.readByte())
    guard count <= ProtocolLimits.groups else { throw .overLimit(limit: ProtocolLimits.groups, offset: start) }
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
