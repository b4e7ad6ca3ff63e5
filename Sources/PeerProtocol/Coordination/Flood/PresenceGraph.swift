package import Basics

/// The graph of links, as one node knows it from the announcements of all; the base of reachability and relaying.
///
/// Each node announces its own links to its neighbours, and a node that hears an announcement passes it on to the
/// neighbours that the announcer does not reach itself. A new neighbour is given what it cannot hear from others. So
/// every node of a connected component ends with the same graph, and a full mesh of n costs n messages a change.
package struct PresenceGraph: Sendable {
  /// The orders; the owner drains these after every call.
  package enum Output: Equatable, Sendable {
    /// Send the announcement over the direct link to `to`.
    case send(LinkState, to: NodeID)
    /// ``members`` is different now.
    case membersChanged
  }

  /// Changes wait this long to be announced together (50 ms).
  static let gathering: Int64 = 50_000_000
  /// A new neighbour has this long to announce whom it reaches itself, before it is told of the others (150 ms).
  static let patience: Int64 = 150_000_000

  /// The state of one node.
  ///
  /// A place outlives the node until it is needed for another one.
  struct Place: Sendable {
    var incarnation: UInt64
    /// Its latest announcement; nil if others only mention it.
    var state: LinkState?
    /// The places it says it is linked to.
    var links = NodeSet()
    /// The places that say they are linked to it.
    var linkedFrom = NodeSet()

    /// The places where both ends agree.
    var mutual: NodeSet { links.intersection(linkedFrom) }
  }

  /// This node; it has place 0.
  package let me: NodeID
  /// All places in use.
  var places: [Place]
  /// The places of the direct links that are up.
  package private(set) var neighbours = NodeSet()
  /// The places that a path of links leads to, without this node.
  package private(set) var reachable = NodeSet()
  /// The live members, in the order of their places, without this node.
  package private(set) var members: [ElectionMember] = []
  /// When to announce own changes; nil if there are none.
  private var announceAt: Instant?
  /// Whether a link is down that the last announcement names.
  private var hasUnannouncedLoss = false
  /// New neighbours and when to tell them of the nodes that they do not reach themselves, in order.
  private var untold: [(place: Int, due: Instant)] = []

  private var own: LinkState
  private var outputs = OutputQueue<Output>()

  /// A node without links.
  package init(me: NodeID, configuration: ElectionConfiguration) {
    self.me = me
    own = LinkState(node: me, configuration: configuration)
    own.version = 1
    places = [Place(incarnation: me.incarnation, state: own)]
  }

  /// The version of the announcement that names whom a broadcast of this node reaches; 0 if none does at the moment.
  var relayVersion: UInt32 { hasUnannouncedLoss ? 0 : own.version }

  /// When ``tick(at:)`` is due; nil for never.
  package var deadline: Instant? {
    guard let due = untold.first?.due else { return announceAt }
    return min(due, announceAt ?? .distantFuture)
  }

  /// Takes the next thing to do, oldest first; nil when there is nothing left.
  package mutating func nextOutput() -> Output? { outputs.next() }

  /// The node at a place; nil if it has not announced itself.
  package func node(at place: Int) -> NodeID? { places[place].state?.node }

  /// The place of a node that is known, at least by mention.
  package func place(of node: NodeID) -> Int? { place(ofIncarnation: node.incarnation) }

  /// A direct link to `node` is up.
  package mutating func linkUp(_ node: NodeID, at now: Instant) {
    guard node != me, let place = reserve(node.incarnation), place != 0, !neighbours.contains(place) else { return }
    if places[place].state == nil {
      places[place].state = LinkState(node: node, configuration: ElectionConfiguration(priority: 0, canHost: false))
    }
    neighbours.insert(place)
    setLinks(of: 0, to: neighbours)
    outputs.append(.send(own, to: node))
    untold.append((place, now.advanced(byNanoseconds: Self.patience)))
    announceSoon(at: now)
    refresh()
  }

  /// The direct link to `node` is down; until that is announced all neighbours relay for this node.
  package mutating func linkDown(_ node: NodeID, at now: Instant) {
    guard let place = place(of: node), neighbours.contains(place) else { return }
    neighbours.remove(place)
    untold.removeAll { $0.place == place }
    setLinks(of: 0, to: neighbours)
    hasUnannouncedLoss = true
    announceSoon(at: now)
    refresh()
  }

  /// Announces this node's new place in the order of joining.
  mutating func setJoinSequence(_ sequence: UInt32) {
    guard own.joinSequence != sequence else { return }
    own.joinSequence = sequence
    announce()
  }

  /// Announces the changes gathered, and tells new neighbours of the nodes they do not reach themselves.
  package mutating func tick(at now: Instant) {
    if let announceAt, now >= announceAt { announce() }
    while let next = untold.first, now >= next.due {
      untold.removeFirst()
      tell(next.place)
    }
  }

  private mutating func announceSoon(at now: Instant) {
    announceAt = announceAt ?? now.advanced(byNanoseconds: Self.gathering)
  }

  /// Sends a neighbour what is known of the nodes that it is not linked to.
  private mutating func tell(_ place: Int) {
    guard let node = node(at: place) else { return }
    var others = reachable.subtracting(places[place].links)
    others.remove(place)
    while let other = others.popFirst() {
      guard let state = places[other].state, state.version > 0 else { continue }
      outputs.append(.send(state, to: node))
    }
  }

  /// Takes an announcement that came over the link to `sender` and passes it on; old news is dropped.
  package mutating func receive(_ state: LinkState, from sender: NodeID) {
    guard state.node != me else {
      correct(state)
      return
    }
    guard let place = reserve(state.node.incarnation), place != 0, takes(state, at: place, from: sender) else { return }
    places[place].state = state
    var links = NodeSet()
    for incarnation in state.neighbours {
      if let neighbour = reserve(incarnation) { links.insert(neighbour) }
    }
    setLinks(of: place, to: links)
    var rest = neighbours.subtracting(links)
    // The announcer too if it came from somebody else, even if that names it among its own neighbours: it corrects what it
    // did not say.
    if neighbours.contains(place) { rest.insert(place) }
    while let other = rest.popFirst() {
      guard let node = node(at: other), node != sender else { continue }
      outputs.append(.send(state, to: node))
    }
    refresh()
  }

  /// Whether an announcement takes the place of what is known of its node.
  private mutating func takes(_ state: LinkState, at place: Int, from sender: NodeID) -> Bool {
    let known = places[place].state?.version ?? 0
    if sender == state.node, RecordVersion.areApart(known, state.version) {
      return state.version <= RecordVersion.greatest
    }
    // Of a node that is new here the versions before were told to others.
    guard known == 0 || RecordVersion.follows(state.version, known) else {
      // Another's word in the sender's name stands in its way: it has to know.
      if sender == state.node, let told = places[place].state, told != state { outputs.append(.send(told, to: sender)) }
      return false
    }
    return state.version <= RecordVersion.greatest
  }

  /// Somebody spreads an announcement in this node's name that it did not make: a newer one replaces it.
  private mutating func correct(_ state: LinkState) {
    guard state != own, state.version == own.version || RecordVersion.follows(state.version, own.version)
    else { return }
    own.version = state.version
    announce()
  }

  /// Sends this node's state to all neighbours as a new version.
  private mutating func announce() {
    announceAt = nil
    hasUnannouncedLoss = false
    own.version = RecordVersion.next(after: own.version)
    own.neighbours.removeAll(keepingCapacity: true)
    var rest = neighbours
    while let place = rest.popFirst() { own.neighbours.append(places[place].incarnation) }
    own.neighbours.sort()
    places[0].state = own
    rest = neighbours
    while let place = rest.popFirst() {
      if let node = node(at: place) { outputs.append(.send(own, to: node)) }
    }
  }

  private mutating func setLinks(of place: Int, to links: NodeSet) {
    var gone = places[place].links.subtracting(links)
    var new = links.subtracting(places[place].links)
    places[place].links = links
    while let other = gone.popFirst() { places[other].linkedFrom.remove(place) }
    while let other = new.popFirst() { places[other].linkedFrom.insert(place) }
  }

  /// Finds again who is reachable, over links that both ends announce or that are this node's own.
  private mutating func refresh() {
    var found = neighbours
    var frontier = neighbours
    while let place = frontier.popFirst() {
      let new = places[place].mutual.subtracting(found)
      found = found.union(new)
      frontier = frontier.union(new)
    }
    found.remove(0)
    reachable = found
    var live: [ElectionMember] = []
    live.reserveCapacity(found.count)
    while let place = found.popFirst() {
      if let state = places[place].state { live.append(state.member) }
    }
    guard live != members else { return }
    members = live
    outputs.append(.membersChanged)
  }
}

extension PresenceGraph {
  /// The places of the members that have a direct link to `node`, both ends saying so, without this node.
  package func linked(to node: NodeID) -> NodeSet {
    guard let place = place(of: node) else { return NodeSet() }
    var linked = places[place].mutual
    linked.remove(0)
    return linked
  }

  /// The links among this node and those it can reach, each once: its own, and those that both ends announce.
  package var pairs: [(NodeID, NodeID)] {
    var found: [(NodeID, NodeID)] = []
    var rest = reachable
    rest.insert(0)
    while let place = rest.popFirst() {
      // `rest` holds the later places only, so that no pair comes twice.
      var others = (place == 0 ? neighbours : places[place].mutual).intersection(rest)
      while let other = others.popFirst() {
        if let one = node(at: place), let two = node(at: other) { found.append((one, two)) }
      }
    }
    return found
  }

  /// The neighbour to hand a message for `node` to: itself, or the first of a shortest path; nil without a path.
  package func nextHop(to node: NodeID, avoiding sender: Int? = nil) -> Int? {
    guard let target = place(of: node), reachable.contains(target) else { return nil }
    guard !neighbours.contains(target) else { return target }
    var ways = ways(to: target, avoiding: sender)
    return ways.popFirst()
  }

  /// The neighbours that are nearest to `node`, itself if it is one; none without a path.
  func ways(to node: NodeID) -> NodeSet {
    place(of: node).map { ways(to: $0, avoiding: nil) } ?? NodeSet()
  }

  /// From the target towards this node: the first ring that touches neighbours gives them.
  private func ways(to target: Int, avoiding sender: Int?) -> NodeSet {
    var ring = NodeSet()
    ring.insert(target)
    var seen = ring
    while !ring.isEmpty {
      var ways = ring.intersection(neighbours)
      if let sender { ways.remove(sender) }
      if !ways.isEmpty { return ways }
      var next = NodeSet()
      while let place = ring.popFirst() { next = next.union(places[place].mutual) }
      ring = next.subtracting(seen)
      ring.remove(0)
      seen = seen.union(ring)
    }
    return ring
  }

  /// The members that get what `origin` sends neither from it nor from this node but, perhaps, by way of `neighbour`.
  func dependants(of neighbour: NodeID, for origin: NodeID) -> NodeSet {
    var rest = reachable.subtracting(neighbours)
    if origin != me {
      rest = rest.subtracting(linked(to: origin))
      if let place = place(of: origin) { rest.remove(place) }
    }
    var found = NodeSet()
    var ring = linked(to: neighbour).intersection(rest)
    while !ring.isEmpty {
      found = found.union(ring)
      rest = rest.subtracting(ring)
      var next = NodeSet()
      while let place = ring.popFirst() {
        if let node = node(at: place) { next = next.union(linked(to: node)) }
      }
      ring = next.intersection(rest)
    }
    return found
  }

  private func place(ofIncarnation incarnation: UInt64) -> Int? {
    places.firstIndex { $0.incarnation == incarnation }
  }

  /// The place of a node, taking over that of an unreachable one if all are in use; nil if every node is live.
  private mutating func reserve(_ incarnation: UInt64) -> Int? {
    if let place = place(ofIncarnation: incarnation) { return place }
    guard places.count >= NodeSet.capacity else {
      places.append(Place(incarnation: incarnation))
      return places.count - 1
    }
    let live = reachable.union(neighbours)
    let free = places.indices.first { index in
      index != 0 && !live.contains(index) && places[index].linkedFrom.intersection(live).isEmpty
    }
    guard let free else { return nil }
    setLinks(of: free, to: NodeSet())
    var mentions = places[free].linkedFrom
    while let other = mentions.popFirst() { places[other].links.remove(free) }
    places[free] = Place(incarnation: incarnation)
    return free
  }
}
