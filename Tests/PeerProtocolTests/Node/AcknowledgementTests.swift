import AnchorReplication
import Basics
import PeerProtocol
import Simulator
import Testing
import WorldModel

@Suite("Acknowledgements")
struct AcknowledgementTests {
  private let wait = AcknowledgementID(rawValue: 1)

  /// Places an anchor and waits for its acknowledgement.
  private func place(
    _ index: Int, _ level: AcknowledgementLevel, timeout: Duration = .seconds(10), in session: inout TestSession
  ) throws {
    session.forgetEvents()
    let anchor = Anchor(id: AnchorID(high: 3, low: UInt64(index)), name: "lamp")
    try session.perform(index) { node, now in
      try node.edit(.place(anchor), at: now)
      node.handle(.awaitAcknowledgement(wait, level, timeout: timeout), at: now)
    }
  }

  @Test("of the host: at once when this node hosts, else promptly after the host has applied it")
  func host() throws {
    var session = try TestSession(3)
    let host = try session.host
    try place(host, .host, in: &session)
    #expect(session.acknowledgements(host).map(\.1) == [.acknowledged])
    let other = (host + 1) % 3
    try place(other, .host, in: &session)
    #expect(session.acknowledgements(other).isEmpty)
    session.run(.milliseconds(200))
    #expect(session.acknowledgements(other).map(\.1) == [.acknowledged])
    let actor = try session.node(other).anchors.actor
    #expect(try session.node(host).anchors.appliedCount(of: actor) == 1)
  }

  @Test("of everybody: through a row of peers, promptly, and all of them have it")
  func everybody() throws {
    var session = try TestSession.row(4)
    try place(0, .everyPresentMember, in: &session)
    let actor = try session.node(0).anchors.actor
    session.run(.milliseconds(400))
    #expect(session.acknowledgements(0).map(\.1) == [.acknowledged])
    for other in 1...3 { #expect(try session.node(other).anchors.appliedCount(of: actor) == 1) }
  }

  @Test("nobody waits for a member that leaves, and one who joins later is not asked")
  func leaving() throws {
    var session = try TestSession(3)
    // One that stands still is present and silent.
    session.apply(.stop(2, asleep: false))
    try place(0, .everyPresentMember, timeout: .seconds(60), in: &session)
    session.run(.seconds(2))
    #expect(session.acknowledgements(0).isEmpty)
    session.apply(.crash(2, silently: true))
    session.run(.seconds(20))
    #expect(session.acknowledgements(0).map(\.1) == [.acknowledged])
  }

  @Test("the wait ends with the time, and the edit stands")
  func timeout() throws {
    var session = try TestSession(2)
    session.apply(.stop(1, asleep: false))
    try place(0, .everyPresentMember, timeout: .milliseconds(700), in: &session)
    session.run(.milliseconds(600))
    #expect(session.acknowledgements(0).isEmpty)
    session.run(.milliseconds(200))
    #expect(session.acknowledgements(0).map(\.1) == [.timedOut])
    session.apply(.resume(1))
    session.run(.seconds(20))
    #expect(try session.node(1).anchors.count == 1)
  }

  @Test("when the host dies its successor acknowledges")
  func successor() throws {
    var session = try TestSession(3)
    let host = try session.host
    let other = (host + 1) % 3
    session.apply(.stop(host, asleep: false))
    try place(other, .host, timeout: .seconds(30), in: &session)
    session.run(.milliseconds(500))
    #expect(session.acknowledgements(other).isEmpty)
    session.apply(.crash(host, silently: true))
    session.run(.seconds(6))
    #expect(session.acknowledgements(other).map(\.1) == [.acknowledged])
    #expect(try session.node(other).host != nil)
  }

  @Test("of a delivery: the receivers have acknowledged the messages too")
  func delivery() throws {
    var session = try TestSession(2)
    func sendAndWait() throws {
      try session.perform(0) { node, now in
        node.handle(.send([7], to: nil), at: now)
        node.handle(.awaitAcknowledgement(wait, .delivery, timeout: .seconds(2)), at: now)
      }
    }
    try sendAndWait()
    #expect(session.acknowledgements(0).isEmpty)
    session.run(.milliseconds(400))
    #expect(session.acknowledgements(0).map(\.1) == [.acknowledged])
    #expect(try session.node(0).messageLoad.isSettled)
    session.forgetEvents()
    session.apply(.stop(1, asleep: false))
    try sendAndWait()
    session.run(.milliseconds(1900))
    #expect(session.acknowledgements(0).isEmpty)
    session.run(.milliseconds(200))
    #expect(session.acknowledgements(0).map(\.1) == [.timedOut])
  }

  @Test("a cancelled wait is told nothing")
  func cancelled() throws {
    var session = try TestSession(2)
    session.apply(.stop(1, asleep: false))
    try place(0, .everyPresentMember, timeout: .seconds(1), in: &session)
    try session.perform(0) { node, now in node.handle(.cancelAcknowledgement(wait), at: now) }
    session.run(.seconds(3))
    #expect(session.acknowledgements(0).isEmpty)
  }

  @Test("what one peer has acknowledged survives its author as long as that peer")
  func survives() throws {
    var session = try TestSession.row(3)
    session.apply(.cut(1, 2))
    session.run(.seconds(12))
    try place(0, .everyPresentMember, in: &session)
    session.run(.milliseconds(500))
    #expect(session.acknowledgements(0).map(\.1) == [.acknowledged])
    session.apply(.crash(0, silently: true))
    session.apply(.mend(1, 2))
    session.run(.seconds(30))
    #expect(try session.node(2).anchors.count == 1)
  }
}
