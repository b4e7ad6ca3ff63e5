package import AnchorReplication
package import Basics
package import PeerProtocol
internal import WorldModel

/// The smallest thing that can hold an election: the organ ``Coordination`` of a real node, and connections to all.
///
/// It plays the other organs in their simplest form. A connection carries a member's traffic once its other end has said
/// hello, and every node that a path of links leads to is a member.
package struct ElectionPeer: SimulatedNode {
  package enum Packet: Sendable {
    /// The first packet of a connection: who is there.
    case hello(NodeID)
    /// One frame of the organ.
    case frame([UInt8])
  }

  /// This node's number, from 0.
  let index: Int
  private var coordination: Coordination
  private var turn: Turn
  private var directory = LinkDirectory()
  private var roster = Roster()
  /// The members that could be reached at the last change.
  private var present: Set<NodeID> = []
  /// By peer number.
  private var links: [LinkRef?]
  private var redials: RedialPlan
  private var outputs = OutputQueue<SimulatedOutput<Packet>>()

  // The monitor looks at these after each step.
  private(set) var heard: (message: ElectionMessage, from: NodeID)?
  private(set) var said: [ElectionOutput] = []
  private(set) var wish: ElectionWish?

  /// Starts and dials every peer of higher number.
  package init(
    index: Int, count: Int, me: NodeID, configuration: ElectionConfiguration, rules: ProtocolRules,
    random: SeededRandom, at now: Instant
  ) {
    self.index = index
    var random = random
    coordination = Coordination(
      me: me, configuration: configuration, rules: rules, random: random.split(), at: now)
    let node = NodeConfiguration(
      peerID: me.peer, incarnation: me.incarnation, name: "", service: "", election: configuration, seed: 0)
    let anchors = AnchorSet(actor: ActorID(peer: me.peer, incarnation: me.incarnation), peer: me.peer)
    turn = Turn(node, mesh: coordination.mesh, anchors: anchors, random: random.split(), at: now)
    links = Array(repeating: nil, count: count)
    redials = RedialPlan(after: index, count: count, random: random, at: now)
  }

  package static func byteCount(of packet: Packet) -> Int {
    switch packet {
    case .hello: NodeID.wireSize
    case .frame(let bytes): bytes.count
    }
  }

  /// The number of the node with this identity.
  static func index(of node: NodeID) -> Int { Int(node.peer.prefix) - 1 }

  /// The identity of a node in its `run`th run.
  static func identity(of index: Int, incarnation: UInt64) -> NodeID {
    NodeID(peer: peer(of: index), incarnation: incarnation)
  }

  private static func peer(of index: Int) -> PeerID {
    PeerID(SHA256Digest(words: SIMD4(UInt64(index) + 1, 0, 0, 0)))
  }

  /// The election under test.
  package var election: HostElection { coordination.election }

  package var deadline: Instant? {
    mutating get { [redials.deadline, coordination.deadline(in: &turn)].compactMap(\.self).min() }
  }

  package mutating func nextOutput() -> SimulatedOutput<Packet>? { outputs.next() }

  // MARK: Inputs

  package mutating func opened(_ connection: ConnectionID, peer: Int, isDialler: Bool, at now: Instant) {
    begin(at: now)
    if let old = links[peer] {
      outputs.append(.close(Self.connection(of: old)))
      drop(peer)
    }
    let link = directory.open(
      Self.link(of: connection), peer: Self.peer(of: peer), remote: SessionPeer.address(of: peer),
      isDialled: isDialler)
    turn.outbox.open(link)
    turn.mesh.publish(links: directory)
    links[peer] = link
    redials.cancel(peer)
    outputs.append(.transmit(.hello(turn.me), on: connection))
    finish()
  }

  package mutating func closed(_ connection: ConnectionID, at now: Instant) {
    begin(at: now)
    if let peer = peer(on: connection) {
      drop(peer)
      redials.plan(peer, at: now)
    }
    finish()
  }

  package mutating func refused(peer: Int, at now: Instant) {
    begin(at: now)
    if links[peer] == nil { redials.plan(peer, at: now) }
  }

  package mutating func received(_ packet: Packet, on connection: ConnectionID, at now: Instant) {
    begin(at: now)
    guard let peer = peer(on: connection), let link = links[peer] else { return }
    switch packet {
    case .hello(let name): greet(name, on: link)
    case .frame(let bytes):
      if let sender = directory.sender(link) { take(bytes, from: sender) }
    }
    finish()
  }

  package mutating func tick(at now: Instant) {
    begin(at: now)
    while let peer = redials.next(at: now) { outputs.append(.dial(peer: peer)) }
    repeat { settle() } while coordination.step(in: &turn)
    finish()
  }

  package mutating func clockJumped(by gap: Duration, at now: Instant) {
    begin(at: now)
    turn.tell(.elect(.stalled(gap)))
    finish()
  }

  /// Carries out an app's wish.
  mutating func perform(_ wish: ElectionWish, _ input: ElectionInput, at now: Instant) {
    begin(at: now)
    self.wish = wish
    turn.tell(.elect(input))
    finish()
  }

  private mutating func begin(at now: Instant) {
    turn.now = now
    heard = nil
    wish = nil
    said.removeAll(keepingCapacity: true)
  }

  // MARK: Links

  private static func link(of connection: ConnectionID) -> LinkID { LinkID(rawValue: connection.rawValue + 1) }

  private static func connection(of link: LinkRef) -> ConnectionID { ConnectionID(rawValue: link.id.rawValue - 1) }

  private func peer(on connection: ConnectionID) -> Int? {
    links.firstIndex { $0?.id == Self.link(of: connection) }
  }

  private mutating func greet(_ name: NodeID, on link: LinkRef) {
    directory.identify(link, as: name, [])
    directory.carry(link)
    directory.admit(link)
    turn.mesh.publish(links: directory)
    coordination.linked(link, in: &turn)
  }

  private mutating func drop(_ peer: Int) {
    guard let link = links[peer] else { return }
    let node = directory.node(link)
    directory.close(link)
    turn.outbox.close(link)
    turn.mesh.publish(links: directory)
    links[peer] = nil
    if let node { coordination.unlinked(node, in: &turn) }
    settle()
  }

  /// Takes a frame of a peer that tells no lies: one that cannot be read has no effect.
  private mutating func take(_ bytes: [UInt8], from sender: MemberLink) {
    let bytes = unsafe bytes.span.bytes
    guard let head = try? FrameHead.find(in: bytes, at: 0, limit: bytes.byteCount) else { return }
    let frame: Coordination.Frame = head.type == FrameType.election.rawValue ? .election : .linkState
    try? coordination.receive(frame, bytes.extracting(head.body), from: sender, in: &turn)
  }

  // MARK: Notices

  /// Delivers the notices of the last call of the organ, each with all that it causes before the next.
  private mutating func settle() {
    guard !turn.notices.isEmpty else { return }
    var batch = turn.notices.begin()
    while let notice = turn.notices.next(of: &batch) {
      deliver(notice)
      settle()
    }
    turn.notices.end(batch)
  }

  private mutating func deliver(_ notice: Notice) {
    if case .graphChanged(members: true) = notice { admitReachable() }
    if case .elect(let input) = notice {
      if case .message(let message, let sender) = input { heard = (message, sender) }
      coordination.elect(input, in: &turn)
    }
    if case .election(let output) = notice {
      said.append(output)
      coordination.carryOut(output, in: &turn)
    }
  }

  /// Holds the nodes in reach as members; of two starts of one peer, the later one to come.
  private mutating func admitReachable() {
    let members = Set(turn.mesh.graph.members.map(\.node))
    for node in turn.mesh.graph.members.map(\.node) {
      let known = roster[node.peer]
      // The announcements of others may bring an earlier start back for a moment.
      if let known, members.contains(known.node), present.contains(node) { continue }
      _ = roster.merge(
        RosterEntry(
          peerID: node.peer, version: (known?.version ?? 0) + 1, incarnation: node.incarnation, name: "", addresses: [])
      )
    }
    present = members
    turn.mesh.publish(roster: roster)
    turn.tell(.elect(.reachable(turn.mesh.reachable)))
  }

  /// Ends a call: everything that it causes happens, and every frame leaves.
  private mutating func finish() {
    settle()
    // An app would be told these.
    while turn.outbox.nextOrder() != nil {}
    while let link = turn.outbox.nextPending() { transmit(turn.outbox.takeControl(of: link), on: link) }
  }

  /// Sends frames one by one, so that the monitor sees what came of each.
  private mutating func transmit(_ bytes: [UInt8], on link: LinkRef) {
    var start = 0
    while let head = unsafe try? FrameHead.find(in: bytes.span.bytes, at: start, limit: bytes.count) {
      outputs.append(.transmit(.frame(Array(bytes[start..<head.body.upperBound])), on: Self.connection(of: link)))
      start = head.body.upperBound
    }
  }
}
