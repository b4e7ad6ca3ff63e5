import AnchorReplication
import PeerProtocol
import Simulator
import Testing
import WorldModel

@Suite("A process that stands still")
struct StandstillTests {
  /// Places an anchor on a node.
  private func place(_ name: String, on index: Int, of harness: inout SessionHarness) {
    harness.simulation.perform(index) { peer, now in
      peer.perform(at: now) { node, now in
        node.handle(.edit(.place(Anchor(name: name))), at: now)
      }
    }
  }

  private func names(_ index: Int, of harness: SessionHarness) -> [String] {
    var node = harness.node(index)
    return node.allAnchors.map(\.name).sorted()
  }

  /// What was told of members since the transcript had `count` lines, one line an event.
  private func accusations(of index: Int, after count: Int, in harness: SessionHarness) -> [String] {
    let lines: [String] = harness.simulation.monitor.transcript.lines
    return lines.suffix(from: count).filter { $0.contains(" \(index + 1) loses ") }
  }

  @Test("after a stop, a sleep or a debugger's pause of ten seconds it accuses nobody", arguments: [true, false])
  func standstillAccusesNobody(isAsleep: Bool) {
    var harness = SessionHarness.joined(4)
    let count = harness.simulation.monitor.transcript.lines.count
    harness.apply(.stop(1, asleep: isAsleep))
    harness.run(10)
    harness.apply(.resume(1))
    harness.run(10)
    #expect(accusations(of: 1, after: count, in: harness).isEmpty)
    #expect(harness.isMesh([0, 1, 2, 3]))
    #expect(Set((0..<4).map { harness.node($0).host }).count == 1)
  }

  @Test("no operation of either side is lost through a standstill of ten seconds", arguments: [true, false])
  func standstillLosesNothing(isAsleep: Bool) {
    var harness = SessionHarness.joined(3)
    place("before", on: 1, of: &harness)
    harness.apply(.stop(1, asleep: isAsleep))
    place("meanwhile", on: 0, of: &harness)
    harness.run(10)
    harness.apply(.resume(1))
    place("after", on: 1, of: &harness)
    harness.run(10)
    for index in 0..<3 { #expect(names(index, of: harness) == ["after", "before", "meanwhile"]) }
  }

  @Test("the others report a member that stands still, and take it back without an invitation")
  func othersTakeItBack() {
    var harness = SessionHarness.joined(3)
    harness.apply(.stop(1, asleep: false))
    harness.run(6)
    #expect(harness.statuses(0).contains { if case .reconnecting = $0 { true } else { false } })
    harness.run(20)
    #expect(harness.statuses(0).contains(.lost))
    harness.apply(.resume(1))
    let time = harness.seconds(until: 8) { $0.isMesh([0, 1, 2]) }
    #expect(time != nil)
    #expect(harness.statuses(0) == [.connected, .connected])
  }

  @Test("a jump of the clock that nobody else saw changes nothing")
  func clockJumpChangesNothing() {
    var harness = SessionHarness.joined(3)
    let count = harness.simulation.monitor.transcript.lines.count
    harness.handle(.clockJumped(by: .seconds(3600)), on: 2)
    harness.run(10)
    #expect((0..<3).allSatisfy { accusations(of: $0, after: count, in: harness).isEmpty })
    #expect(harness.isMesh([0, 1, 2]))
  }

  @Test("a killed process whose socket closed and whose port refuses is lost in under three seconds")
  func refusalIsImmediateSuspicion() {
    var harness = SessionHarness.joined(3)
    harness.apply(.crash(1, silently: false))
    harness.run(3)
    #expect(harness.statuses(0).contains(.lost))
    #expect(harness.statuses(2).contains(.lost))
  }

  @Test("a process that starts again under its identity takes the place of its old start at once")
  func restartReplacesTheOldStart() {
    var harness = SessionHarness.joined(3)
    let old = harness.node(1).me
    harness.apply(.crash(1, silently: true))
    harness.apply(.start(1))
    let time = harness.seconds(until: 3) { $0.isMesh([0, 1, 2]) }
    #expect(time != nil)
    #expect(harness.node(1).me != old)
    #expect(harness.node(0).roster[old.peer]?.node == harness.node(1).me)
    #expect(harness.statuses(0) == [.connected, .connected])
  }
}
