import Basics
import PeerProtocol
import Simulator
import Testing
import WorldModel

@Suite("Groups of members")
struct GroupTests {
  private func groups(of index: Int, at observer: Int, in session: TestSession) throws -> [String] {
    try session.node(observer).groups[SessionPeer.identity(of: index)] ?? []
  }

  private func set(_ group: String, _ isIn: Bool, at index: Int, in session: inout TestSession) throws {
    try session.perform(index) { _ = $0.handle(.setGroup(group, isIn: isIn), at: $1) }
  }

  /// What a node's app was told, in order.
  private func told(_ index: Int, in session: TestSession) -> [[String]] {
    session.simulation.monitor.events[index].compactMap {
      if case .groupsChanged(_, let names) = $0 { names } else { nil }
    }
  }

  @Test("every member knows who is in which group, without a link too, and messages go to those in it")
  func known() throws {
    var session = try TestSession.row(4)
    try set("b", true, at: 3, in: &session)
    try set("a", true, at: 3, in: &session)
    try set("a", true, at: 1, in: &session)
    session.run(.seconds(1))
    for observer in 0...3 {
      #expect(try groups(of: 3, at: observer, in: session) == ["a", "b"])
      #expect(try groups(of: 1, at: observer, in: session) == ["a"])
    }
    let receivers = try session.node(0).receivers(in: "a")
    #expect(receivers == [1, 3].map(SessionPeer.identity).sorted())
    try set("b", false, at: 3, in: &session)
    try set("b", false, at: 3, in: &session)
    session.run(.seconds(1))
    #expect(told(0, in: session).filter { $0 != ["a"] } == [["b"], ["a", "b"]])
    #expect(try session.node(0).receivers(in: "b").isEmpty)
    #expect(told(3, in: session) == [["a"]])
  }

  @Test("the halves of a split agree after it, and a member that restarts is in no group")
  func split() throws {
    var session = try TestSession(4)
    try set("a", true, at: 3, in: &session)
    session.apply(.split([0, 0, 1, 1]))
    session.run(.seconds(2))
    try set("a", false, at: 3, in: &session)
    try set("b", true, at: 3, in: &session)
    try set("c", true, at: 0, in: &session)
    session.run(.seconds(2))
    session.apply(.heal)
    session.run(.seconds(20))
    for observer in 0...3 {
      #expect(try groups(of: 3, at: observer, in: session) == ["b"])
      #expect(try groups(of: 0, at: observer, in: session) == ["c"])
    }
    session.apply(.crash(3, silently: false))
    session.apply(.start(3))
    session.run(.seconds(20))
    #expect(try groups(of: 3, at: 1, in: session).isEmpty)
    #expect(told(1, in: session).last == [])
    try set("d", true, at: 3, in: &session)
    session.run(.seconds(1))
    #expect(try groups(of: 3, at: 1, in: session) == ["d"])
  }

  @Test("where all are linked to all, a change is one frame to each")
  func frames() throws {
    var session = try TestSession(8)
    session.run(.seconds(5))
    session.countFrames()
    try set("a", true, at: 3, in: &session)
    session.run(.seconds(2))
    #expect(session.sent(.words) == [0, 0, 0, 7, 0, 0, 0, 0])
    #expect(try groups(of: 3, at: 0, in: session) == ["a"])
  }

  @Test("a member is in so many groups and no more")
  func limit() {
    var probe = NodeProbe()
    for number in 1...ProtocolLimits.groups { #expect(probe.input(.setGroup("\(number)", isIn: true)) == .done) }
    #expect(probe.input(.setGroup("more", isIn: true)) == .refused(.tooManyGroups))
    #expect(probe.input(.setGroup("1", isIn: true)) == .done)
    probe.input(.setGroup("1", isIn: false))
    #expect(probe.input(.setGroup("more", isIn: true)) == .done)
  }

  @Test("the app hears of a member before it hears of the groups of it, and no groups of one that it lost")
  func afterTheMember() {
    var probe = NodeProbe()
    let link = probe.join(1, NodeProbe.peer(1))
    let newcomer = NodeID(peer: NodeProbe.peer(2), incarnation: 8)
    probe.tell([RosterEntry(peerID: newcomer.peer, version: 1, incarnation: 8, name: "b", addresses: [])], on: link)
    _ = probe.takeEvents()
    probe.say([SpreadWord(grouping: ["a"], by: newcomer)], on: link)
    #expect(probe.takeEvents().isEmpty)
    #expect(probe.node.groups.isEmpty)
    let other = probe.join(2, newcomer.peer, incarnation: 8)
    #expect(GroupTold.list(probe.takeEvents()) == [.joined(newcomer.peer), .groups(newcomer.peer, ["a"])])
    #expect(probe.node.groups == [newcomer.peer: ["a"]])
    probe.input(.linkClosed(other))
    probe.wait(seconds: 60, keeping: [link])
    #expect(GroupTold.list(probe.takeEvents()) == [.left(newcomer.peer)])
    #expect(probe.node.groups.isEmpty)
  }

  /// What an app is told of members and their groups.
  private enum GroupTold: Equatable {
    case joined(PeerID)
    case left(PeerID)
    case groups(PeerID, [String])

    static func list(_ events: [NodeEvent]) -> [Self] {
      events.compactMap {
        switch $0 {
        case .peerJoined(let peer, _): .joined(peer)
        case .peerLeft(let peer, _, _): .left(peer)
        case .groupsChanged(let peer, let groups): .groups(peer, groups)
        default: nil
        }
      }
    }
  }
}
