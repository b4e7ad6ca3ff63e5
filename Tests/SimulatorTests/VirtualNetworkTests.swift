import Basics
import PeerProtocol
import Simulator
import Testing

/// A toy node that counts what happens to it.
private struct Echo: SimulatedNode {
  var deadline: Instant?
  var ticks: [Instant] = []
  var heard: [Int] = []
  var jumps: [Duration] = []
  var connection: ConnectionID?
  var outputs: [SimulatedOutput<Int>] = []

  static func byteCount(of packet: Int) -> Int { 1000 }
  mutating func opened(_ connection: ConnectionID, peer: Int, isDialler: Bool, at now: Instant) {
    self.connection = connection
  }
  mutating func closed(_ connection: ConnectionID, at now: Instant) { self.connection = nil }
  mutating func refused(peer: Int, at now: Instant) { heard.append(-1) }
  mutating func received(_ packet: Int, on connection: ConnectionID, at now: Instant) { heard.append(packet) }
  mutating func clockJumped(by gap: Duration, at now: Instant) { jumps.append(gap) }
  mutating func nextOutput() -> SimulatedOutput<Int>? { outputs.isEmpty ? nil : outputs.removeFirst() }
  mutating func tick(at now: Instant) {
    ticks.append(now)
    deadline = nil
  }
  mutating func send(_ packets: ClosedRange<Int>) {
    guard let connection else { return }
    outputs += packets.map { .transmit($0, on: connection) }
  }
}

private struct Idle: SimulationMonitor {
  mutating func started(_ index: Int, node: borrowing Echo, at now: Instant) {}
  mutating func stepped(_ index: Int, node: borrowing Echo, local: Instant, at now: Instant) {}
  mutating func resumed(_ index: Int, node: borrowing Echo, slept: Int64, local: Instant, at now: Instant) {}
}

/// The scheduler and the network by themselves, under a node that is no election.
struct VirtualNetworkTests {
  private static let second: Int64 = 1_000_000_000

  /// Two connected nodes.
  private static func pair(_ profile: NetworkProfile = NetworkProfile()) -> Simulation<Echo, Idle> {
    var simulation = Simulation<Echo, Idle>(
      count: 2, profile: profile, random: SeededRandom(seed: 1), monitor: Idle())
    for index in 0..<2 { simulation.start(index) { _ in Echo() } }
    simulation.perform(0) { node, _ in node.outputs = [.dial(peer: 1)] }
    simulation.run(for: second)
    return simulation
  }

  @Test func aDeadlineIsMetOnTheNodesOwnClock() throws {
    var simulation = Simulation<Echo, Idle>(
      count: 1, profile: NetworkProfile(), random: SeededRandom(seed: 1), monitor: Idle())
    simulation.setClock(0, skew: 5 * Self.second, drift: 100)
    simulation.start(0) { Echo(deadline: $0.advanced(byNanoseconds: 10 * Self.second)) }
    simulation.run(for: 11 * Self.second)
    let tick = try #require(simulation.node(0)?.ticks.first)
    #expect(tick.nanoseconds >= 15 * Self.second)
    #expect(tick.nanoseconds < 15 * Self.second + 10_000)
    #expect(simulation.node(0)?.ticks.count == 1)
  }

  @Test func packetsOfAConnectionStayInOrder() {
    var simulation = Self.pair()
    simulation.perform(0) { node, _ in node.send(1...200) }
    simulation.run(for: Self.second)
    #expect(simulation.node(1)?.heard == Array(1...200))
  }

  @Test func aLimitedRateTakesItsTime() {
    var profile = NetworkProfile()
    profile.rate = 100_000
    var simulation = Self.pair(profile)
    simulation.perform(0) { node, _ in node.send(1...100) }
    simulation.run(for: Self.second / 2)
    #expect((45...50).contains(simulation.node(1)?.heard.count ?? 0))
  }

  @Test func aShortCutDelaysAndLosesNothing() {
    var simulation = Self.pair()
    simulation.setPath(from: 0, to: 1, isBroken: true)
    simulation.perform(0) { node, _ in node.send(1...3) }
    simulation.run(for: Self.second / 2)
    #expect(simulation.node(1)?.heard == [])
    simulation.setPath(from: 0, to: 1, isBroken: false)
    simulation.run(for: Self.second)
    #expect(simulation.node(1)?.heard == [1, 2, 3])
  }

  @Test func aLongCutLosesTheConnection() {
    var simulation = Self.pair()
    simulation.setPaths(0, 1, areBroken: true)
    simulation.run(for: 3 * Self.second)
    #expect(simulation.node(0)?.connection == nil)
    #expect(simulation.node(1)?.connection == nil)
    simulation.perform(0) { node, _ in node.outputs = [.dial(peer: 1)] }
    simulation.run(for: Self.second)
    #expect(simulation.node(0)?.heard == [-1])
  }

  @Test func aStoppedNodeHearsEverythingLater() {
    var simulation = Self.pair()
    simulation.stop(1, asleep: false)
    simulation.perform(0) { node, _ in node.send(1...3) }
    simulation.run(for: Self.second)
    #expect(simulation.node(1)?.heard == [])
    simulation.resume(1)
    #expect(simulation.node(1)?.heard == [1, 2, 3])
    #expect(simulation.node(1)?.jumps == [])
  }

  @Test func aSleepingMachineLosesTimeAndIsTold() {
    var simulation = Self.pair()
    let before = simulation.localTime(1)
    simulation.stop(1, asleep: true)
    simulation.run(for: Self.second)
    simulation.resume(1)
    #expect(simulation.localTime(1) == before)
    #expect(simulation.node(1)?.jumps == [.seconds(1)])
  }

  @Test func aCrashClosesLoudlyOrLater() {
    var simulation = Self.pair()
    simulation.crash(1, silently: false)
    simulation.run(for: 1)
    #expect(simulation.node(0)?.connection == nil)

    simulation = Self.pair()
    simulation.crash(1, silently: true)
    simulation.run(for: Self.second / 2)
    #expect(simulation.node(0)?.connection != nil)
    simulation.run(for: 3 * Self.second)
    #expect(simulation.node(0)?.connection == nil)
  }

  @Test func componentsFollowThePaths() {
    var simulation = Simulation<Echo, Idle>(
      count: 5, profile: NetworkProfile(), random: SeededRandom(seed: 1), monitor: Idle())
    for index in 0..<5 { simulation.start(index) { _ in Echo() } }
    simulation.split([0, 0, 1, 1, 1])
    #expect(simulation.components() == [[0, 1], [2, 3, 4]])
    simulation.setPaths(1, 2, areBroken: false)
    simulation.crash(4, silently: true)
    #expect(simulation.components() == [[0, 1, 2, 3]])
  }
}
