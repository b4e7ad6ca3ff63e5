package import AnchorReplication
package import Basics
package import PeerProtocol
internal import WorldModel

/// The smallest thing that can hold an election: connections to all, a ``PresenceGraph``, a ``FloodRelay`` and a
/// ``HostElection``, as the `Node` of a real peer has them.
package struct ElectionPeer: SimulatedNode {
  package enum Packet: Sendable {
    /// The first packet of a connection: who is there.
    case hello(NodeID)
    case links(LinkState)
    case message(FloodHeader, ElectionMessage)
  }

  /// This node's number, from 0.
  let index: Int
  /// The election under test.
  package private(set) var election: HostElection
  /// Who is linked to whom.
  package private(set) var graph: PresenceGraph
  private var relay = FloodRelay()
  private var source = FloodSource()
  private var random: SeededRandom
  /// By peer number: the connection, and who said hello on it.
  private var connections: [ConnectionID?]
  private var names: [NodeID?]
  /// By peer number: when to dial next.
  private var redials: [Instant?]
  private var nextRedial: Instant?

  private var outputs = OutputQueue<SimulatedOutput<Packet>>()

  // What the monitor looks at after each step.
  private(set) var heard: (message: ElectionMessage, from: NodeID)?
  private(set) var said: [ElectionOutput] = []
  private(set) var wish: ElectionWish?

  /// Starts and dials every peer of higher number.
  package init(
    index: Int, count: Int, me: NodeID, configuration: ElectionConfiguration, rules: ProtocolRules,
    random: SeededRandom, at now: Instant
  ) {
    self.index = index
    self.random = random
    election = HostElection(me: me, configuration: configuration, rules: rules, random: self.random.split(), at: now)
    graph = PresenceGraph(me: election.me, configuration: configuration)
    connections = Array(repeating: nil, count: count)
    names = Array(repeating: nil, count: count)
    redials = Array(repeating: nil, count: count)
    for peer in 0..<count where peer > index { redials[peer] = now }
    nextRedial = index + 1 < count ? now : nil
  }

  package static func byteCount(of packet: Packet) -> Int {
    switch packet {
    case .hello: NodeID.wireSize
    case .links(let state): 60 + 8 * state.neighbours.count
    case .message: 120
    }
  }

  /// The number of the node with this identity.
  static func index(of node: NodeID) -> Int { Int(node.peer.prefix) - 1 }

  /// The identity of a node in its `run`th run.
  static func identity(of index: Int, incarnation: UInt64) -> NodeID {
    NodeID(peer: PeerID(SHA256Digest(words: SIMD4(UInt64(index) + 1, 0, 0, 0))), incarnation: incarnation)
  }

  package var deadline: Instant? {
    var earliest = nextRedial ?? .distantFuture
    if let deadline = graph.deadline { earliest = min(earliest, deadline) }
    if let deadline = election.deadline { earliest = min(earliest, deadline) }
    return earliest == .distantFuture ? nil : earliest
  }

  package mutating func nextOutput() -> SimulatedOutput<Packet>? { outputs.next() }

  package mutating func opened(_ connection: ConnectionID, peer: Int, isDialler: Bool, at now: Instant) {
    begin()
    if let old = connections[peer] {
      outputs.append(.close(old))
      drop(peer, at: now)
    }
    connections[peer] = connection
    redials[peer] = nil
    outputs.append(.transmit(.hello(election.me), on: connection))
    finish(at: now)
  }

  package mutating func closed(_ connection: ConnectionID, at now: Instant) {
    begin()
    if let peer = connections.firstIndex(of: connection) {
      drop(peer, at: now)
      redial(peer, at: now)
    }
    finish(at: now)
  }

  package mutating func refused(peer: Int, at now: Instant) {
    begin()
    redial(peer, at: now)
  }

  package mutating func received(_ packet: Packet, on connection: ConnectionID, at now: Instant) {
    begin()
    guard let peer = connections.firstIndex(of: connection) else { return }
    switch packet {
    case .hello(let name):
      names[peer] = name
      graph.linkUp(name, at: now)
    case .links(let state):
      if let name = names[peer] { graph.receive(state, from: name) }
    case .message(let header, let message):
      guard let name = names[peer] else { return }
      let decision = relay.receive(header, from: name, over: graph)
      send(header, message, to: decision.targets)
      if decision.deliver {
        heard = (message, header.origin)
        election.handle(message, from: header.origin, at: now)
      }
    }
    finish(at: now)
  }

  package mutating func tick(at now: Instant) {
    begin()
    if let time = nextRedial, now >= time { dialAll(at: now) }
    graph.tick(at: now)
    if let deadline = election.deadline, now >= deadline { election.tick(at: now) }
    finish(at: now)
  }

  package mutating func clockJumped(by gap: Duration, at now: Instant) {
    begin()
    election.clockJumped(by: gap, at: now)
    finish(at: now)
  }

  /// Carries out an app's wish.
  mutating func perform(_ wish: ElectionWish, at now: Instant, _ action: (inout HostElection, Instant) -> Void) {
    begin()
    self.wish = wish
    action(&election, now)
    finish(at: now)
  }

  private mutating func begin() {
    heard = nil
    wish = nil
    said.removeAll(keepingCapacity: true)
  }

  /// Does what election and graph ask for, until neither asks for more.
  private mutating func finish(at now: Instant) {
    var isSettled = false
    while !isSettled {
      isSettled = true
      while let output = graph.nextOutput() {
        isSettled = false
        switch output {
        case .send(let state, let node):
          if let connection = connections[Self.index(of: node)] {
            outputs.append(.transmit(.links(state), on: connection))
          }
        case .membersChanged: election.setReachable(graph.members, at: now)
        }
      }
      while let output = election.nextOutput() {
        isSettled = false
        said.append(output)
        carryOut(output)
      }
    }
  }

  private mutating func carryOut(_ output: ElectionOutput) {
    switch output {
    case .broadcast(let message):
      let (header, targets) = source.originate(to: nil, over: graph)
      send(header, message, to: targets)
    case .send(let message, let node):
      let (header, targets) = source.originate(to: node, over: graph)
      send(header, message, to: targets)
    case .hostChanged: break
    case .joinSequenceChanged(let sequence): graph.setJoinSequence(sequence)
    }
  }

  private mutating func send(_ header: FloodHeader, _ message: ElectionMessage, to targets: NodeSet) {
    var rest = targets
    while let place = rest.popFirst() {
      guard let node = graph.node(at: place), let connection = connections[Self.index(of: node)] else { continue }
      outputs.append(.transmit(.message(header, message), on: connection))
    }
  }

  private mutating func drop(_ peer: Int, at now: Instant) {
    if let name = names[peer] { graph.linkDown(name, at: now) }
    connections[peer] = nil
    names[peer] = nil
  }

  private mutating func redial(_ peer: Int, at now: Instant) {
    guard peer > index, connections[peer] == nil else { return }
    let time = now.advanced(byNanoseconds: 50_000_000 + Int64(random.below(UInt64(100_000_000))))
    redials[peer] = time
    nextRedial = min(nextRedial ?? .distantFuture, time)
  }

  private mutating func dialAll(at now: Instant) {
    nextRedial = nil
    for peer in redials.indices {
      guard let time = redials[peer] else { continue }
      if time <= now {
        redials[peer] = nil
        outputs.append(.dial(peer: peer))
      } else {
        nextRedial = min(nextRedial ?? .distantFuture, time)
      }
    }
  }
}
