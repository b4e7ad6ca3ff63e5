import AnchorReplication
import Basics
import PeerProtocol
import Simulator
import TestSupport
import Testing
import WorldModel

/// Whole nodes on a network without faults but those that a test makes.
private struct Members {
  var simulation: Simulation<SessionPeer, SessionMonitor>
  private var random: SeededRandom

  /// Machines for `count` nodes, of which the first `started` run and are linked in pairs.
  init(_ count: Int, started: Int, seed: UInt64) {
    random = SeededRandom(seed: seed)
    var profile = NetworkProfile()
    profile.latency = 1_000_000
    profile.jitter = 500_000
    simulation = Simulation(
      count: count, profile: profile, random: random.split(),
      monitor: SessionMonitor(count: count, transcript: Transcript(isOn: false)))
    for index in 0..<started { start(index) }
    wait(60) { members in
      (0..<started).allSatisfy { members.linked($0) == started - 1 && members.hosts($0) }
    }
  }

  mutating func start(_ index: Int) {
    let (seed, count) = (random.next(), simulation.count)
    simulation.start(index) { SessionPeer(index: index, count: count, seed: seed, at: $0) }
  }

  mutating func apply(_ fault: Fault) {
    simulation.apply(fault) { index, now in SessionPeer(index: index, count: 2, seed: 1, at: now) }
  }

  /// Runs in steps of a millisecond, at most so many seconds.
  mutating func wait(_ seconds: Int, until condition: (Members) -> Bool) {
    let end = simulation.now.advanced(byNanoseconds: Int64(seconds) * 1_000_000_000)
    while simulation.now < end, !condition(self) { simulation.run(for: 1_000_000) }
  }

  func node(_ index: Int) -> Node? { simulation.node(index)?.node }

  /// Whether a node has a host, and the same as the first one.
  func hosts(_ index: Int) -> Bool { node(index)?.host != nil && node(index)?.host == node(0)?.host }

  func linked(_ index: Int) -> Int { node(index)?.memberSummaries.count { $0.isDirect } ?? 0 }

  func status(_ index: Int) -> MapStatus.Stage { node(index)?.mapStatus.stage ?? .none }

  /// The first node shares a map of chunks that differ and that nothing makes smaller.
  mutating func share(chunks: Int) -> (id: MapID?, size: Int) {
    var dice = random.split()
    let noise = (0..<ProtocolLimits.chunk - 1).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
    let map = (0..<chunks).flatMap { [UInt8($0)] + noise }
    let package = MapPackage(map: map)
    simulation.monitor.shared(package)
    simulation.perform(0) { peer, now in
      peer.perform(at: now) { node, now in node.handle(.share(package, anchors: [], with: nil), at: now) }
    }
    return (node(0)?.currentMap, map.count)
  }

  mutating func place(on index: Int) {
    let anchor = Anchor(id: AnchorID(using: &random), name: "a")
    simulation.perform(index) { peer, now in
      peer.perform(at: now) { node, now in
        node.handle(.edit(.place(anchor)), at: now)
      }
    }
  }

  func digest(_ index: Int) -> SHA256Digest? {
    var node = node(index)
    return node?.digest
  }
}

@Suite("Maps on their way")
struct TransferTests {
  private static let inFlight = ProtocolLimits.outstandingChunks * ProtocolLimits.chunk

  @Test("a broken connection costs no verified chunk: only what was on its way is asked for again")
  func resumes() throws {
    var members = Members(2, started: 2, seed: 1)
    let (id, size) = members.share(chunks: 60)
    members.wait(60) { if case .transferring(let percent) = $0.status(1) { percent >= 40 } else { false } }
    members.apply(.reset(0, 1))
    members.wait(60) { $0.status(1) == .received }
    #expect(members.node(1)?.currentMap == id)
    let traffic = try #require(id.flatMap { members.node(1)?.traffic(of: $0) })
    #expect(traffic.requestedBytes > size && traffic.receivedBytes <= size + Self.inFlight)
  }

  @Test("Fault 16: the provider is killed while ten joiners fetch: they finish from each other, nothing verified twice")
  func survivesProvider() throws {
    var members = Members(11, started: 11, seed: 2)
    let (id, size) = members.share(chunks: 40)
    let map = try #require(id)
    // Every chunk has left the provider, and hardly anybody has them all.
    members.wait(60) { members in
      let have = (1...10).compactMap { members.node($0)?.verifiedChunks(of: map) }
      return (0..<40).allSatisfy { chunk in have.contains { $0.contains(chunk) } }
    }
    #expect((1...10).count { members.status($0) != .received } >= 5)
    members.apply(.crash(0, silently: false))
    members.wait(120) { members in (1...10).allSatisfy { members.status($0) == .received } }
    for index in 1...10 {
      #expect(members.node(index)?.currentMap == map)
      let received = members.node(index)?.traffic(of: map)?.receivedBytes ?? 0
      #expect(received >= size && received <= size + Self.inFlight)
    }
    members.wait(10) { $0.node(1)?.host != nil }
    #expect(members.node(1)?.host != members.node(0)?.me)
  }

  @Test("several members serve a joiner different chunks at once")
  func pullsFromSeveral() throws {
    var members = Members(5, started: 4, seed: 3)
    let (id, size) = members.share(chunks: 60)
    members.wait(60) { members in (1...3).allSatisfy { members.status($0) == .received } }
    let before = (0..<4).map { members.sent($0) }
    members.start(4)
    members.wait(60) { $0.status(4) == .received }
    let map = try #require(id)
    let received = members.node(4)?.traffic(of: map)?.receivedBytes ?? 0
    // Links that were made from both sides at once are one in the end; what was on the other is sent again.
    #expect(received >= size && received <= size + 3 * Self.inFlight)
    let served = (0..<4).count { members.sent($0) - before[$0] >= UInt64(5 * ProtocolLimits.chunk) }
    #expect(served >= 2)
  }

  @Test(
    "ten who join at once during a burst of edits are synchronised with the map and what all others had",
    arguments: Tier.some([4, 5]))
  func joinersMissNothing(seed: UInt64) throws {
    var members = Members(12, started: 2, seed: seed)
    let (id, _) = members.share(chunks: 12)
    for index in 2..<12 { members.start(index) }
    var before: [Int: VersionVector] = [:]
    for round in 0..<3000 {
      if round < 1500, round % 10 == 0 { members.place(on: round / 10 % 2) }
      members.simulation.run(for: 1_000_000)
      for index in 2..<12 where before[index] == nil && members.linked(index) > 0 {
        // What a member has when the joiner first hears of it must be there when it says that it has caught up.
        before[index] = members.node(0)?.anchors.vector
      }
    }
    members.wait(60) { members in (2..<12).allSatisfy { members.node($0)?.isSynchronized == true } }
    for index in 2..<12 {
      let node = try #require(members.node(index))
      #expect(node.isSynchronized && node.currentMap == id)
      #expect(before[index].map(node.anchors.vector.covers) == true)
      #expect(members.digest(index) == members.digest(0))
    }
    #expect(members.simulation.monitor.violation == nil)
  }

  @Test("a joiner is synchronised although the host is killed while it fetches, and agrees with the others")
  func joinsThroughFailover() throws {
    var members = Members(4, started: 3, seed: 6)
    let (id, _) = members.share(chunks: 30)
    members.wait(60) { members in (1...2).allSatisfy { members.status($0) == .received } }
    members.start(3)
    members.wait(60) { if case .transferring(let percent) = $0.status(3) { percent >= 30 } else { false } }
    members.place(on: 1)
    let host = try #require((0..<3).first { members.node($0)?.me == members.node(0)?.host })
    members.apply(.crash(host, silently: true))
    members.place(on: host == 1 ? 2 : 1)
    members.wait(60) { $0.node(3)?.isSynchronized == true && $0.node(3)?.host != nil }
    let other = host == 1 ? 2 : 1
    #expect(members.node(3)?.currentMap == id)
    members.wait(10) { $0.digest(3) == $0.digest(other) }
    #expect(members.digest(3) == members.digest(other))
  }

  @Test("maps travel on a connection of their own, which is closed when nothing moves for ten seconds")
  func usesBulkLink() throws {
    var members = Members(2, started: 2, seed: 7)
    _ = members.share(chunks: 60)
    members.wait(60) { $0.status(1) == .received }
    #expect(members.node(0)?.bulkLinkCount == 1 && members.node(1)?.bulkLinkCount == 1)
    members.simulation.run(for: 9_000_000_000)
    #expect(members.node(1)?.bulkLinkCount == 1)
    members.simulation.run(for: 2_000_000_000)
    #expect(members.node(0)?.bulkLinkCount == 0 && members.node(1)?.bulkLinkCount == 0)
    #expect(members.linked(0) == 1)
  }

  @Test("everybody sees how far everybody has come, and who has found its place")
  func showsStatus() throws {
    var members = Members(3, started: 3, seed: 8)
    let (id, _) = members.share(chunks: 30)
    members.wait(60) { members in
      let seen = members.node(2)?.mapStatus(of: SessionPeer.identity(of: 1)).stage
      guard case .transferring(let percent) = seen else { return false }
      return percent > 0
    }
    members.wait(60) { members in (1...2).allSatisfy { members.status($0) == .received } }
    members.simulation.perform(1) { peer, now in
      peer.perform(at: now) { node, now in node.handle(.relocalized(.measured), at: now) }
    }
    members.simulation.run(for: 100_000_000)
    for index in [0, 2] {
      #expect(
        members.node(index)?.mapStatus(of: SessionPeer.identity(of: 1)) == MapStatus(map: id, stage: .relocalized))
    }
  }

  @Test("after a split in which both sides shared a map, all have the same one")
  func agreesAfterMerge() throws {
    var members = Members(4, started: 4, seed: 9)
    members.apply(.split([0, 0, 1, 1]))
    members.simulation.run(for: 15_000_000_000)
    _ = members.share(chunks: 3)
    let other = MapPackage(map: [UInt8](repeating: 3, count: 1000))
    members.simulation.monitor.shared(other)
    members.simulation.perform(3) { peer, now in
      peer.perform(at: now) { node, now in node.handle(.share(other, anchors: [], with: nil), at: now) }
    }
    members.simulation.run(for: 2_000_000_000)
    #expect(members.node(0)?.currentMap != members.node(3)?.currentMap)
    members.apply(.heal)
    members.wait(60) { members in
      (0..<4).allSatisfy { members.linked($0) == 3 && members.node($0)?.currentMap == members.node(0)?.currentMap }
    }
    for index in 1..<4 { #expect(members.node(index)?.currentMap == members.node(0)?.currentMap) }
  }
}

extension Members {
  /// Bytes a node has sent to all others.
  fileprivate func sent(_ index: Int) -> UInt64 {
    node(index)?.memberSummaries.reduce(0) { $0 + $1.bytesSent } ?? 0
  }
}
