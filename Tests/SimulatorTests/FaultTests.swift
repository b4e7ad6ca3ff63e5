import AnchorReplication
import Basics
import PeerProtocol
import Simulator
import Testing
import WorldModel

/// The faults 16 to 21 of Documentation/faults.md and what must come of them, in whole sessions; each test has the number.
@Suite("Faults of a session")
struct FaultTests {
  private static let second: Int64 = 1_000_000_000

  /// A session at rest of the first `count` of `machines` nodes.
  private static func session(_ count: Int, of machines: Int? = nil, rate: Int64? = nil, seed: UInt64 = 1)
    -> SessionWorld
  {
    var profile = NetworkProfile()
    profile.rate = rate
    var world = SessionWorld(
      seed: seed, count: machines ?? count, profile: profile, transcript: Transcript(isOn: true))
    for index in 0..<count {
      world.apply(.start(index))
      world.simulation.run(for: second / 20)
    }
    #expect(world.runUntilAgreed(within: 20 * second) != nil, "\(world.disagreement() ?? "")")
    world.simulation.run(for: 5 * second)
    return world
  }

  private static func place(_ name: String, in world: inout SessionWorld, at index: Int) -> AnchorID {
    let anchor = Anchor(name: name)
    world.edit(index) { _, _ in .place(anchor) }
    return anchor.id
  }

  /// The seconds until the nodes follow a host other than `former`.
  private static func failover(_ world: inout SessionWorld, _ nodes: [Int], from former: Int) -> Double {
    let start = world.simulation.now
    while world.commonHost(of: nodes) == nil || world.commonHost(of: nodes) == former {
      world.simulation.run(for: second / 20)
      if world.simulation.now.nanoseconds(since: start) > 20 * second { break }
    }
    return Double(world.simulation.now.nanoseconds(since: start)) / 1e9
  }

  /// Everything agrees and means what was written.
  private static func expectAgreement(_ world: inout SessionWorld, within limit: Int64 = 30) {
    #expect(world.runUntilAgreed(within: limit * second) != nil, "\(world.disagreement() ?? "")")
    for index in 0..<world.count { world.checkMeaning(index) }
    #expect(world.violation == nil)
  }

  private static let map: MapPackage = {
    var (random, map) = (SeededRandom(seed: 16), ByteWriter(capacity: 6 * ProtocolLimits.chunk))
    while map.count < 6 * ProtocolLimits.chunk { map.write(random.next()) }
    return MapPackage(map: map.bytes)
  }()

  @Test("fault 16: the host dies while ten joiners fetch the map: a new host, and no verified chunk is fetched again")
  func hostDiesDuringSnapshot() throws {
    var world = Self.session(2, of: 12, rate: 2_000_000)
    let host = try #require(world.commonHost())
    world.share(Self.map, from: host)
    let (map, joiners) = (try #require(world.node(host)?.currentMap), Array(2..<12))
    #expect(world.runUntilAgreed(within: 20 * Self.second) != nil)
    for index in joiners { world.apply(.start(index)) }
    let received: (SessionWorld, Int) -> Int = { world, index in world.node(index)?.traffic(of: map)?.receivedBytes ?? 0
    }
    for _ in 0..<200 where joiners.contains(where: { received(world, $0) < 2 * ProtocolLimits.chunk }) {
      world.simulation.run(for: Self.second / 20)
    }
    #expect(joiners.contains { world.node($0)?.currentMap == nil }, "all were done before the fault")
    world.apply(.crash(host, silently: false))
    #expect(Self.failover(&world, [1 - host] + joiners, from: host) <= 3.5)
    Self.expectAgreement(&world, within: 60)
    for index in joiners {
      #expect(world.node(index)?.currentMap == map)
      #expect(world.simulation.node(index)?.fetchedAgain == 0)
    }
  }

  @Test("fault 17: of two peers one dies: the other hosts within 3.5 s and takes a newcomer in")
  func lastSurvivorHosts() throws {
    var world = Self.session(2, of: 3)
    let host = try #require(world.commonHost())
    world.apply(.crash(host, silently: true))
    #expect(Self.failover(&world, [1 - host], from: host) <= 3.5)
    #expect(world.commonHost() == 1 - host)
    world.apply(.start(2))
    Self.expectAgreement(&world)
    #expect(world.commonHost() == 1 - host)
  }

  @Test("fault 18: a session of eight splits in two and six, both edit, and heals: the larger side's host stays")
  func splitAndHeal() throws {
    var world = Self.session(8)
    let sides = [0, 0, 1, 1, 1, 1, 1, 1]
    let shared = Self.place("shared", in: &world, at: 0)
    world.simulation.run(for: Self.second)
    world.apply(.split(sides))
    world.simulation.run(for: 15 * Self.second)
    for index in 0..<8 { _ = Self.place("by \(index)", in: &world, at: index) }
    world.edit(0) { _, _ in .rename(shared, to: "small") }
    world.edit(5) { _, _ in .remove(shared) }
    let larger = try #require(world.commonHost(of: Array(2..<8)))
    #expect(world.commonHost(of: [0, 1]) != larger)
    world.apply(.heal)
    Self.expectAgreement(&world)
    #expect(world.commonHost() == larger)
    #expect(world.node(0)?.anchors.count == 8)
  }

  @Test("fault 19: the host stands still for 10 s: one host in the end, and nothing of either side is lost")
  func hostStandsStill() throws {
    var world = Self.session(4)
    let host = try #require(world.commonHost())
    let others = (0..<4).filter { $0 != host }
    _ = Self.place("just before", in: &world, at: host)
    world.apply(.stop(host, asleep: false))
    #expect(Self.failover(&world, others, from: host) <= 3.5)
    for index in others { _ = Self.place("meanwhile", in: &world, at: index) }
    world.simulation.run(for: 7 * Self.second)
    world.apply(.resume(host))
    _ = Self.place("right after", in: &world, at: host)
    Self.expectAgreement(&world)
    #expect(world.node(host)?.anchors.count == 5)
  }

  @Test("fault 20: a machine sleeps for an hour: it accuses nobody, and a snapshot brings it what it missed")
  func longSleep() throws {
    var world = Self.session(3)
    let host = try #require(world.commonHost())
    let sleeper = (host + 1) % 3
    let removed = Self.place("removed meanwhile", in: &world, at: host)
    world.simulation.run(for: Self.second)
    world.apply(.stop(sleeper, asleep: true))
    // What is sent at once still arrives in its buffers.
    world.simulation.run(for: 10 * Self.second)
    world.edit(host) { _, _ in .remove(removed) }
    for index in 0..<3 where index != sleeper { _ = Self.place("meanwhile", in: &world, at: index) }
    world.simulation.run(for: 3600 * Self.second)
    let lines = world.simulation.monitor.transcript.lines.count
    world.apply(.resume(sleeper))
    _ = Self.place("right after", in: &world, at: sleeper)
    Self.expectAgreement(&world)
    let news = world.simulation.monitor.transcript.lines[lines...].joined(separator: "\n")
    #expect(!news.contains(" \(sleeper + 1) loses "), "\(news)")
    #expect(!news.contains(" \(sleeper + 1) host \(host + 1) -> none epoch 1 expired"), "\(news)")
    // Its app was told of no separation, so none of the changes is told as a merge.
    #expect(!news.contains(" \(sleeper + 1) takes "), "\(news)")
    #expect(world.commonHost() == host)
    #expect(world.node(sleeper)?.anchors.count == 3)
  }

  @Test("fault 21: an anchor is removed while another peer drags it: it is gone everywhere, and the dragger is told")
  func removedWhileDragged() {
    var world = Self.session(4)
    let lamp = Self.place("lamp", in: &world, at: 0)
    world.simulation.run(for: Self.second)
    for step in 0..<20 {
      if step == 10 {
        world.edit(2) { _, _ in .remove(lamp) }
      }
      world.edit(1) { _, _ in .move(lamp, to: Transform(translation: [Float(step), 0, 0])) }
      world.simulation.run(for: 100_000)
    }
    Self.expectAgreement(&world)
    for index in 0..<4 { #expect(world.node(index)?.anchors.count == 0) }
    #expect(world.simulation.monitor.transcript.text.contains(" 2 loses an edit to a removal"))
  }
}
