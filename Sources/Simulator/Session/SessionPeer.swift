import AnchorReplication
package import PeerProtocol
package import WorldModel

/// A whole ``Node`` as a simulated machine runs it, with an app that invites everybody and accepts every invitation.
package struct SessionPeer: SimulatedNode {
  package typealias Packet = [UInt8]

  /// The node under test.
  package private(set) var node: Node
  /// What the node told the app in the last step.
  package private(set) var events: [NodeEvent] = []
  /// The maps that arrived, by id.
  package private(set) var maps: [MapID: MapPackage] = [:]

  private let index: Int
  private let count: Int
  private var outputs: [SimulatedOutput<Packet>] = []
  private var drained = 0
  private var connections: [LinkID: ConnectionID] = [:]
  private var dials: [Int: [DialID]] = [:]
  private var nextInvitation: UInt64 = 1
  private var targets: [InvitationID: Int] = [:]
  /// What this peer says besides what its node says; nil for an honest one.
  private var liar: Liar?

  /// Starts with an empty memory and invites every other machine.
  package init(
    index: Int, count: Int, seed: UInt64, mistakes: NodeMistakes = NodeMistakes(), isLiar: Bool = false, at now: Instant
  ) {
    self.index = index
    self.count = count
    var random = SeededRandom(seed: seed)
    var configuration = NodeConfiguration(
      peerID: Self.identity(of: index), incarnation: random.next(), name: "peer \(index + 1)", service: "sim",
      addresses: [Self.address(of: index)], seed: random.next())
    configuration.mistakes = mistakes
    node = Node(configuration, at: now)
    if isLiar { liar = Liar(count: count, random: random.split()) }
    for other in 0..<count where other != index { invite(other, at: now) }
    settle(at: now)
  }

  package static func identity(of index: Int) -> PeerID {
    PeerID(SHA256Digest(words: SIMD4(UInt64(index) + 1, 0, 0, 0)))
  }

  static func address(of index: Int) -> SocketAddress {
    SocketAddress(host: .ipv4(0x0a00_0000 + UInt32(index) + 1), port: 4000)
  }

  private static func index(of address: SocketAddress) -> Int? {
    guard case .ipv4(let word) = address.host, word > 0x0a00_0000, address.port == 4000 else { return nil }
    return Int(word - 0x0a00_0000) - 1
  }

  package static func byteCount(of packet: Packet) -> Int { packet.count }

  package var deadline: Instant? { node.deadline }

  package mutating func nextOutput() -> SimulatedOutput<Packet>? {
    guard drained < outputs.count else {
      outputs.removeAll(keepingCapacity: true)
      drained = 0
      return nil
    }
    drained += 1
    return outputs[drained - 1]
  }

  package mutating func opened(_ connection: ConnectionID, peer: Int, isDialler: Bool, at now: Instant) {
    events.removeAll(keepingCapacity: true)
    let link = LinkID(rawValue: UInt64(connection.number) + 1)
    connections[link] = connection
    let dial = isDialler ? takeDial(to: peer) : nil
    let remote = isDialler ? Self.address(of: peer) : Self.address(of: peer).with(port: 50_000)
    node.handle(.linkOpened(link, peer: Self.identity(of: peer), dial: dial, remote: remote), at: now)
    settle(at: now)
  }

  package mutating func closed(_ connection: ConnectionID, at now: Instant) {
    events.removeAll(keepingCapacity: true)
    let link = LinkID(rawValue: UInt64(connection.number) + 1)
    connections[link] = nil
    node.handle(.linkClosed(link), at: now)
    settle(at: now)
  }

  package mutating func refused(peer: Int, at now: Instant) {
    events.removeAll(keepingCapacity: true)
    if let dial = takeDial(to: peer) { node.handle(.dialFailed(dial, refused: true), at: now) }
    settle(at: now)
  }

  package mutating func received(_ packet: Packet, on connection: ConnectionID, at now: Instant) {
    events.removeAll(keepingCapacity: true)
    unsafe node.receive(packet.span.bytes, on: LinkID(rawValue: UInt64(connection.number) + 1), at: now)
    settle(at: now)
  }

  package mutating func tick(at now: Instant) {
    events.removeAll(keepingCapacity: true)
    node.handle(.tick, at: now)
    settle(at: now)
  }

  package mutating func clockJumped(by gap: Duration, at now: Instant) {
    events.removeAll(keepingCapacity: true)
    node.handle(.clockJumped(by: gap), at: now)
    settle(at: now)
  }

  /// Lets the app do something.
  package mutating func perform(at now: Instant, _ action: (inout Node, Instant) -> Void) {
    events.removeAll(keepingCapacity: true)
    action(&node, now)
    settle(at: now)
  }

  private mutating func takeDial(to peer: Int) -> DialID? {
    guard let dial = dials[peer]?.first else { return nil }
    dials[peer]?.removeFirst()
    return dial
  }

  private mutating func invite(_ other: Int, at now: Instant) {
    let id = InvitationID(rawValue: nextInvitation)
    nextInvitation += 1
    targets[id] = other
    node.handle(.invite(id, [Self.address(of: other)], context: [], timeout: .seconds(60)), at: now)
  }

  /// Drains the node; the network takes any amount at once.
  private mutating func settle(at now: Instant) {
    while let output = node.nextOutput() {
      switch output {
      case .connect(let dial, let address):
        guard let peer = Self.index(of: address), peer < count, peer != index else {
          node.handle(.dialFailed(dial, refused: true), at: now)
          continue
        }
        dials[peer, default: []].append(dial)
        outputs.append(.dial(peer: peer))
      case .transmit(let link, let bytes):
        if let connection = connections[link] { outputs.append(.transmit(bytes, on: connection)) }
        node.handle(.writable(link), at: now)
      case .close(let link):
        if let connection = connections.removeValue(forKey: link) { outputs.append(.close(connection)) }
      case .admitted: break
      case .check(let check): node.handle(.chunkChecked(check.run()), at: now)
      case .event(let event): take(event, at: now)
      }
    }
    lie()
  }

  private mutating func lie() {
    guard var liar else { return }
    defer { self.liar = liar }
    let links = connections.keys.sorted { $0.rawValue < $1.rawValue }
    guard !links.isEmpty, let lie = liar.next(as: node) else { return }
    if let connection = connections[links[liar.random.below(links.count)]] {
      outputs.append(.transmit(lie, on: connection))
    }
  }

  private mutating func take(_ event: NodeEvent, at now: Instant) {
    events.append(event)
    switch event {
    case .invitationReceived(let id, _, _, _): node.handle(.answer(id, .accept), at: now)
    case .invitationEnded(let id, let result):
      guard let other = targets.removeValue(forKey: id) else { return }
      if case .accepted = result { return }
      invite(other, at: now)
    case .mapReceived(let id, _, _, let package): maps[id] = package
    default: break
    }
  }
}
