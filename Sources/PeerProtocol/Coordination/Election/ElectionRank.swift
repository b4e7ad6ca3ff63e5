/// How early a node may canvass when a session has no host; the smaller rank is the better one.
package struct ElectionRank: Equatable, Sendable {
  /// The app's wish to host, 0…255; more is better.
  package var priority: UInt8
  /// The place in the order of joining that a host gave, from 1; 0 is "none yet" and comes last.
  package var joinSequence: UInt32
  /// The node, which breaks ties.
  package var node: NodeID

  /// The rank of `node`.
  package init(priority: UInt8, joinSequence: UInt32, node: NodeID) {
    self.priority = priority
    self.joinSequence = joinSequence
    self.node = node
  }
}

extension ElectionRank: Comparable {
  /// Orders the better rank first: higher priority, then earlier in the session, then the lower node.
  package static func < (left: Self, right: Self) -> Bool {
    guard left.priority == right.priority else { return left.priority > right.priority }
    // Wrapping round puts "none yet" behind every number.
    let (first, second) = (left.joinSequence &- 1, right.joinSequence &- 1)
    return first == second ? left.node < right.node : first < second
  }
}

/// A live member of the session as the election sees it.
package struct ElectionMember: Equatable, Sendable {
  /// Its rank, which names the node.
  package var rank: ElectionRank
  /// Whether its app lets it be host at all.
  package var canHost: Bool

  /// The member with this rank.
  package init(rank: ElectionRank, canHost: Bool = true) {
    self.rank = rank
    self.canHost = canHost
  }

  /// Which node it is.
  package var node: NodeID { rank.node }
}
