import AnchorReplication
import Basics
import Simulator
import Testing
import WorldModel

@testable import PeerProtocol

@Suite("Drags and live poses")
struct EphemeralTests {
  @Test("a drag is seen by all at once, is no operation, and stays where it ends")
  func drag() throws {
    var session = try TestSession(3)
    let lamp = try session.place(0)
    let before = try session.node(0).anchors.vector
    session.forgetEvents()
    let id = try session.beginDrag(0, of: lamp)
    try session.drag(0, id, along: 1...6)
    for other in 1...2 {
      #expect(session.updates(other).compactMap { $0.pose?.transform.translation.x } == [1, 2, 3, 4, 5, 6])
      #expect(session.updates(other).map(\.sequence) == [1, 2, 3, 4, 5, 6])
      #expect(try session.node(other).anchors[lamp]?.transform == .identity)
    }
    #expect(try session.node(0).anchors.vector == before)
    try session.perform(0) { try $0.endDrag(id, at: $1) }
    session.run(.milliseconds(200))
    for other in 1...2 {
      #expect(try session.node(other).anchors[lamp]?.transform == .at(6))
      #expect(session.updates(other).last?.pose == nil)
      #expect(try session.node(other).livePoses.isEmpty)
    }
  }

  @Test("a long drag is made durable every second")
  func durableEverySecond() throws {
    var session = try TestSession(2)
    let lamp = try session.place(0)
    var drag: DragID?
    try session.perform(0) { drag = try $0.beginDrag(lamp, at: $1) }
    let id = try #require(drag)
    for step in 1...35 {
      try session.perform(0) { try $0.drag(id, to: .at(Float(step)), at: $1) }
      session.run(.milliseconds(100))
    }
    let actor = try session.node(0).anchors.actor
    // The addition and three poses.
    #expect(try session.node(1).anchors.appliedCount(of: actor) == 4)
  }

  @Test("through a row of peers an update comes to everybody once")
  func relayedOnce() throws {
    var session = try TestSession.row(4)
    session.forgetEvents()
    for step in 1...5 {
      try session.perform(0) { try $0.updatePose(.at(Float(step)), at: $1) }
      session.run(.milliseconds(100))
    }
    for other in 1...3 {
      #expect(session.updates(other).map(\.sequence) == [1, 2, 3, 4, 5], "node \(other + 1)")
    }
    #expect(session.updates(0).isEmpty)
  }

  @Test("a device that stands still is shown to a late joiner, and is gone when its peer leaves")
  func participants() throws {
    var session = try TestSession(3)
    try session.perform(0) { try $0.updatePose(.at(7), at: $1) }
    session.run(.seconds(5))
    let me = try session.node(0).me
    #expect(try session.node(1).livePoses.map(\.origin) == [me])
    session.apply(.crash(2, silently: false))
    session.run(.seconds(1))
    session.apply(.start(2))
    session.run(.seconds(10))
    #expect(try session.node(2).livePoses.map(\.pose?.transform) == [.at(7)])
    session.forgetEvents()
    try session.perform(0) { node, now in node.handle(.leave, at: now) }
    session.run(.seconds(1))
    for other in 1...2 {
      #expect(try session.node(other).livePoses.isEmpty)
      #expect(session.updates(other).map(\.pose) == [nil])
    }
  }

  @Test("poses come at most every 8 ms, and the last of them always leaves")
  func paced() throws {
    var session = try TestSession(2)
    session.forgetEvents()
    for step in 1...20 {
      try session.perform(0) { try $0.updatePose(.at(Float(step)), at: $1) }
      session.run(.milliseconds(1))
    }
    session.run(.milliseconds(100))
    let seen = session.updates(1)
    #expect((3...4).contains(seen.count))
    #expect(seen.last?.pose?.transform == .at(20))
  }

  @Test("who wants poses of one region gets no others, and is told when a device leaves it", arguments: [false, true])
  func interest(_ isRow: Bool) throws {
    var session = isRow ? try TestSession.row(3) : try TestSession(3)
    let near = AnchorFilter(region: .init(center: .zero, radius: 5))
    // In a row the node in the middle passes everything on, whatever its own app wants.
    try session.perform(1) { node, now in node.handle(.setInterest(near), at: now) }
    session.run(.seconds(1))
    session.forgetEvents()
    for x: Float in [1, 9, 10, 2, 11] {
      try session.perform(0) { try $0.updatePose(.at(x), at: $1) }
      session.run(.milliseconds(100))
    }
    #expect(session.updates(1).map(\.pose?.transform) == [.at(1), nil, .at(2), nil])
    #expect(session.updates(2).map(\.pose?.transform) == [.at(1), .at(9), .at(10), .at(2), .at(11)])
    #expect(try session.node(1).livePoses.isEmpty)
    try session.perform(1) { node, now in node.handle(.setInterest(.all), at: now) }
    try session.perform(0) { try $0.updatePose(.at(12), at: $1) }
    session.run(.milliseconds(200))
    #expect(session.updates(1).last?.pose?.transform == .at(12))
  }

  @Test("a filter that is set drops what it does not let through")
  func lateInterest() throws {
    var session = try TestSession(2)
    try session.perform(0) { try $0.updatePose(.at(3), at: $1) }
    session.run(.milliseconds(200))
    session.forgetEvents()
    try session.perform(1) { node, now in node.handle(.setInterest(AnchorFilter(kind: .plain)), at: now) }
    session.run(.milliseconds(200))
    #expect(session.updates(1).map(\.pose) == [nil])
    #expect(try session.node(1).livePoses.isEmpty)
  }

  @Test("a drag that ended, was replaced or lost its anchor throws, and the number of drags is limited")
  func misuse() throws {
    var session = try TestSession(2)
    let lamp = try session.place(0)
    try session.perform(0) { node, now in
      let first = try node.beginDrag(lamp, at: now)
      let second = try node.beginDrag(lamp, at: now)
      #expect(throws: Refusal.drag(.ended)) { try node.drag(first, to: .at(1), at: now) }
      try node.endDrag(second, at: now)
      #expect(throws: Refusal.drag(.ended)) { try node.endDrag(second, at: now) }
      let third = try node.beginDrag(lamp, at: now)
      let doubled = Transform(columns: ([2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]))
      #expect(throws: Refusal.self) { try node.drag(third, to: doubled, at: now) }
      try node.edit(.remove(lamp), at: now)
      #expect(throws: Refusal.drag(.refused(.unknownAnchor(lamp)))) { try node.drag(third, to: .at(1), at: now) }
      #expect(throws: Refusal.drag(.ended)) { try node.drag(third, to: .at(1), at: now) }
      for number in 1...ProtocolLimits.drags {
        let anchor = Anchor(id: AnchorID(high: 2, low: UInt64(number)), name: "a")
        try node.edit(.place(anchor), at: now)
        _ = try node.beginDrag(anchor.id, at: now)
      }
      let last = Anchor(name: "one too many")
      try node.edit(.place(last), at: now)
      #expect(throws: Refusal.drag(.tooMany(limit: ProtocolLimits.drags))) { try node.beginDrag(last.id, at: now) }
    }
  }
}

@Suite("The ephemeral lane of one node")
struct PoseLaneTests {
  private func update(
    _ sequence: UInt64, _ pose: Transform?, origin: NodeID, about subject: EphemeralSubject = .participant
  ) -> EphemeralUpdate {
    EphemeralUpdate(origin: origin, subject: subject, sequence: sequence, sessionTime: 5, pose: pose.flatMap(Pose.init))
  }

  /// A node, the link to its one member, and that member.
  private func meeting() -> (NodeProbe, LinkID, NodeID) {
    var probe = NodeProbe()
    let link = probe.join(1, NodeProbe.peer(1))
    return (probe, link, NodeID(peer: NodeProbe.peer(1), incarnation: 7))
  }

  private func place(on probe: inout NodeProbe) throws -> AnchorID {
    let lamp = Anchor(name: "lamp")
    try probe.edit(.place(lamp))
    return lamp.id
  }

  private func told(_ probe: inout NodeProbe) -> [UInt64] {
    probe.takeEvents().compactMap { if case .ephemeral(let update) = $0 { update.sequence } else { nil } }
  }

  @Test("numbers that others used up in a node's name count no more when it speaks itself")
  func madeUpNumbers() {
    let (me, other) = (NodeID(peer: NodeProbe.me, incarnation: 1), NodeID(peer: NodeProbe.peer(1), incarnation: 7))
    var lane = PoseLane(me: me)
    var drag = update(.max, .at(1), origin: other, about: .anchor(AnchorID(high: 1, low: 1)))
    let now = Instant.zero
    var taken = [lane.receive(update(.max - 1, .at(1), origin: other), at: now), lane.receive(drag, at: now)]
    _ = lane.expire(at: now + .seconds(2))
    drag.sequence = 58
    taken += [lane.receive(update(57, .at(2), origin: other), at: now), lane.receive(drag, at: now)]
    lane.hear(other, at: 57)
    taken += [lane.receive(update(57, .at(2), origin: other), at: now), lane.receive(drag, at: now)]
    lane.hear(other, at: 40)
    taken += [lane.receive(update(40, .at(2), origin: other), at: now)]
    #expect(taken == [true, true, false, false, true, true, false])
  }

  @Test("an update older than the latest is ignored, and so is one in another's name")
  func latestWins() {
    var (probe, link, node) = meeting()
    for sequence: UInt64 in [3, 2, 3, 5] {
      probe.send(.ephemeral, on: link) { update(sequence, .at(1), origin: node).write(to: &$0) }
    }
    let other = NodeID(peer: NodeProbe.peer(2), incarnation: 7)
    probe.send(.ephemeral, on: link) { update(9, .at(1), origin: other).write(to: &$0) }
    #expect(told(&probe) == [3, 5])
    #expect(probe.closed.isEmpty)
  }

  @Test("a drag of which nothing more is heard ends after a second")
  func expires() throws {
    var (probe, link, node) = meeting()
    let lamp = try place(on: &probe)
    let drag = update(1, .at(1), origin: node, about: .anchor(lamp))
    probe.send(.ephemeral, on: link) { drag.write(to: &$0) }
    #expect(told(&probe) == [1])
    probe.wait(.milliseconds(990))
    #expect(probe.node.livePoses.count == 1)
    probe.wait(.milliseconds(20))
    #expect(probe.node.livePoses.isEmpty)
    #expect(told(&probe) == [1])
  }

  @Test("the pose of a device is taken although a later drag of its peer was given up")
  func deviceAfterDrag() throws {
    var (probe, link, node) = meeting()
    let lamp = try place(on: &probe)
    let drag = update(9, .at(1), origin: node, about: .anchor(lamp))
    probe.send(.ephemeral, on: link) { drag.write(to: &$0) }
    probe.wait(.milliseconds(1010))
    probe.send(.ephemeral, on: link) { update(8, .at(1), origin: node).write(to: &$0) }
    #expect(told(&probe) == [9, 9, 8])
  }

  @Test("the end of a device's pose is told on a new link, and none to whom none was ever told")
  func endOnNewLink() throws {
    var probe = NodeProbe()
    let first = probe.join(1, NodeProbe.peer(1))
    #expect(try poses(probe.frames(on: first)).isEmpty)
    try probe.node.updatePose(.at(1), at: probe.now)
    probe.now = probe.now + .milliseconds(20)
    try probe.node.updatePose(nil, at: probe.now)
    let second = probe.join(2, NodeProbe.peer(2))
    #expect(try poses(probe.frames(on: second)) == [nil])
  }

  @Test("more updates than a link may bring in a second are dropped, and the link stays")
  func flood() {
    var (probe, link, node) = meeting()
    let sent = UInt64(ProtocolLimits.ephemeralRate) + 100
    for sequence in 1...sent {
      probe.send(.ephemeral, on: link) { update(sequence, .at(1), origin: node).write(to: &$0) }
    }
    #expect(told(&probe).count == ProtocolLimits.ephemeralRate)
    probe.wait(.seconds(1))
    probe.send(.ephemeral, on: link) { update(sent + 1, .at(1), origin: node).write(to: &$0) }
    #expect(told(&probe) == [sent + 1])
    #expect(probe.closed.isEmpty)
  }

  @Test("on a busy link the latest pose of a device waits, and drags are dropped")
  func waitsWhenBusy() throws {
    var probe = NodeProbe()
    let link = probe.join(1, NodeProbe.peer(1))
    let drag = try probe.node.beginDrag(try place(on: &probe), at: probe.now)
    _ = try probe.frames(on: link)
    probe.isSlow = true
    probe.input(.send([UInt8](repeating: 0, count: ProtocolLimits.message), to: nil))
    probe.input(.send([UInt8](repeating: 0, count: ProtocolLimits.message), to: nil))
    for step in 1...10 {
      probe.now = probe.now + .milliseconds(20)
      try probe.node.updatePose(.at(Float(step)), at: probe.now)
      try probe.node.drag(drag, to: .at(Float(step)), at: probe.now)
      probe.input(.tick)
    }
    probe.isSlow = false
    probe.input(.writable(link))
    #expect(try poses(probe.frames(on: link)) == [.at(10)])
    probe.now = probe.now + .milliseconds(20)
    try probe.node.updatePose(.at(11), at: probe.now)
    probe.input(.tick)
    #expect(try poses(probe.frames(on: link)) == [.at(11)])
  }

  /// The poses of devices and drags that were sent.
  private func poses(_ frames: [(type: FrameType?, body: [UInt8])]) throws -> [Transform?] {
    try frames.filter { $0.type == .ephemeral }.flatMap { frame in
      var (reader, poses) = (unsafe ByteReader(frame.body.span.bytes), [Transform?]())
      while reader.remaining > 0 { poses.append(try EphemeralUpdate(reading: &reader).pose?.transform) }
      return poses
    }
  }
}
