package import Basics
package import WorldModel

/// What the organs let each other see.
///
/// Each part is written by one organ, which keeps the original to itself and publishes a copy after every change; all others
/// only read. Tidy tests see that nobody else publishes it.
package struct Mesh: Sendable {
  /// Who is linked; published by `Links`.
  package private(set) var links = LinkDirectory()
  /// Who is linked to whom; published by `Coordination`.
  package private(set) var graph: PresenceGraph
  /// Who hosts, and the time; published by `Coordination`.
  package private(set) var reign: Reign
  /// Who belongs to the session; published by `Membership`.
  package private(set) var roster = Roster()
  /// Who may still come in; published by `Membership`.
  package private(set) var rules = SessionRules()
  /// How the members stand; published by `Membership`.
  package private(set) var standings: [PeerID: Standing] = [:]
  /// Whether the session's map is on its way; published by `MapExchange`.
  package private(set) var isFetchingMap = false

  init(graph: PresenceGraph, reign: Reign) {
    self.graph = graph
    self.reign = reign
  }

  mutating func publish(links: LinkDirectory) { self.links = links }
  mutating func publish(graph: PresenceGraph) { self.graph = graph }
  mutating func publish(reign: Reign) { self.reign = reign }
  mutating func publish(roster: Roster) { self.roster = roster }
  mutating func publish(rules: SessionRules) { self.rules = rules }
  mutating func publish(standings: [PeerID: Standing]) { self.standings = standings }
  mutating func publish(isFetchingMap: Bool) { self.isFetchingMap = isFetchingMap }
}

extension Mesh {
  /// Who hosts, as this node sees it.
  package var host: NodeID? { reign.host }

  /// The members that a path of links leads to.
  var reachable: [ElectionMember] { graph.members.filter { isMember($0.node) } }

  /// Whether a path of links leads to the start of a peer's process that is admitted.
  func isReachable(_ peer: PeerID) -> Bool { reachable.contains { $0.node.peer == peer } }

  /// Whether this very start of a peer's process is admitted.
  func isMember(_ node: NodeID) -> Bool { roster.admits(node.peer) && roster[node.peer]?.node == node }

  /// Whether `node` is a member that a path of links leads to, but no link of this node's.
  func isHeardThroughOthers(_ node: NodeID) -> Bool { isMember(node) && isBehindOthers(node) }

  /// Whether a path of links leads to `node`, but no link of this node's.
  func isBehindOthers(_ node: NodeID) -> Bool {
    guard let place = graph.place(of: node) else { return false }
    return graph.reachable.contains(place) && !graph.neighbours.contains(place)
  }

  /// Whether this node passes on what `origin` sends to the member on a link.
  func relays(_ origin: NodeID, to neighbour: NodeID) -> Bool {
    guard neighbour != origin, let place = graph.place(of: origin) else { return false }
    return !graph.linked(to: neighbour).contains(place)
  }
}

/// How a member stands in the eyes of the app.
package struct Standing: Sendable, Equatable {
  /// Whether it can be reached.
  package var status = Member.Status.connecting
  /// Whether the app counts it among the peers.
  package var isJoined = false
  /// When it last came into reach; nil before.
  var reachedAt: Instant?
}

/// Who hosts and at which epoch, as one node sees it, and the time that the host gives.
package struct Reign: Sendable {
  /// The host; nil while there is none.
  package var host: NodeID?
  /// The epoch of that host, or of the last one; 0 before the first.
  package var epoch: UInt64 = 0
  /// The highest epoch this node has seen.
  package var highestEpoch: UInt64 = 0
  /// This node's place in the order of joining, or 0.
  package var joinSequence: UInt32 = 0
  /// The session time as this node reckons it.
  package var clock: SessionClock
  /// Who follows this node, which hosts, and when each last said so.
  var followers: [(node: NodeID, heard: Instant)] = []
  /// How long such a word counts (nanoseconds).
  var ackLife: Int64

  /// Whether this node, as host, has heard lately that `node` follows it.
  package func isFollowed(by node: NodeID, at now: Instant) -> Bool {
    let oldest = now.advanced(byNanoseconds: -ackLife)
    return followers.contains { $0.node == node && $0.heard > oldest }
  }

  /// Whether a session can have come to this epoch: nobody can use up the epochs by a lie.
  package func isPlausible(_ epoch: UInt64) -> Bool { HostElection.isPlausible(epoch, after: highestEpoch) }
}

extension HostElection {
  /// What all organs may know of it.
  package var reign: Reign {
    Reign(
      host: host, epoch: epoch, highestEpoch: maxEpochSeen, joinSequence: joinSequence, clock: clock,
      followers: followers, ackLife: configuration.timers.ackLife)
  }
}
