package import Basics

/// The announcement of one node about itself to all: its direct links and its rank.
///
/// Neighbours are named by incarnation only, 8 bytes each; 64 random bits tell apart all nodes of a session.
package struct LinkState: Equatable, Sendable, FrameBody {
  /// Bytes of the longest one on the wire.
  package static let largest = NodeID.wireSize + 12 + 8 * NodeSet.capacity

  /// The node that announces it.
  package var node: NodeID
  /// Counts the node's announcements, from 1; a higher one replaces a lower one.
  package var version: UInt32
  /// The node's wish to host.
  package var priority: UInt8
  /// Whether it may be host at all.
  package var canHost: Bool
  /// Its place in the order of joining, or 0.
  package var joinSequence: UInt32
  /// The incarnations of the nodes it has a direct link to, ascending, at most ``NodeSet/capacity``.
  package var neighbors: [UInt64]

  /// The node as the election sees it.
  package var member: ElectionMember {
    let rank = ElectionRank(priority: priority, joinSequence: joinSequence, node: node)
    return ElectionMember(rank: rank, canHost: canHost)
  }

  /// Appends the announcement: node, version, priority, flag, place, number of neighbours, neighbours.
  package func write(to writer: inout ByteWriter) {
    node.write(to: &writer)
    writer.write(version)
    writer.write(priority)
    writer.write(UInt8(canHost ? 1 : 0))
    writer.write(joinSequence)
    writer.write(UInt16(neighbors.count))
    for incarnation in neighbors { writer.write(incarnation) }
  }

  /// A node without links.
  package init(node: NodeID, configuration: ElectionConfiguration) {
    self.node = node
    version = 0
    priority = configuration.priority
    canHost = configuration.canHost
    joinSequence = 0
    neighbors = []
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    node = try NodeID(reading: &reader)
    version = try reader.readVersion()
    priority = try reader.readByte()
    canHost = try reader.readFlag()
    joinSequence = try reader.readJoinSequence()
    let start = reader.offset
    let count = Int(try reader.read(UInt16.self))
    guard count <= NodeSet.capacity else { throw .overLimit(limit: NodeSet.capacity, offset: start) }
    guard count * 8 <= reader.remaining else { throw .truncated(offset: reader.offset) }
    neighbors = []
    neighbors.reserveCapacity(count)
    for _ in 0..<count {
      let offset = reader.offset
      let incarnation = try reader.read(UInt64.self)
      if let last = neighbors.last, last >= incarnation {
        throw .invalid("neighbours are not in ascending order", offset: offset)
      }
      neighbors.append(incarnation)
    }
  }
}
