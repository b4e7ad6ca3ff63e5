import AnchorReplication
import Basics
import PeerProtocol
import Simulator
import Testing

@Suite("The chain of streams")
struct StreamChainTests {
  private let member = NodeProbe.peer(1)

  @Test("parts of streams leave while there is no room for messages, in a chain and a window of their own")
  func window() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    let bytes = [UInt8](repeating: 1, count: ProtocolLimits.message)
    var messages = 0
    while probe.input(.send(bytes, to: nil)) != .refused(.messagesWait) { messages += 1 }
    var parts = 0
    while probe.input(.send(bytes, as: .stream, to: [member])) != .refused(.messagesWait) { parts += 1 }
    #expect(parts == messages)
    let stream = try probe.messageHeads(on: link).filter { $0.kind == .stream }
    #expect(stream.first?.previous == 0 && stream.count > 1 && stream.allSatisfy { $0.chain == stream[0].chain })
    var report = MessageReport(.report, .streams)
    (report.chain, report.last, report.window) = (stream[0].chain, stream[0].number, 1 << 20)
    probe.send(.messageReport, on: link) { report.write(to: &$0) }
    #expect(probe.input(.send(bytes, to: nil)) == .refused(.messagesWait))
    #expect(probe.input(.send(bytes, as: .stream, to: [member])) != .refused(.messagesWait))
  }

  @Test("parts arrive while the app has as many messages to read as there may be, and close no window")
  func received() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    _ = (probe.takeEvents(), try probe.frames(on: link))
    let say = { (probe: inout NodeProbe, head: MessageHead) in
      probe.send(.message, on: link) {
        head.write(to: &$0)
        $0.write(bytes: [UInt8](repeating: UInt8(head.number), count: ProtocolLimits.message))
      }
    }
    for number in 1...17 as ClosedRange<UInt64> {
      say(&probe, MessageHead(chain: 1, previous: number - 1, number: number))
    }
    for number in 18...60 as ClosedRange<UInt64> {
      let previous = number == 18 ? 0 : number - 1
      say(&probe, MessageHead(chain: 2, previous: previous, number: number, kind: .stream))
    }
    let parts = probe.takeEvents().compactMap { if case .stream(let bytes, _, _) = $0 { bytes[0] } else { nil } }
    #expect(parts == Array(18...60))
    #expect(probe.node.messageLoad.unread == 17 * (ProtocolLimits.message + ProtocolLimits.messageCost))
    probe.wait(.milliseconds(20))
    let last = try probe.messageReports(on: link).last { $0.track == .streams }
    #expect(last?.last == 60 && last?.window == UInt32(ProtocolLimits.messageWindow))
    // As many messages as there may be unread close the window of messages alone.
    probe.input(.messagesUnread(0, from: member))
    #expect(probe.node.messageLoad.unread == 0)
  }

  @Test("on a full link streams and messages leave first in turn")
  func turns() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    _ = try probe.frames(on: link)
    probe.isSlow = true
    let bytes = [UInt8](repeating: 1, count: 40_000)
    for _ in 1...6 {
      probe.input(.send(bytes, to: nil))
      probe.input(.send(bytes, as: .stream, to: [member]))
    }
    probe.isSlow = false
    var kinds: [MessageKind] = []
    for _ in 0..<24 where kinds.count < 12 {
      probe.input(.writable(link))
      kinds += try probe.messageHeads(on: link).map(\.kind)
    }
    let first = kinds.prefix(6)
    #expect(first.contains(.stream) && first.contains(.bytes))
  }

  @Test("the chain ends with its receiver, and says so even when nothing of it is on its way")
  func failed() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    probe.input(.send([1], as: .stream, to: [member]))
    let head = try #require(try probe.messageHeads(on: link).first)
    #expect(probe.node.streamReceiver(member) == NodeID(peer: member, incarnation: 7))
    var report = MessageReport(.report, .streams)
    (report.chain, report.last) = (head.chain, head.number)
    probe.send(.messageReport, on: link) { report.write(to: &$0) }
    _ = probe.takeEvents()
    probe.input(.leave)
    let events = probe.takeEvents()
    let failures = events.compactMap { event -> (UndeliveredMessages, NodeID)? in
      if case .streamsFailed(let failure, let node) = event { (failure, node) } else { nil }
    }
    #expect(failures.count == 1 && failures.first?.0.messages == [] && failures.first?.0.reason == .ended)
    #expect(failures.first?.1 == NodeID(peer: member, incarnation: 7))
    #expect(!events.contains { if case .messagesFailed = $0 { true } else { false } })
  }

  @Test("a part that claims to be critical, and a report about both chains, are malformed")
  func malformed() {
    for byte in [0x82, 0x03] as [UInt8] {
      var bytes: [UInt8] = [1, 0, 0, 0] + [UInt8](repeating: 0, count: 8) + [1] + [UInt8](repeating: 0, count: 7)
      bytes.append(byte)
      #expect(throws: DecodingFailure.self) {
        var reader = ByteReader(bytes.span)
        _ = try MessageHead(reading: &reader)
      }
    }
    let report = [UInt8(0xC0)] + [UInt8](repeating: 0, count: 16)
    #expect(throws: DecodingFailure.self) { try MessageReport(body: report.span.bytes) }
  }
}
