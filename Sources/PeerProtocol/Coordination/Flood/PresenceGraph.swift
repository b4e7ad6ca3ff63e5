package import Basics

/// The graph of links, as one node knows it from the announcements of all; the base of reachability and relaying.
///
/// A node sees its own links only, but the election needs all live members, and a message to a member without a link
/// needs a way. Distances passed from neighbour to neighbour count upwards for long after a link is lost. Questions at
/// the time of need come too late: they are asked just when links break. So each node announces all its links, as
/// routers do with link states (OSPF, RFC 2328), and each computes the ways itself. A link counts when both ends
/// announce it, so that one of them cannot make it up.
///
/// Each node announces its own links to its neighbours, and a node that hears an announcement passes it on to the
/// neighbours that the announcer does not reach itself. A new neighbour is given what it cannot hear from others. So
/// every node of a connected component ends with the same graph, and a full mesh of n costs n messages a change.
///
/// Where many join at once that is not enough: an announcement is old before it has arrived, and it is passed on to
/// nodes that have a link of their own a moment later, so what each node sends grows with the square. In a large
/// session new links therefore wait for each other, and a few common neighbours pass on what all could (``relays``), as
/// the multipoint relays of OLSR do (RFC 3626). Each computes by the same rule which these are, without asking. A loss
/// waits for 50 ms at most (``gathering``): until it is announced all neighbours relay for this node.
///
/// Nodes have slots, since a set of slots is a few words of bits: all that is asked of the graph is made of such
/// sets.
package struct PresenceGraph: Sendable {
  /// The orders; the owner drains these after every call.
  package enum Output: Equatable, Sendable {
    /// Send the announcement over the direct link to `to`.
    case send(LinkState, to: NodeID)
    /// ``members`` is different now.
    case membersChanged
  }

  /// Changes wait this long to be announced together (50 ms), and new links for each neighbour (4 ms) if that is longer.
  ///
  /// Where many join at once every node gets a link to each. If each few of these links were announced alone, and passed on
  /// to those that a moment later have a link to the announcer themselves, what each node sends and reads at a join would
  /// grow with the square of their number.
  static let gathering: Int64 = 50_000_000
  static let gatheringOfNeighbor: Int64 = 4_000_000
  /// A new neighbour has this long to announce whom it reaches itself, before it is told of the others (150 ms, and 8 ms for
  /// each neighbour if that is longer).
  static let patience: Int64 = 150_000_000
  static let patienceOfNeighbor: Int64 = 8_000_000
  /// So many of those that are linked to two nodes bring one what the other says.
  static let relays = 3

  /// The state of one node.
  ///
  /// A slot outlives the node until it is needed for another one.
  struct Slot: Sendable {
    var incarnation: UInt64
    /// Its latest announcement; nil if others only mention it.
    var state: LinkState?
    /// The slots it says it is linked to.
    var links = NodeSet()
    /// The slots that say they are linked to it.
    var linkedFrom = NodeSet()
    /// The neighbour that brought the latest announcement.
    var teller: NodeID?

    /// The slots where both ends agree.
    var mutual: NodeSet { links.intersection(linkedFrom) }
  }

  /// This node; it has slot 0.
  package let me: NodeID
  /// All slots in use.
  private(set) var slots: [Slot]
  /// The slot of each incarnation that has one.
  private var slotsOfIncarnations: [UInt64: Int]
  /// The slots of the direct links that are up.
  package private(set) var neighbors = NodeSet()
  /// The slots that a path of links leads to, without this node.
  package private(set) var reachable = NodeSet()
  /// The live members, in the order of their slots, without this node.
  package private(set) var members: [ElectionMember] = []
  /// When to announce own changes; nil if there are none.
  private var announceAt: Instant?
  /// Whether a link is down that the last announcement names.
  private var hasUnannouncedLoss = false
  /// New neighbours and when to tell them of the nodes that they do not reach themselves, in order.
  private var untold: [(slot: Int, due: Instant)] = []
  /// The slots whose announcements name new links only and are passed on together, and when.
  private var gathered = NodeSet()
  private var passAt: Instant?

  private var own: LinkState
  private var outputs = OutputQueue<Output>()

  /// A node without links.
  package init(me: NodeID, configuration: ElectionConfiguration) {
    self.me = me
    own = LinkState(node: me, configuration: configuration)
    own.version = 1
    slots = [Slot(incarnation: me.incarnation, state: own)]
    slotsOfIncarnations = [me.incarnation: 0]
  }

  /// The version of the announcement that names whom a broadcast of this node reaches; 0 if none does at the moment.
  var relayVersion: UInt32 { hasUnannouncedLoss ? 0 : own.version }

  /// When ``tick(at:)`` is due; nil for never.
  package var deadline: Instant? {
    [untold.first?.due, announceAt, passAt].compactMap(\.self).min()
  }

  /// Takes the next thing to do, oldest first; nil when there is nothing left.
  package mutating func nextOutput() -> Output? { outputs.next() }

  /// The node at a slot; nil if it has not announced itself.
  package func node(at slot: Int) -> NodeID? { slots[slot].state?.node }

  /// The slot of a node that is known, at least by mention.
  package func slot(of node: NodeID) -> Int? { slot(ofIncarnation: node.incarnation) }

  /// A direct link to `node` is up.
  package mutating func linkUp(_ node: NodeID, at now: Instant) {
    guard node != me, let slot = reserve(node.incarnation), slot != 0, !neighbors.contains(slot) else { return }
    if slots[slot].state == nil {
      slots[slot].state = LinkState(node: node, configuration: ElectionConfiguration(priority: 0, canHost: false))
    }
    neighbors.insert(slot)
    setLinks(of: 0, to: neighbors)
    outputs.append(.send(own, to: node))
    tellSoon(slot, at: now)
    announceSoon(at: now)
    refresh()
  }

  /// The direct link to `node` is down; until that is announced all neighbours relay for this node.
  package mutating func linkDown(_ node: NodeID, at now: Instant) {
    guard let slot = slot(of: node), neighbors.contains(slot) else { return }
    neighbors.remove(slot)
    untold.removeAll { $0.slot == slot }
    setLinks(of: 0, to: neighbors)
    hasUnannouncedLoss = true
    announceSoon(at: now)
    refresh()
  }

  /// Announces this node's new slot in the order of joining.
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
      tell(next.slot)
    }
    guard let passAt, now >= passAt else { return }
    self.passAt = nil
    while let slot = gathered.popFirst() { passOn(slot) }
  }

  /// Whether so many nodes are linked that not each of them passes on what each other one says.
  var isLarge: Bool { pace > Self.gathering }

  /// How long new links wait, so that what many of them cost is bounded.
  private var pace: Int64 { max(Self.gathering, Self.gatheringOfNeighbor * Int64(neighbors.count)) }

  private mutating func announceSoon(at now: Instant) {
    // Until a loss is announced all others relay for this node.
    let due = now.advanced(byNanoseconds: hasUnannouncedLoss ? Self.gathering : pace)
    announceAt = min(due, announceAt ?? due)
  }

  private mutating func tellSoon(_ slot: Int, at now: Instant) {
    guard !untold.contains(where: { $0.slot == slot }) else { return }
    let patience = max(Self.patience, Self.patienceOfNeighbor * Int64(neighbors.count))
    let due = now.advanced(byNanoseconds: patience)
    assert(neighbors.contains(slot), "nobody but neighbours is told")
    untold.append((slot, max(due, untold.last?.due ?? due)))
  }

  /// Sends a neighbour what is known of the nodes that it is not linked to.
  private mutating func tell(_ slot: Int) {
    guard let node = node(at: slot) else { return }
    var others = reachable.subtracting(slots[slot].links)
    // One that says that it is linked to the neighbour told it itself when that link came up.
    if isLarge { others = others.subtracting(slots[slot].linkedFrom) }
    others.remove(slot)
    while let other = others.popFirst() {
      guard let state = slots[other].state, state.version > 0, isRelay(from: other, to: slot) else { continue }
      outputs.append(.send(state, to: node))
    }
  }

  /// Takes an announcement that came over the link to `sender` and passes it on; old news is dropped.
  package mutating func receive(_ state: LinkState, from sender: NodeID, at now: Instant) {
    guard state.node != me else {
      correct(state)
      return
    }
    guard let slot = reserve(state.node.incarnation), slot != 0, takes(state, at: slot, from: sender) else { return }
    slots[slot].state = state
    slots[slot].teller = sender
    var links = NodeSet()
    for incarnation in state.neighbors {
      if let neighbor = reserve(incarnation) { links.insert(neighbor) }
    }
    let lost = slots[slot].links.subtracting(links)
    setLinks(of: slot, to: links)
    if lost.isEmpty, isLarge {
      gathered.insert(slot)
      passAt = passAt ?? now.advanced(byNanoseconds: pace)
    } else {
      gathered.remove(slot)
      passOn(slot)
      if isLarge { checkRelays(of: slot, lost, at: now) }
    }
    refresh()
  }

  /// Tells the two ends of links that are lost, where they are neighbours, what the one may have been about to bring the other.
  private mutating func checkRelays(of slot: Int, _ lost: NodeSet, at now: Instant) {
    var ends = lost
    ends.insert(slot)
    ends = ends.intersection(neighbors)
    while let end = ends.popFirst() { tellSoon(end, at: now) }
  }

  /// Sends the latest announcement of a node to the neighbours that it does not name itself.
  private mutating func passOn(_ slot: Int) {
    guard let state = slots[slot].state else { return }
    var rest = withoutRelayed(neighbors.subtracting(slots[slot].links), from: slot)
    // The announcer too if it came from somebody else, even if that names it among its own neighbours: it corrects what it
    // did not say.
    if neighbors.contains(slot) { rest.insert(slot) }
    while let other = rest.popFirst() {
      guard let node = node(at: other), node != slots[slot].teller else { continue }
      outputs.append(.send(state, to: node))
    }
  }

  /// Whether an announcement takes the slot of what is known of its node.
  private mutating func takes(_ state: LinkState, at slot: Int, from sender: NodeID) -> Bool {
    let known = slots[slot].state?.version ?? 0
    if sender == state.node, RecordVersion.areApart(known, state.version) {
      return state.version <= RecordVersion.greatest
    }
    // Of a node that is new here the versions before were told to others.
    guard known == 0 || RecordVersion.follows(state.version, known) else {
      // Another's word in the sender's name stands in its way: it has to know.
      if sender == state.node, let told = slots[slot].state, told != state { outputs.append(.send(told, to: sender)) }
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
    own.neighbors.removeAll(keepingCapacity: true)
    var rest = neighbors
    while let slot = rest.popFirst() { own.neighbors.append(slots[slot].incarnation) }
    own.neighbors.sort()
    assert(zip(own.neighbors, own.neighbors.dropFirst()).allSatisfy(<), "a neighbour is named twice")
    slots[0].state = own
    rest = neighbors
    while let slot = rest.popFirst() {
      if let node = node(at: slot) { outputs.append(.send(own, to: node)) }
    }
  }

  private mutating func setLinks(of slot: Int, to links: NodeSet) {
    var gone = slots[slot].links.subtracting(links)
    var new = links.subtracting(slots[slot].links)
    slots[slot].links = links
    while let other = gone.popFirst() { slots[other].linkedFrom.remove(slot) }
    while let other = new.popFirst() { slots[other].linkedFrom.insert(slot) }
  }

  /// Finds again who is reachable, over links that both ends announce or that are this node's own.
  private mutating func refresh() {
    var found = neighbors
    var frontier = neighbors
    while let slot = frontier.popFirst() {
      let new = slots[slot].mutual.subtracting(found)
      found = found.union(new)
      frontier = frontier.union(new)
    }
    found.remove(0)
    reachable = found
    assert(neighbors.subtracting(reachable).isEmpty, "a neighbour is out of reach")
    var live: [ElectionMember] = []
    live.reserveCapacity(found.count)
    while let slot = found.popFirst() {
      if let state = slots[slot].state { live.append(state.member) }
    }
    guard live != members else { return }
    members = live
    outputs.append(.membersChanged)
  }
}

extension PresenceGraph {
  /// The slots of the members that have a direct link to `node`, both ends saying so, without this node.
  package func linked(to node: NodeID) -> NodeSet {
    guard let slot = slot(of: node) else { return NodeSet() }
    var linked = slots[slot].mutual
    linked.remove(0)
    return linked
  }

  /// The links among this node and those it can reach, each once: its own, and those that both ends announce.
  package var pairs: [(NodeID, NodeID)] {
    var found: [(NodeID, NodeID)] = []
    var rest = reachable
    rest.insert(0)
    while let slot = rest.popFirst() {
      // `rest` holds the later slots only, so that no pair comes twice.
      var others = (slot == 0 ? neighbors : slots[slot].mutual).intersection(rest)
      while let other = others.popFirst() {
        if let one = node(at: slot), let two = node(at: other) { found.append((one, two)) }
      }
    }
    return found
  }

  /// The neighbour to hand a message for `node` to: itself, or the first of a shortest path; nil without a path.
  package func nextHop(to node: NodeID, avoiding sender: Int? = nil) -> Int? {
    guard let target = slot(of: node), reachable.contains(target) else { return nil }
    guard !neighbors.contains(target) else { return target }
    var ways = ways(to: target, avoiding: sender)
    return ways.popFirst()
  }

  /// The neighbours that are nearest to `node`, itself if it is one; none without a path.
  func ways(to node: NodeID) -> NodeSet {
    slot(of: node).map { ways(to: $0, avoiding: nil) } ?? NodeSet()
  }

  /// From the target towards this node: the first ring that touches neighbours gives them.
  private func ways(to target: Int, avoiding sender: Int?) -> NodeSet {
    var ring = NodeSet()
    ring.insert(target)
    var seen = ring
    while !ring.isEmpty {
      var ways = ring.intersection(neighbors)
      if let sender { ways.remove(sender) }
      if !ways.isEmpty { return ways }
      var next = NodeSet()
      while let slot = ring.popFirst() { next = next.union(slots[slot].mutual) }
      ring = next.subtracting(seen)
      ring.remove(0)
      seen = seen.union(ring)
    }
    return ring
  }

  /// The members that get what `origin` sends neither from it nor from this node but, perhaps, by way of `neighbor`.
  func dependants(of neighbor: NodeID, for origin: NodeID) -> NodeSet {
    var rest = reachable.subtracting(neighbors)
    if origin != me {
      rest = rest.subtracting(linked(to: origin))
      if let slot = slot(of: origin) { rest.remove(slot) }
    }
    var found = NodeSet()
    var ring = linked(to: neighbor).intersection(rest)
    while !ring.isEmpty {
      found = found.union(ring)
      rest = rest.subtracting(ring)
      var next = NodeSet()
      while let slot = ring.popFirst() {
        if let node = node(at: slot) { next = next.union(linked(to: node)) }
      }
      ring = next.intersection(rest)
    }
    return found
  }

  /// Of neighbours that a node does not reach itself, those to which this node has to bring what that one says.
  ///
  /// In a large session ``relays`` of the nodes that are linked to both do; that is enough for one that lies and one that has
  /// just been lost. Which, all of them find by the same rule; it differs from neighbour to neighbour, so that nobody is the
  /// one for all.
  func withoutRelayed(_ targets: NodeSet, from origin: Int) -> NodeSet {
    var kept = NodeSet()
    var rest = targets
    while let target = rest.popFirst() {
      if isRelay(from: origin, to: target) { kept.insert(target) }
    }
    return kept
  }

  private func isRelay(from origin: Int, to target: Int) -> Bool {
    guard isLarge else { return true }
    var relays = slots[origin].mutual.intersection(slots[target].mutual)
    relays.remove(0)
    guard neighbors.contains(origin) else { return relays.isEmpty }
    let salt = slots[target].incarnation
    func turn(_ slot: Int) -> UInt64 { (slots[slot].incarnation ^ salt) &* 0x9e37_79b9_7f4a_7c15 }
    let own = turn(0)
    var before = 0
    while before < Self.relays, let relay = relays.popFirst() {
      if turn(relay) < own { before += 1 }
    }
    return before < Self.relays
  }

  private func slot(ofIncarnation incarnation: UInt64) -> Int? { slotsOfIncarnations[incarnation] }

  /// The slot of a node, taking over that of an unreachable one if all are in use; nil if every node is live.
  private mutating func reserve(_ incarnation: UInt64) -> Int? {
    if let slot = slot(ofIncarnation: incarnation) { return slot }
    guard slots.count >= NodeSet.capacity else {
      slotsOfIncarnations[incarnation] = slots.count
      slots.append(Slot(incarnation: incarnation))
      return slots.count - 1
    }
    let live = reachable.union(neighbors)
    let free = slots.indices.first { index in
      index != 0 && !live.contains(index) && slots[index].linkedFrom.intersection(live).isEmpty
    }
    guard let free else { return nil }
    setLinks(of: free, to: NodeSet())
    var mentions = slots[free].linkedFrom
    while let other = mentions.popFirst() { slots[other].links.remove(free) }
    slotsOfIncarnations[slots[free].incarnation] = nil
    slotsOfIncarnations[incarnation] = free
    slots[free] = Slot(incarnation: incarnation)
    assert(free != 0 && slotsOfIncarnations.count == slots.count, "each slot has one incarnation")
    return free
  }
}
