import AnchorReplication
import Basics
import PeerProtocol
import Simulator
import Testing
import WorldModel

@Suite("Live poses that nobody wants")
struct InterestTests {
  private let near = AnchorFilter(region: .init(center: .zero, radius: 5))

  /// Node 0 moves its device to each place, ten poses a second, while frames are counted.
  private func move(_ places: [Float], in session: inout TestSession) throws {
    session.forgetEvents()
    session.countFrames()
    for x in places {
      try session.perform(0) { try $0.updatePose(.at(x), at: $1) }
      session.run(.milliseconds(100))
    }
  }

  private func want(_ filter: AnchorFilter, _ indices: Int..., in session: inout TestSession) throws {
    for index in indices { try session.perform(index) { node, now in node.handle(.setInterest(filter), at: now) } }
    session.run(.seconds(1))
  }

  private func seen(_ index: Int, in session: TestSession) -> [Transform?] {
    session.updates(index).map(\.pose?.transform)
  }

  @Test("in a full mesh a pose leaves only for those who want it")
  func mesh() throws {
    var session = try TestSession(4)
    try want(near, 1, 2, in: &session)
    try move([9, 10, 11, 12], in: &session)
    #expect(session.sent(.ephemeral) == [4, 0, 0, 0])
    try move([1, 2], in: &session)
    #expect(session.sent(.ephemeral) == [6, 0, 0, 0])
  }

  @Test("along a row nothing leaves that nobody at its end wants, and everything that one there wants")
  func row() throws {
    var session = try TestSession.row(4)
    try want(near, 1, 2, 3, in: &session)
    try move([9, 10, 11], in: &session)
    #expect(session.sent(.ephemeral) == [0, 0, 0, 0])
    // The last of the row alone wants what is far: those between pass it on, and keep it from their apps.
    try want(.all, 3, in: &session)
    try move([12, 13], in: &session)
    #expect(session.sent(.ephemeral) == [2, 2, 2, 0])
    #expect(seen(3, in: session) == [.at(12), .at(13)])
    #expect(seen(1, in: session).isEmpty && seen(2, in: session).isEmpty)
    // And the second alone: nothing goes beyond it.
    try want(near, 3, in: &session)
    try want(.all, 1, in: &session)
    try move([14, 15], in: &session)
    #expect(session.sent(.ephemeral) == [2, 0, 0, 0])
  }

  @Test("a drag goes only where its anchor is wanted, through relays too")
  func drags() throws {
    var session = try TestSession.row(3)
    let lamp = try session.place(0)
    try want(AnchorFilter(namePrefix: "lamp"), 2, in: &session)
    try want(AnchorFilter(namePrefix: "chair"), 1, in: &session)
    session.countFrames()
    session.forgetEvents()
    let id = try session.beginDrag(0, of: lamp)
    try session.drag(0, id, along: 1...4)
    #expect(session.sent(.ephemeral) == [4, 4, 0])
    #expect(seen(2, in: session) == [.at(1), .at(2), .at(3), .at(4)])
    #expect(seen(1, in: session).isEmpty)
    try want(AnchorFilter(namePrefix: "chair"), 2, in: &session)
    session.countFrames()
    try session.drag(0, id, along: 5...8)
    #expect(session.sent(.ephemeral) == [0, 0, 0])
  }

  @Test("what leaves the region of one at the end of a row ends there once")
  func leaves() throws {
    var session = try TestSession.row(3)
    try want(near, 1, 2, in: &session)
    try move([1, 9, 10, 2, 11, 12], in: &session)
    #expect(seen(2, in: session) == [.at(1), nil, .at(2), nil])
    #expect(session.sent(.ephemeral) == [4, 4, 0])
  }

  @Test("a wish that widens brings what stands still at the other end of a row")
  func widens() throws {
    var session = try TestSession.row(4)
    try want(near, 1, 2, 3, in: &session)
    try move([9], in: &session)
    #expect(seen(3, in: session).isEmpty)
    try want(.all, 3, in: &session)
    #expect(seen(3, in: session) == [.at(9)])
    #expect(try session.node(3).livePoses.map(\.pose?.transform) == [.at(9)])
  }

  @Test("a newcomer behind a relay gets what stands still, whatever the relay wants", arguments: [false, true])
  func newcomer(_ isNarrow: Bool) throws {
    var session = try TestSession.row(3)
    if isNarrow { try want(near, 1, 2, in: &session) }
    session.apply(.crash(2, silently: false))
    session.run(.seconds(8))
    try move([9], in: &session)
    #expect(try session.node(1).livePoses.isEmpty == isNarrow)
    session.apply(.start(2))
    session.run(.seconds(10))
    // It has said nothing yet: it wants all.
    #expect(try session.node(2).livePoses.map(\.pose?.transform) == [.at(9)])
    try want(near, 2, in: &session)
    try move([10, 11], in: &session)
    #expect(session.sent(.ephemeral)[1] == 0)
  }

  @Test("what a neighbour made up in the name of a member counts no more when that has a link of its own")
  func ownWord() throws {
    var probe = NodeProbe()
    let (liar, far) = (probe.join(1, NodeProbe.peer(1)), NodeProbe.peer(2))
    func say(_ version: UInt32, _ filter: AnchorFilter, on link: LinkID) {
      let node = NodeID(peer: far, incarnation: 8)
      probe.send(.interest, on: link) { InterestFrame(node: node, version: version, filter: filter).write(to: &$0) }
    }
    let entry = RosterEntry(peerID: far, version: 1, incarnation: 8, name: "far", addresses: [])
    probe.send(.roster, on: liar) { body in
      body.writeVarint(1)
      entry.write(to: &body)
    }
    say(.max, near, on: liar)
    let link = probe.greet(2, far, incarnation: 8)
    probe.send(.admit, on: link)
    say(1, .all, on: link)
    // What is far from everybody's region leaves for the one that wants all.
    _ = try probe.frames(on: link)
    try probe.node.updatePose(.at(9), at: probe.now)
    probe.wait(.milliseconds(100))
    let body = try #require(try probe.frames(on: link).first { $0.type == .ephemeral }?.body)
    var reader = ByteReader(body.span)
    #expect(try EphemeralUpdate(reading: &reader).pose != nil)
  }

  @Test("what leaves a region while the way to its reader changes ends for the reader")
  func anotherWay() throws {
    // 0 reaches 3 by way of 1 or of 2.
    var session = try TestSession(4, apart: [(0, 3)])
    try want(near, 1, 2, 3, in: &session)
    session.apply(.cut(2, 3))
    session.run(.seconds(10))
    try move([1], in: &session)
    #expect(seen(3, in: session) == [.at(1)])
    session.apply(.cut(1, 3))
    try move([9], in: &session)
    session.apply(.mend(2, 3))
    session.run(.seconds(15))
    #expect(try session.node(3).livePoses.isEmpty)
    try move([2], in: &session)
    #expect(try session.node(3).livePoses.map(\.pose?.transform) == [.at(2)])
  }
}
