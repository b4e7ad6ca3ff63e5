package import WorldModel

/// Who is linked to whom, as every member floods it, and who can be reached over that graph.
package struct LinkStates: Sendable {
  private struct Report: Sendable {
    var neighbours: [NodeID]
    var heardAt: Instant
  }

  private var reports: [NodeID: Report] = [:]

  package init() {}

  /// Takes what `node` says of its links. Returns whether the graph changed.
  package mutating func report(_ neighbours: [NodeID], of node: NodeID, at now: Instant) -> Bool {
    let before = reports[node]?.neighbours
    reports[node] = Report(neighbours: neighbours.sorted(), heardAt: now)
    return before != reports[node]?.neighbours
  }

  /// Forgets reports that were not renewed in time and those of nodes that are `gone`.
  package mutating func expire(at now: Instant, keeping isMember: (NodeID) -> Bool) {
    reports = reports.filter { isMember($0.key) && now - $0.value.heardAt < ProtocolTimes.linkState }
  }

  /// Whether both nodes say that they are linked.
  package func linked(_ one: NodeID, _ other: NodeID) -> Bool {
    says(one, linkTo: other) && says(other, linkTo: one)
  }

  /// The neighbours `node` reported, in order.
  package func neighbours(of node: NodeID) -> [NodeID] { reports[node]?.neighbours ?? [] }

  /// The nodes reachable from `start` through its own live links and then over links both ends report, in order.
  package func reachable(from start: NodeID, over links: [NodeID]) -> [NodeID] {
    var found = Set(links)
    var frontier = links
    while let node = frontier.popLast() {
      for next in neighbours(of: node) where next != start && !found.contains(next) && says(next, linkTo: node) {
        found.insert(next)
        frontier.append(next)
      }
    }
    return found.sorted()
  }

  private func says(_ node: NodeID, linkTo other: NodeID) -> Bool {
    reports[node]?.neighbours.contains(other) ?? false
  }
}

extension LinkStates {
  /// The wire form of a link state: a count and the neighbours.
  package static func encode(_ neighbours: [NodeID]) -> [UInt8] {
    var writer = ByteWriter(capacity: 2 + 40 * neighbours.count)
    writer.writeVarint(UInt64(neighbours.count))
    for node in neighbours { node.write(to: &writer) }
    return writer.bytes
  }

  /// Reads what ``encode(_:)`` wrote.
  package static func decode(_ bytes: [UInt8]) throws(DecodingFailure) -> [NodeID] {
    var reader = ByteReader(bytes.span)
    let count = try reader.readVarint()
    guard count <= UInt64(ProtocolLimits.members) else { throw .overLimit(limit: ProtocolLimits.members, offset: 0) }
    var neighbours: [NodeID] = []
    for _ in 0..<count { neighbours.append(try NodeID(reading: &reader)) }
    try reader.finish()
    return neighbours
  }
}
