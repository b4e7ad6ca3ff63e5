import AnchorReplication
import Basics
import PeerProtocol
import Simulator
import Testing
import WorldModel

@Suite("Frames in a session")
struct FrameAlignmentTests {
  /// Lets a node begin a frame of its own and place an anchor at x = 1 of it.
  private func begin(_ index: Int, in session: inout TestSession) throws -> AnchorID {
    let anchor = Anchor(name: "of \(index)", transform: .at(1))
    try session.perform(index) { node, now in
      node.handle(.beginFrame(isShared: false), at: now)
      node.handle(.edit(.place(anchor)), at: now)
    }
    return anchor.id
  }

  /// Both nodes measure that the origin of the first one's frame is at `x` of the second one's.
  private func meet(_ one: Int, _ other: Int, x: Float, in session: inout TestSession) throws {
    let frames = try [one, other].map { try #require(session.simulation.node($0)).worldFrames.mine }
    let estimate = try #require(
      FrameEstimate(Transform(translation: [x, 0, 0]), center: .zero, position: 0.01, orientation: 0.001))
    for index in [one, other] {
      try session.perform(index) { node, now in
        node.handle(.measure(from: frames[0], to: frames[1], estimate), at: now)
      }
    }
  }

  private func seen(_ anchor: AnchorID, by index: Int, in session: TestSession) -> Float? {
    guard let node = session.simulation.node(index)?.node else { return nil }
    return node.worldFrames.anchor(anchor, in: node.anchors)?.transform.translation.x
  }

  private func state(_ other: Int, for index: Int, in session: TestSession) -> PeerAlignment.State? {
    session.simulation.node(index)?.node.alignment(of: SessionPeer.identity(of: other))?.state
  }

  @Test("a session in which nobody uses frames sends nothing of them, and all are aligned")
  func nothing() throws {
    var session = try TestSession(3)
    session.countFrames()
    try session.perform(0) { node, now in node.handle(.edit(.place(Anchor(name: "a"))), at: now) }
    session.run(.seconds(12))
    #expect(session.sent(.words) == [0, 0, 0] && session.sent(.wordDigest) == [0, 0, 0])
    #expect(state(1, for: 0, in: session) == .aligned)
  }

  @Test("an anchor in a frame that nothing aligns is nowhere, and where it is once both have measured")
  func aligned() throws {
    var session = try TestSession(2)
    let anchor = try begin(0, in: &session)
    session.run(.seconds(1))
    #expect(seen(anchor, by: 0, in: session) == 1)
    #expect(seen(anchor, by: 1, in: session) == nil)
    #expect(state(0, for: 1, in: session) == .unaligned)
    _ = try begin(1, in: &session)
    try meet(0, 1, x: 5, in: &session)
    session.run(.seconds(1))
    #expect(seen(anchor, by: 1, in: session) == 6)
    #expect(state(0, for: 1, in: session) == .aligned && state(1, for: 0, in: session) == .aligned)
  }

  @Test("a new world has a new frame: what was placed before stays where it is, and the alignment is lost")
  func lost() throws {
    var session = try TestSession(2)
    let before = try begin(0, in: &session)
    _ = try begin(1, in: &session)
    session.run(.seconds(1))
    try meet(0, 1, x: 5, in: &session)
    session.run(.seconds(1))
    let after = try begin(0, in: &session)
    session.run(.seconds(1))
    #expect(seen(before, by: 1, in: session) == 6 && seen(after, by: 1, in: session) == nil)
    #expect(seen(before, by: 0, in: session) == nil && seen(after, by: 0, in: session) == 1)
    #expect(state(0, for: 1, in: session) == .lost && state(1, for: 0, in: session) == .lost)
  }

  @Test("a late joiner learns of everything through whoever is there, also of a peer that is gone")
  func lateJoiner() throws {
    var session = try TestSession.row(3)
    let anchor = try begin(0, in: &session)
    _ = try begin(1, in: &session)
    session.run(.seconds(1))
    try meet(0, 1, x: 5, in: &session)
    session.run(.seconds(1))
    session.apply(.crash(0, silently: false))
    session.apply(.crash(2, silently: false))
    session.apply(.start(2))
    session.run(.seconds(20))
    #expect(seen(anchor, by: 2, in: session) == nil)
    _ = try begin(2, in: &session)
    session.run(.seconds(1))
    try meet(1, 2, x: 3, in: &session)
    session.run(.seconds(1))
    #expect(seen(anchor, by: 2, in: session) == 9)
  }

  @Test("what a peer reads back in its own frame has the bits that it wrote")
  func ownBits() throws {
    var session = try TestSession(2)
    _ = try begin(0, in: &session)
    let pose = Transform(
      x: [0.6, 0, -0.8], y: [0, 1, -0.0], z: [0.8, 0, 0.6], translation: [-0.0, 1e-30, 0.1])
    let anchor = Anchor(name: "exact", transform: pose)
    try session.perform(0) { node, now in node.handle(.edit(.place(anchor)), at: now) }
    let node = try #require(session.simulation.node(0)?.node)
    let read = try #require(node.worldFrames.anchor(anchor.id, in: node.anchors)).transform.columns
    for (one, other) in zip(
      [read.0, read.1, read.2, read.3], [pose.columns.0, pose.columns.1, pose.columns.2, pose.columns.3])
    {
      for index in 0..<4 { #expect(one[index].bitPattern == other[index].bitPattern) }
    }
  }

  @Test("a measurement of a frame to itself is refused")
  func refusal() throws {
    var session = try TestSession(2)
    let estimate = try #require(FrameEstimate(.identity, center: .zero, position: 0.01, orientation: 0.001))
    var answer: Answer?
    try session.perform(0) { node, now in
      answer = node.handle(.measure(from: .shared, to: .shared, estimate), at: now)
    }
    #expect(answer == .refused(.measurement(.sameFrame)))
  }
}
