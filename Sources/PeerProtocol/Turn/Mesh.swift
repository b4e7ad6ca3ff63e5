import Basics
import WorldModel

/// The state that organs share: each may read all of it.
///
/// Each part has one writer, an organ that owns the original and publishes a copy after every change; all others
/// only read.
package struct Mesh: Sendable {
  /// The links; published by `Links`.
  package private(set) var links = LinkDirectory()
  /// The presence graph: which members are linked to which; published by `Coordination`.
  package private(set) var graph: PresenceGraph
  /// The host and the session time; published by `Coordination`.
  private(set) var reign: Reign
  /// The members of the session; published by `Membership`.
  package private(set) var roster = Roster()
  /// The rules for newcomers; published by `Membership`.
  package private(set) var rules = SessionRules()
  /// How well each member can be reached; published by `Membership`.
  private(set) var standings: [PeerID: Standing] = [:]
  /// The keys whose codes were compared in this process; published by `Comparison`.
  private(set) var compared: KeySet<PeerID> = []
  /// Whether the session's map is being fetched; published by `MapExchange`.
  private(set) var isFetchingMap = false
  /// The members that a path of links leads to; of the graph and the roster.
  package private(set) var reachable: [ElectionMember] = []
  /// Their slots in the graph.
  private(set) var reachableSlots = NodeSet()
  /// The frames that members use; published by `FrameAlignment`.
  package private(set) var frames = FrameView()
  /// The owned session as the creator and the moderators have signed it; published by `Governance`.
  package private(set) var governance = GovernanceView()

  init(graph: PresenceGraph, reign: Reign) {
    self.graph = graph
    self.reign = reign
  }

  package mutating func publish(links: LinkDirectory) { self.links = links }
  mutating func publish(graph: PresenceGraph) {
    let isSame = graph.reachable == self.graph.reachable && graph.members == self.graph.members
    self.graph = graph
    if !isSame { findReachable() }
  }
  mutating func publish(reign: Reign) { self.reign = reign }
  package mutating func publish(roster: Roster) {
    self.roster = roster
    findReachable()
  }
  /// Gives the copy of the roster up until `Membership` has changed the original: shared, all its records would be copied.
  mutating func releaseRoster() { roster = Roster() }
  mutating func publish(rules: SessionRules) { self.rules = rules }
  mutating func publish(standings: [PeerID: Standing]) { self.standings = standings }
  mutating func publish(compared: KeySet<PeerID>) { self.compared = compared }
  /// In place: a copy for each frame that arrives would cost more than that.
  mutating func publish<R>(frames change: (inout FrameView) -> R) -> R { change(&frames) }
  mutating func publish(governance: GovernanceView) { self.governance = governance }
  mutating func publish(isFetchingMap: Bool) { self.isFetchingMap = isFetchingMap }

  /// Finds the members that can be reached, once for all who ask until the graph or the roster is another one.
  private mutating func findReachable() {
    reachable.removeAll(keepingCapacity: true)
    reachableSlots = NodeSet()
    for member in graph.members where roster.admits(member.node) {
      reachable.append(member)
      if let slot = graph.slot(of: member.node) { reachableSlots.insert(slot) }
    }
  }
}

extension Mesh {
  /// The host, as this node sees it.
  package var host: NodeID? { reign.host }

  /// Whether a path of links leads to the start of a peer's process that is admitted.
  func isReachable(_ peer: PeerID) -> Bool { reachable.contains { $0.node.peer == peer } }

  /// Whether this very start of a peer's process is admitted.
  func isMember(_ node: NodeID) -> Bool { roster.admits(node) }

  /// Whether `node` is a member that is reached through other members only.
  func isHeardThroughOthers(_ node: NodeID) -> Bool { isMember(node) && isBehindOthers(node) }

  /// Whether `node` is reached through other members only.
  func isBehindOthers(_ node: NodeID) -> Bool {
    guard let slot = graph.slot(of: node) else { return false }
    return graph.reachable.contains(slot) && !graph.neighbors.contains(slot)
  }

  /// The slots of the members whose operations this node brings `neighbor`, since they are not linked to it.
  func dependants(_ neighbor: NodeID) -> NodeSet {
    var slots = reachableSlots.subtracting(graph.linked(to: neighbor))
    if let slot = graph.slot(of: neighbor) { slots.remove(slot) }
    return slots
  }

  /// Whether this node relays the traffic of `origin` to `neighbor`.
  func relays(_ origin: NodeID, to neighbor: NodeID) -> Bool {
    guard neighbor != origin, let slot = graph.slot(of: origin) else { return false }
    return !graph.linked(to: neighbor).contains(slot)
  }

  /// Whether a member's word in another one's name counts as that one's own.
  ///
  /// A node is believed of itself. Of a node without a link here, those on the shortest ways to it are believed, who heard it in
  /// the same way: so a word reaches everybody, however high a number a liar has used in its author's name.
  func vouches(_ sender: NodeID, for author: NodeID) -> Bool {
    guard let slot = graph.slot(of: sender) else { return false }
    return graph.ways(to: author).contains(slot)
  }

  /// Whether this node passes on to a neighbour what a member says: the neighbour is that member, or has no link to it.
  func brings(_ author: NodeID, to neighbor: NodeID) -> Bool {
    guard neighbor != author, let slot = graph.slot(of: neighbor) else { return true }
    return !graph.linked(to: author).contains(slot)
  }
}

/// A member as the app sees it.
package struct Standing: Sendable, Equatable {
  /// Whether it can be reached.
  package var status = Member.Status.connecting
  /// Whether the app was told that it is reconnecting.
  package var isNoticed = false
  /// Whether the app counts it among the peers.
  var isJoined = false
  /// When it last came into reach; nil before.
  var reachedAt: Instant?
  /// Whether the two were apart before that.
  var wasAway = false
}

/// The host and its epoch, as one node sees them, and the session time that the host sets.
package struct Reign: Sendable {
  /// The host; nil while there is none.
  package var host: NodeID?
  /// The epoch of that host, or of the last one; 0 before the first.
  package var epoch: UInt64 = 0
  /// The highest epoch this node has seen.
  package var highestEpoch: UInt64 = 0
  /// This node's place in the order of joining, or 0.
  package var joinSequence: UInt32 = 0
  /// The session time as this node computes it.
  package var clock: SessionClock
  /// The member whose session this node enters while it hosts itself alone, and until when it waits for that one's host.
  var entry: (member: NodeID, until: Instant)?
  /// The followers of this node while it hosts, and when each last sent an Ack.
  var followers: [(node: NodeID, heard: Instant)] = []
  /// How long such an Ack counts (nanoseconds).
  var ackLife: Int64

  /// Whether this node, as host, has a recent Ack of `node`.
  func isFollowed(by node: NodeID, at now: Instant) -> Bool {
    let oldest = now.advanced(byNanoseconds: -ackLife)
    return followers.contains { $0.node == node && $0.heard > oldest }
  }

  /// Whether this node hosts itself alone, on its way into the session of `peer`.
  func enters(_ peer: PeerID, at now: Instant) -> Bool {
    entry.map { $0.member.peer == peer && now < $0.until } ?? false
  }

  /// Whether a session can have reached this epoch: a forged message cannot exhaust the epochs.
  package func isPlausible(_ epoch: UInt64) -> Bool { HostElection.isPlausible(epoch, after: highestEpoch) }
}
