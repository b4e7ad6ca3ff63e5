package import Basics
package import WorldModel

/// Which live poses a node wants; the highest version of a node stands.
package struct InterestFrame: Equatable, Sendable, FrameBody {
  /// Bytes of the longest one on the wire.
  package static let largest = NodeID.wireSize + 4 + AnchorFilter.largest

  /// The node that wants them.
  package var node: NodeID
  /// Counts what this node said of it, from 1.
  package var version: UInt32
  package var filter: AnchorFilter

  package init(node: NodeID, version: UInt32, filter: AnchorFilter) {
    self.node = node
    self.version = version
    self.filter = filter
  }

  /// Appends node, version and filter.
  package func write(to writer: inout ByteWriter) {
    node.write(to: &writer)
    writer.write(version)
    filter.write(to: &writer)
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    node = try NodeID(reading: &reader)
    version = try reader.read(UInt32.self)
    guard version > 0 else { throw .invalid("version zero", offset: reader.offset) }
    filter = try AnchorFilter(reading: &reader)
  }
}

/// The live poses that each member wants; one that has said nothing wants all.
struct Interests: Sendable {
  private var told: [InterestFrame] = [] {
    didSet { isNarrow = told.contains { $0.filter != .all } }
  }

  /// Whether somebody wants less than all.
  private(set) var isNarrow = false

  /// The wishes, in the order in which nodes first had one.
  var all: [InterestFrame] { told }

  /// Whether `node` wants to see `anchor`.
  func wants(_ anchor: MovedAnchor, _ node: NodeID) -> Bool {
    told.first { $0.node == node }?.filter.matches(anchor) ?? true
  }

  /// Takes what a node said, itself on its own link or by way of others; false when it is not news.
  mutating func take(_ frame: InterestFrame, isOwnWord: Bool) -> Bool {
    guard let index = told.firstIndex(where: { $0.node == frame.node }) else {
      told.append(frame)
      return true
    }
    // Others' words in its name must not stand in the way of its own word.
    guard isOwnWord ? frame != told[index] : frame.version > told[index].version else { return false }
    told[index] = frame
    return true
  }

  /// Forgets those who are no members any more.
  mutating func keep(_ isMember: (NodeID) -> Bool) {
    told.removeAll { !isMember($0.node) }
  }
}
