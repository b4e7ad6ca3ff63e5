import Basics
import PeerProtocol
import Simulator
import Testing
import WorldModel

/// The losses that messages once suffered, and the failures that take their place.
@Suite("Messages between nodes")
struct MessageTests {
  /// A message whose first bytes are its number.
  private static func bytes(_ number: Int, size: Int = 100) -> [UInt8] {
    [UInt8(number & 0xff), UInt8(number >> 8)] + [UInt8](repeating: 7, count: size - 2)
  }

  @discardableResult
  private func send(
    _ number: Int, size: Int = 100, from index: Int, to receivers: [Int]? = nil, in session: inout TestSession
  ) throws -> Answer {
    var answer = Answer.done
    let peers = receivers?.map(SessionPeer.identity)
    try session.perform(index) { answer = $0.handle(.send(Self.bytes(number, size: size), to: peers), at: $1) }
    return answer
  }

  /// The numbers of the messages that a node's app got of another one, in order.
  private func received(_ index: Int, from sender: Int, in session: TestSession) -> [Int] {
    session.simulation.monitor.events[index].flatMap { event -> [Int] in
      guard case .messages(let told, SessionPeer.identity(of: sender)) = event else { return [] }
      return told.map { Int($0[0]) | Int($0[1]) << 8 }
    }
  }

  private func failures(_ index: Int, in session: TestSession) -> [UndeliveredMessages] {
    session.simulation.monitor.events[index].compactMap {
      if case .messagesFailed(let failure) = $0 { failure } else { nil }
    }
  }

  @Test("a message travels through members to one without a link, and back, and nobody else gets it")
  func relayed() throws {
    var session = try TestSession.row(3)
    for number in 1...300 {
      try send(number, size: 1000, from: 0, to: [2], in: &session)
      try send(number, from: 2, to: [0], in: &session)
    }
    session.run(.seconds(10))
    #expect(received(2, from: 0, in: session) == Array(1...300))
    #expect(received(0, from: 2, in: session) == Array(1...300))
    #expect(received(1, from: 0, in: session).isEmpty)
    #expect(try session.node(0).messageLoad.isSettled && session.node(2).messageLoad.isSettled)
    try send(301, from: 0, in: &session)
    session.run(.seconds(1))
    for other in 1...2 { #expect(received(other, from: 0, in: session).last == 301) }
  }

  @Test("a link that breaks in the middle of 200 messages loses none, repeats none and keeps their order")
  func brokenLink() throws {
    var session = try TestSession(2)
    for number in 1...200 {
      try send(number, size: 2000, from: 0, in: &session)
      if number == 100 { session.apply(.cut(0, 1)) }
      session.run(.milliseconds(2))
    }
    while try session.node(0).isLinked(to: SessionPeer.identity(of: 1)) { session.run(.milliseconds(100)) }
    #expect(received(1, from: 0, in: session).count < 200)
    session.apply(.mend(0, 1))
    session.run(.seconds(10))
    #expect(received(1, from: 0, in: session) == Array(1...200))
    #expect(failures(0, in: session).isEmpty)
    #expect(try session.node(0).messageLoad.isSettled)
  }

  @Test("250 messages of 60 kB go as fast as the receiver takes them, over the one link")
  func manyLarge() throws {
    var session = try TestSession(2)
    session.forgetEvents()
    var next = 1
    var refused = 0
    for _ in 0..<10_000 where next <= 250 {
      switch try send(next, size: 60_000, from: 0, in: &session) {
      case .sent: next += 1
      default:
        refused += 1
        session.run(.milliseconds(5))
      }
      #expect(try session.node(0).messageLoad.open <= ProtocolLimits.messageWindow)
    }
    session.run(.seconds(5))
    #expect(received(1, from: 0, in: session) == Array(1...250))
    #expect(refused > 0)
    let broken = session.simulation.monitor.events.joined().contains {
      if case .peerReconnecting = $0 { true } else { false }
    }
    #expect(!broken)
  }

  @Test("messages to a member that restarts fail, each with its number, and later ones arrive at the new start")
  func restart() throws {
    var session = try TestSession(2)
    try send(1, from: 0, in: &session)
    session.run(.seconds(1))
    session.apply(.crash(1, silently: true))
    for number in 2...4 { try send(number, from: 0, in: &session) }
    session.apply(.start(1))
    session.run(.seconds(10))
    let failed = failures(0, in: session)
    #expect(failed.map(\.receiver) == [SessionPeer.identity(of: 1)])
    #expect(failed.first?.messages.map(\.number) == [2, 3, 4] && failed.first?.reason == .restarted)
    try send(5, from: 0, in: &session)
    session.run(.seconds(1))
    #expect(received(1, from: 0, in: session) == [1, 5])
  }

  @Test("messages to a member that stays away fail when it counts as lost")
  func lost() throws {
    var session = try TestSession(3)
    session.apply(.crash(2, silently: true))
    try send(1, from: 0, in: &session)
    session.run(.seconds(20))
    #expect(failures(0, in: session).map(\.reason) == [.lost])
    #expect(failures(0, in: session).map(\.receiver) == [SessionPeer.identity(of: 2)])
    #expect(received(1, from: 0, in: session) == [1])
    // To all is to those who are there; to one that is lost is to nobody.
    try send(2, from: 0, in: &session)
    #expect(try send(3, from: 0, to: [2], in: &session) == .refused(.notReceiver(SessionPeer.identity(of: 2))))
    session.run(.seconds(1))
    #expect(received(1, from: 0, in: session) == [1, 2] && failures(0, in: session).count == 1)
  }

  @Test("messages to a removed member, and those of a node that leaves, fail with the reason")
  func removedAndLeft() throws {
    var session = try TestSession(3)
    let host = try session.host
    let (other, third) = ((host + 1) % 3, (host + 2) % 3)
    session.apply(.stop(other, asleep: false))
    try send(1, from: host, to: [other], in: &session)
    try session.perform(host) { $0.handle(.kick(SessionPeer.identity(of: other)), at: $1) }
    #expect(failures(host, in: session).map(\.reason) == [.kicked])
    session.apply(.stop(host, asleep: false))
    try send(1, from: third, to: [host], in: &session)
    try session.perform(third) { $0.handle(.leave, at: $1) }
    #expect(failures(third, in: session).map(\.reason) == [.ended])
  }

  @Test("an app that does not read slows its sender and nobody else, and gets everything when it reads again")
  func slowReader() throws {
    var session = try TestSession(3)
    try session.perform(1) { $0.setReadsMessages(false, at: $1) }
    var accepted = 0
    while try send(accepted + 1, size: 60_000, from: 0, to: [1], in: &session) == .sent(MessageID(UInt64(accepted + 1)))
    {
      accepted += 1
      session.run(.milliseconds(20))
    }
    let load = try session.node(1).messageLoad.unread
    #expect(load <= ProtocolLimits.messageWindow && load > ProtocolLimits.messageWindow / 2)
    #expect(try session.node(0).messageLoad.open <= ProtocolLimits.messageWindow)
    #expect(accepted > 17 && accepted < 36)
    // Longer than any repetition: the window stays shut.
    session.run(.seconds(10))
    #expect(try session.node(1).messageLoad.unread == load)
    try send(1000, from: 2, to: [1], in: &session)
    try send(1000, from: 0, to: [2], in: &session)
    session.run(.seconds(1))
    #expect(received(1, from: 2, in: session) == [1000] && received(2, from: 0, in: session) == [1000])
    #expect(received(1, from: 0, in: session).count < accepted)
    try session.perform(1) { $0.setReadsMessages(true, at: $1) }
    session.run(.seconds(2))
    #expect(received(1, from: 0, in: session).count == accepted)
    let room = session.simulation.monitor.events[0].contains { if case .messageRoom = $0 { true } else { false } }
    #expect(room)
    #expect(try session.node(0).messageLoad.isSettled)
  }
}
