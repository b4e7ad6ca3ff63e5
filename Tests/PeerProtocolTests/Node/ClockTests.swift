import AnchorReplication
import Basics
import PeerProtocol
import Testing
import WorldModel

@Suite("Members whose clocks differ")
struct ClockTests {
  private static let other = NodeProbe.peer(1)
  /// Older than the node's session by more than the 60 s that an author may be ahead (ms).
  private static let later: UInt64 = 300_000

  /// A lone host, linked to a member that has placed an anchor in a much older session.
  private struct Meeting {
    var probe = NodeProbe()
    let link: LinkID
    private var anchors = AnchorSet(actor: ActorID(peer: ClockTests.other, incarnation: 7), peer: ClockTests.other)
    private var cursor: LogCursor

    init() throws {
      guard case .log(let start) = anchors.cursorForPeer(with: VersionVector()) else { throw NoLog() }
      cursor = start
      probe.wait(.seconds(3))
      link = probe.join(1, ClockTests.other)
      probe.wait(seconds: 3, keeping: [link])
    }

    struct NoLog: Error {}

    /// The member places an anchor and sends it.
    mutating func placeThere() throws {
      _ = try anchors.place(Anchor(name: "lamp"), at: ClockTests.later)
      probe.send(.operations, on: link) { body in
        _ = anchors.readLog(&cursor, limit: 4096, into: &body)
      }
    }
  }

  @Test("sessions of different age keep their links when they meet, so that they can merge")
  func meetingIsNoOffense() throws {
    var meeting = try Meeting()
    #expect(meeting.probe.node.host != nil)
    try meeting.placeThere()
    #expect(meeting.probe.closed == [])
    #expect(meeting.probe.node.anchors.count == 1)
  }

  @Test("Fault 23: a member that goes on writing far ahead of session time loses its link")
  func strayClockIsAnOffense() throws {
    var meeting = try Meeting()
    meeting.probe.wait(seconds: 10, keeping: [meeting.link])
    #expect(meeting.probe.node.host != nil)
    for _ in 0..<10 {
      try meeting.placeThere()
      #expect(meeting.probe.closed == [])
      meeting.probe.wait(seconds: 1, keeping: [meeting.link])
    }
    try meeting.placeThere()
    #expect(meeting.probe.closed == [meeting.link])
    #expect(meeting.probe.node.anchors.count == 0)
  }
}
