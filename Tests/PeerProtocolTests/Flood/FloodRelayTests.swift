import Basics
import PeerProtocol
import TestSupport
import Testing
import WorldModel

/// Nodes with graphs and relays, and perfect links between them.
private struct Flood {
  var graphs: [PresenceGraph]
  var relays: [FloodRelay]
  var sources: [FloodSource]
  var received: [Int]
  var packets = 0
  /// Announcements of links that were sent.
  var announcements = 0
  var now = at(0)
  private var queue: [(from: Int, to: Int, packet: Packet)] = []

  private enum Packet {
    case links(LinkState)
    case message(FloodHeader)
  }

  init(count: Int, isLinked: (Int, Int) -> Bool) {
    graphs = (0..<count).map { PresenceGraph(me: Self.node($0), configuration: ElectionConfiguration()) }
    relays = Array(repeating: FloodRelay(), count: count)
    sources = Array(repeating: FloodSource(), count: count)
    received = Array(repeating: 0, count: count)
    for one in 0..<count {
      for other in 0..<count where one != other && isLinked(one, other) {
        graphs[one].linkUp(Self.node(other), at: now)
      }
    }
    settle()
  }

  static func node(_ index: Int) -> NodeID { electionNode(UInt64(index)) }

  /// Carries everything to its end, with all deadlines.
  mutating func settle() {
    for _ in 0..<8 {
      now += .milliseconds(200)
      for index in graphs.indices { graphs[index].tick(at: now) }
      deliver()
    }
  }

  mutating func unlink(_ one: Int, _ other: Int) {
    graphs[one].linkDown(Self.node(other), at: now)
    graphs[other].linkDown(Self.node(one), at: now)
  }

  mutating func link(_ one: Int, _ other: Int) {
    graphs[one].linkUp(Self.node(other), at: now)
    graphs[other].linkUp(Self.node(one), at: now)
  }

  /// Whether both hold their link for up: what was sent over another one is lost.
  func areLinked(_ one: Int, _ other: Int) -> Bool {
    func has(_ one: Int, _ other: Int) -> Bool {
      graphs[one].slot(of: Self.node(other)).map(graphs[one].neighbors.contains) ?? false
    }
    return has(one, other) && has(other, one)
  }

  /// Lets time pass: the timers that are due run, and what they send arrives.
  mutating func wait(milliseconds: Int) {
    now += .milliseconds(milliseconds)
    for index in graphs.indices { graphs[index].tick(at: now) }
    deliver()
  }

  /// Floods one message; how many packets that took.
  mutating func send(from origin: Int, to destination: Int? = nil) -> Int {
    packets = 0
    received = Array(repeating: 0, count: graphs.count)
    let (header, targets) = sources[origin].originate(to: destination.map(Self.node), over: graphs[origin])
    pass(header, on: origin, to: targets)
    deliver()
    return packets
  }

  private mutating func pass(_ header: FloodHeader, on index: Int, to targets: NodeSet) {
    var rest = targets
    while let place = rest.popFirst() {
      guard let target = graphs[index].node(at: place) else { continue }
      packets += 1
      queue.append((index, Int(target.peer.prefix), .message(header)))
    }
  }

  private mutating func deliver() {
    drain()
    var next = 0
    while next < queue.count {
      let (from, to, packet) = queue[next]
      next += 1
      switch packet {
      case .links(let state):
        announcements += 1
        if areLinked(from, to) { graphs[to].receive(state, from: Self.node(from), at: now) }
      case .message(let header):
        let decision = relays[to].receive(header, from: Self.node(from), over: graphs[to], at: now)
        if decision.deliver { received[to] += 1 }
        pass(header, on: to, to: decision.targets)
      }
      drain()
    }
    queue.removeAll()
  }

  private mutating func drain() {
    for index in graphs.indices {
      while let output = graphs[index].nextOutput() {
        guard case .send(let state, let target) = output else { continue }
        queue.append((index, Int(target.peer.prefix), .links(state)))
      }
    }
  }
}

struct FloodRelayTests {
  @Test func aFullMeshCostsOnePacketAMember() {
    var flood = Flood(count: 12) { _, _ in true }
    let packets1 = flood.send(from: 3)
    #expect(packets1 == 11)
    #expect(flood.received.enumerated().allSatisfy { $0.element == ($0.offset == 3 ? 0 : 1) })
    let packets2 = flood.send(from: 3, to: 7)
    #expect(packets2 == 1)
    #expect(flood.received[7] == 1)
  }

  @Test(arguments: [20, 40, 60])
  func `a newcomer's links cost the members of a large session so many announcements as there are members`(count: Int) {
    let newcomer = count - 1
    var flood = Flood(count: count) { one, other in one != newcomer && other != newcomer }
    flood.announcements = 0
    for member in 0..<newcomer {
      flood.link(member, newcomer)
      flood.wait(milliseconds: 10)
    }
    flood.settle()
    #expect(flood.graphs.allSatisfy { $0.pairs.count == count * (count - 1) / 2 })
    // Each member announces its link to all others once, and these and the newcomer what that one announces meanwhile.
    let each = Double(flood.announcements) / Double(count)
    #expect(each < 3 * Double(count), "\(each)")
  }

  @Test(arguments: Tier.seeds(1...20))
  func `in a large session whose links come and go all end with the graph that is`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let count = 24
    var links = Set<[Int]>()
    var flood = Flood(count: count) { _, _ in false }
    for step in 0..<800 {
      let one = random.below(count)
      let other = (one + 1 + random.below(count - 1)) % count
      let pair = [min(one, other), max(one, other)]
      // Most links are up in the middle, and many go in the end.
      let isWanted = random.chance(percent: step < 650 ? 90 : 50)
      if isWanted, links.insert(pair).inserted { flood.link(one, other) }
      if !isWanted, links.remove(pair) != nil { flood.unlink(one, other) }
      if random.chance(percent: 50) { flood.wait(milliseconds: random.below(40)) }
    }
    #expect(links.count > 12 * count / 2, "large enough that not everybody passes everything on")
    for _ in 0..<3 { flood.settle() }
    for index in 0..<count {
      let seen = Set(
        flood.graphs[index].pairs.map { pair in
          let ends = [Int(pair.0.peer.prefix), Int(pair.1.peer.prefix)]
          return [ends.min() ?? 0, ends.max() ?? 0]
        })
      #expect(seen == links, "\(index): \(links.symmetricDifference(seen))")
    }
  }

  @Test func `a message in a large session with a gap takes a few packets more than it has members`() {
    let count = 40
    var flood = Flood(count: count) { one, other in min(one, other) != 0 || max(one, other) < 30 }
    let packets = flood.send(from: 0)
    #expect(flood.received.enumerated().allSatisfy { $0.element == ($0.offset == 0 ? 0 : 1) })
    // The ten that it does not reach get it from three each.
    #expect(packets == 29 + 3 * 10)
  }

  @Test func aMissingLinkIsBridged() {
    var flood = Flood(count: 6) { one, other in min(one, other) != 0 || max(one, other) != 5 }
    let packets3 = flood.send(from: 0)
    #expect(packets3 == 8)
    #expect(flood.received == [0, 1, 1, 1, 1, 1])
    let packets4 = flood.send(from: 0, to: 5)
    #expect(packets4 == 2)
    #expect(flood.received == [0, 0, 0, 0, 0, 1])
  }

  @Test func aChainIsCrossed() {
    var flood = Flood(count: 6) { one, other in abs(one - other) == 1 }
    #expect(flood.graphs[0].members.count == 5)
    let packets5 = flood.send(from: 0)
    #expect(packets5 == 5)
    #expect(flood.received == [0, 1, 1, 1, 1, 1])
    let packets6 = flood.send(from: 5, to: 0)
    #expect(packets6 == 5)
    #expect(flood.received == [1, 0, 0, 0, 0, 0])
  }

  @Test func aLinkThatIsJustLostIsBridgedBeforeItIsAnnounced() {
    var flood = Flood(count: 5) { _, _ in true }
    flood.unlink(0, 4)
    _ = flood.send(from: 0)
    #expect(flood.received == [0, 1, 1, 1, 1])
    flood.settle()
    let packets7 = flood.send(from: 0)
    #expect(packets7 == 6)
  }

  @Test func whoIsCutOffIsNoMember() {
    var flood = Flood(count: 5) { _, _ in true }
    for other in 0..<4 { flood.unlink(other, 4) }
    flood.settle()
    #expect(flood.graphs[0].members.map { Int($0.node.peer.prefix) }.sorted() == [1, 2, 3])
    #expect(flood.graphs[4].members.isEmpty)
    #expect(flood.graphs[4].nextHop(to: Flood.node(0)) == nil)
  }

  @Test func aMessageIsTakenOnce() {
    let graph = PresenceGraph(me: electionNode(1), configuration: ElectionConfiguration())
    var relay = FloodRelay()
    let nonces: [UInt64] = [5, 5, 3, 0, 4100, 5, 6, 4, 5000, .max, .max, .max - 4095, 5001, 5000, 4100]
    let taken = nonces.enumerated().map { second, nonce in
      let header = FloodHeader(origin: electionNode(2), nonce: nonce, linkVersion: 0, destination: nil)
      return relay.receive(header, from: electionNode(3), over: graph, at: .zero + .seconds(second)).deliver
    }
    #expect(
      taken == [
        true, false, true, false, true, false, true, true, true, true, false, true, true, false, false,
      ])
  }

  @Test func numbersUsedUpByALieAreGivenBackToTheirOwner() {
    let graph = PresenceGraph(me: electionNode(1), configuration: ElectionConfiguration())
    var relay = FloodRelay()
    func takes(_ nonce: UInt64, from sender: UInt64) -> Bool {
      let header = FloodHeader(origin: electionNode(2), nonce: nonce, linkVersion: 0, destination: nil)
      return relay.receive(header, from: electionNode(sender), over: graph, at: .zero).deliver
    }
    #expect(takes(.max, from: 3))
    #expect(!takes(7, from: 3))
    #expect(takes(7, from: 2))
    #expect(!takes(7, from: 2))
    #expect(takes(8, from: 3))
  }

  @Test func aPeerHearsOfAnnouncementsInItsName() {
    var graph = PresenceGraph(me: electionNode(1), configuration: ElectionConfiguration())
    graph.linkUp(electionNode(2), at: .zero)
    while graph.nextOutput() != nil {}
    var forged = LinkState(node: electionNode(1), configuration: ElectionConfiguration())
    forged.version = 50
    graph.receive(forged, from: electionNode(2), at: .zero)
    guard case .send(let corrected, to: electionNode(2))? = graph.nextOutput() else {
      Issue.record("nothing was corrected")
      return
    }
    #expect(corrected.version == 51)
    #expect(corrected.neighbors == [electionNode(2).incarnation])
  }

  @Test func aPeerIsToldOfWhatIsSaidInItsNameWhomeverThatNames() {
    var graph = PresenceGraph(me: electionNode(1), configuration: ElectionConfiguration())
    for node: UInt64 in 2...3 { graph.linkUp(electionNode(node), at: .zero) }
    while graph.nextOutput() != nil {}
    var forged = LinkState(node: electionNode(2), configuration: ElectionConfiguration())
    forged.version = 50
    forged.neighbors = (1...3).map { electionNode($0).incarnation }.sorted()
    graph.receive(forged, from: electionNode(3), at: .zero)
    var told: [NodeID] = []
    while let output = graph.nextOutput() {
      if case .send(forged, let node) = output { told.append(node) }
    }
    #expect(told == [electionNode(2)])
  }

  @Test func versionsThatLeapAreIgnored() {
    var graph = PresenceGraph(me: electionNode(1), configuration: ElectionConfiguration())
    graph.linkUp(electionNode(2), at: .zero)
    while graph.nextOutput() != nil {}
    for version in [UInt32.max, 1 << 31, 1 << 20] {
      var forged = LinkState(node: electionNode(1), configuration: ElectionConfiguration())
      forged.version = version
      graph.receive(forged, from: electionNode(2), at: .zero)
      #expect(graph.nextOutput() == nil)
    }
  }

  @Test func aNewcomerTakesTheNumbersOfThoseWhoWereThereForLong() {
    var graph = PresenceGraph(me: electionNode(1), configuration: ElectionConfiguration())
    graph.linkUp(electionNode(2), at: .zero)
    for node in [electionNode(2), electionNode(3)] {
      let other = electionNode(node == electionNode(2) ? 3 : 2)
      var state = LinkState(node: node, configuration: ElectionConfiguration(priority: 9))
      state.version = 200_000
      state.neighbors = [electionNode(1).incarnation, other.incarnation].sorted()
      graph.receive(state, from: electionNode(2), at: .zero)
    }
    #expect(graph.members.map(\.rank.priority) == [9, 9])
  }

  /// A node whose every announcement somebody else outbids to the last number begins again, and is believed on its link.
  @Test func aNodeWhoseNumbersAreUsedUpBeginsAgain() throws {
    var (victim, other) = (
      PresenceGraph(me: electionNode(1), configuration: ElectionConfiguration()),
      PresenceGraph(me: electionNode(2), configuration: ElectionConfiguration(priority: 9))
    )
    victim.linkUp(electionNode(2), at: .zero)
    other.linkUp(electionNode(1), at: .zero)
    var forged = LinkState(node: electionNode(1), configuration: ElectionConfiguration(priority: 3))
    var corrected: LinkState?
    repeat {
      if let corrected { other.receive(corrected, from: electionNode(1), at: .zero) }
      forged.version = min((corrected?.version ?? 1) + 1 << 16, 1 << 31)
      victim.receive(forged, from: electionNode(2), at: .zero)
      other.receive(forged, from: electionNode(3), at: .zero)
      while let output = victim.nextOutput() {
        if case .send(let state, _) = output { corrected = state }
      }
    } while forged.version < 1 << 31
    let last = try #require(corrected)
    #expect(last.version <= 1 << 31 && last.neighbors == [electionNode(2).incarnation])
    other.receive(last, from: electionNode(1), at: .zero)
    #expect(other.members.first?.rank.priority == 128)
  }

  @Test func nobodyTakesThePlaceOfThisNodeByItsIncarnation() {
    var graph = PresenceGraph(me: electionNode(1), configuration: ElectionConfiguration())
    let double = NodeID(peer: electionNode(2).peer, incarnation: electionNode(1).incarnation)
    var state = LinkState(node: double, configuration: ElectionConfiguration())
    state.version = 7
    graph.linkUp(electionNode(3), at: .zero)
    graph.receive(state, from: electionNode(3), at: .zero)
    graph.linkUp(double, at: .zero)
    #expect(graph.node(at: 0) == electionNode(1) && !graph.neighbors.contains(0))
  }

  @Test func olderAnnouncementsAreDropped() {
    var graph = PresenceGraph(me: electionNode(1), configuration: ElectionConfiguration())
    graph.linkUp(electionNode(2), at: at(0))
    var state = LinkState(node: electionNode(2), configuration: ElectionConfiguration(priority: 9))
    state.version = 5
    graph.receive(state, from: electionNode(2), at: .zero)
    #expect(graph.members.first?.rank.priority == 9)
    state.version = 4
    state.priority = 1
    graph.receive(state, from: electionNode(2), at: .zero)
    #expect(graph.members.first?.rank.priority == 9)
  }

  @Test func moreNodesThanPlacesAreBounded() {
    var graph = PresenceGraph(me: electionNode(1), configuration: ElectionConfiguration())
    for number in UInt64(10)..<1000 {
      var state = LinkState(node: electionNode(number), configuration: ElectionConfiguration())
      state.version = 1
      state.neighbors = [number << 20]
      graph.receive(state, from: electionNode(2), at: .zero)
    }
    #expect(graph.members.isEmpty)
    graph.linkUp(electionNode(2), at: at(0))
    #expect(graph.members.count == 1)
  }
}
