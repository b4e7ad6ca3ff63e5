import Basics
import PeerProtocol
import Simulator
import Testing

@Suite("Critical messages")
struct CriticalMessageTests {
  private let member = NodeProbe.peer(1)

  private func say(_ report: MessageReport, to probe: inout NodeProbe, on link: LinkID) {
    probe.send(.messageReport, on: link) { report.write(to: &$0) }
  }

  @Test("they leave before the ordinary ones that wait for the link, in a chain of their own")
  func overtake() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    _ = try probe.frames(on: link)
    probe.isSlow = true
    for _ in 1...4 { probe.input(.send([UInt8](repeating: 1, count: ProtocolLimits.message), to: nil)) }
    for _ in 5...6 { probe.input(.send([2], mode: .critical, to: nil)) }
    #expect(try probe.messageHeads(on: link).map(\.number) == [1, 2])
    probe.isSlow = false
    probe.input(.writable(link))
    let rest = try probe.messageHeads(on: link)
    #expect(rest.map(\.number) == [5, 6, 3, 4])
    #expect(rest.map(\.previous) == [0, 5, 2, 3] && rest.map(\.isCritical) == [true, true, false, false])
  }

  @Test("they need no room among the ordinary ones, have a window of their own, and are acknowledged for themselves")
  func window() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    let bytes = [UInt8](repeating: 1, count: ProtocolLimits.message)
    while probe.input(.send(bytes, to: nil)) != .refused(.messagesWait) {}
    var count = 0
    while probe.input(.send(bytes, mode: .critical, to: nil)) != .refused(.messagesWait) { count += 1 }
    #expect(count == ProtocolLimits.messageWindow / 4 / (ProtocolLimits.message + ProtocolLimits.messageCost))
    let critical = try probe.messageHeads(on: link).filter(\.isCritical)
    #expect(critical.count == count)
    var report = MessageReport(.report, .critical)
    (report.chain, report.last) = (critical[0].chain, critical[count - 1].number)
    report.window = UInt32(ProtocolLimits.messageWindow / 4)
    say(report, to: &probe, on: link)
    #expect(probe.input(.send(bytes, to: nil)) == .refused(.messagesWait))
    #expect(probe.input(.send(bytes, mode: .critical, to: nil)) != .refused(.messagesWait))
  }

  @Test("a receiver follows both chains, and takes critical messages while the app has ordinary ones to read")
  func received() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    _ = (probe.takeEvents(), try probe.frames(on: link))
    let say = { (probe: inout NodeProbe, head: MessageHead, size: Int) in
      probe.send(.message, on: link) {
        head.write(to: &$0)
        $0.write(bytes: [UInt8](repeating: UInt8(head.number), count: size))
      }
    }
    for number in 1...17 as ClosedRange<UInt64> {
      say(&probe, MessageHead(chain: 1, previous: number - 1, number: number), ProtocolLimits.message)
    }
    say(&probe, MessageHead(chain: 2, previous: 0, number: 18, isCritical: true), 1)
    say(&probe, MessageHead(chain: 2, previous: 18, number: 19, isCritical: true), 1)
    say(&probe, MessageHead(chain: 2, previous: 17, number: 20, isCritical: true), 1)
    let told = probe.takeEvents().flatMap { event -> [UInt8] in
      if case .messages(let told, _) = event { told.map { $0[0] } } else { [] }
    }
    #expect(told == Array(1...19))
    probe.wait(.milliseconds(20))
    let reports = try probe.frames(on: link).filter { $0.type == .messageReport }
      .map { try MessageReport(body: $0.body.span.bytes) }
    let (last, critical) = (reports.last { $0.track == .ordinary }, reports.last { $0.track == .critical })
    #expect(last?.last == 17 && critical?.last == 19)
    #expect(critical?.window ?? 0 > last?.window ?? 0)
    #expect(probe.node.messageLoad.unread == 17 * (ProtocolLimits.message + 64) + 2 * 65)
  }

  @Test("a member passes critical messages on before the others")
  func passedOn() throws {
    var probe = NodeProbe()
    let (one, other) = (probe.join(1, member), probe.join(2, NodeProbe.peer(2), incarnation: 8))
    probe.isSlow = true
    for _ in 1...2 { probe.input(.send([UInt8](repeating: 1, count: ProtocolLimits.message), to: nil)) }
    _ = try probe.frames(on: other)
    let route = FrameRoute(
      from: NodeID(peer: member, incarnation: 7), to: NodeID(peer: NodeProbe.peer(2), incarnation: 8))
    for (number, isCritical) in [(1, false), (2, true)] as [(UInt64, Bool)] {
      probe.send(.relayedMessage, on: one) {
        route.write(to: &$0)
        MessageHead(chain: UInt32(number), previous: 0, number: number, isCritical: isCritical).write(to: &$0)
        $0.write(UInt8(1))
      }
    }
    probe.isSlow = false
    probe.input(.writable(other))
    let passed = try probe.frames(on: other).filter { $0.type == .relayedMessage }.map { frame in
      var reader = ByteReader(frame.body.span)
      _ = try FrameRoute(reading: &reader)
      return try MessageHead(reading: &reader)
    }
    #expect(passed.map(\.number) == [2, 1])
  }
}
