import PeerProtocol
import Testing
import WorldModel

/// The limit of the messages to all receivers together.
@Suite("Messages to all receivers together")
struct MessageTotalTests {
  private static let largest = [UInt8](repeating: 1, count: ProtocolLimits.message)
  private static let cost = ProtocolLimits.cost(ofMessage: largest)
  /// What messages that are not critical may cost.
  private static let shared = ProtocolLimits.messageTotal / 4 * 3

  /// A node and the links to as many members as a session may have.
  private static func full() -> (probe: NodeProbe, links: [LinkID]) {
    var probe = NodeProbe()
    let links = (1..<ProtocolLimits.members).map { probe.join(UInt64($0), NodeProbe.peer($0)) }
    return (probe, links)
  }

  /// Sends largest messages until one is refused; how many were accepted.
  private static func fill(
    _ probe: inout NodeProbe, _ mode: MessageMode = .reliable, to peers: [PeerID]? = nil
  ) -> Int {
    var count = 0
    while case .sent = probe.input(.send(largest, mode: mode, to: peers)) { count += 1 }
    return count
  }

  /// Has a member acknowledge the first messages of those that it was sent; whether the app is told of room.
  private static func acknowledge(_ count: Int, on link: LinkID, of probe: inout NodeProbe) throws -> Bool {
    let heads = try probe.messageHeads(on: link)
    var report = MessageReport(.report)
    (report.chain, report.last) = (heads[0].chain, heads[0].number + UInt64(count) - 1)
    report.window = UInt32(ProtocolLimits.messageWindow)
    _ = probe.takeEvents()
    probe.send(.messageReport, on: link) { report.write(to: &$0) }
    return probe.takeEvents().contains { if case .messageRoom = $0 { true } else { false } }
  }

  @Test("a message counts for each of its receivers, and the total is reached before their windows")
  func total() {
    var (probe, links) = Self.full()
    let sent = Self.fill(&probe)
    #expect(sent == Self.shared / (links.count * Self.cost))
    #expect(sent < ProtocolLimits.messageWindow / Self.cost)
    #expect(probe.node.messageLoad.total == sent * links.count * Self.cost)
    #expect(probe.input(.send(Self.largest, to: nil)) == .refused(.messagesWait))
  }

  @Test("critical messages have the rest of the total, which holds all their windows")
  func critical() {
    var (probe, _) = Self.full()
    _ = Self.fill(&probe)
    #expect(Self.fill(&probe, .critical) == ProtocolLimits.messageWindow / 4 / Self.cost)
    #expect(probe.node.messageLoad.total <= ProtocolLimits.messageTotal)
  }

  @Test("an app that was refused a message is told of room once the total has fallen far enough")
  func room() throws {
    var (probe, links) = Self.full()
    var sent = 0
    for number in 1...links.count { sent += Self.fill(&probe, to: [NodeProbe.peer(number)]) }
    #expect(sent == Self.shared / Self.cost)
    let ofEach = ProtocolLimits.messageWindow / Self.cost
    let last = sent / ofEach
    // The last member has few, but all together still have too many.
    #expect(try !Self.acknowledge(1, on: links[last], of: &probe))
    #expect(probe.input(.send(Self.largest, to: nil)) == .refused(.messagesWait))
    #expect(try Self.acknowledge(ofEach / 2, on: links[0], of: &probe))
    guard case .sent = probe.input(.send(Self.largest, to: [NodeProbe.peer(links.count)])) else {
      Issue.record("there is room, but a message is refused")
      return
    }
  }

  @Test("a receiver that leaves makes room for the others")
  func leave() {
    var (probe, links) = Self.full()
    for number in 1...links.count { _ = Self.fill(&probe, to: [NodeProbe.peer(number)]) }
    let other = [NodeProbe.peer(links.count)]
    #expect(probe.input(.send(Self.largest, to: other)) == .refused(.messagesWait))
    _ = probe.takeEvents()
    probe.send(.goodbye, on: links[0]) { Goodbye(.left).write(to: &$0) }
    #expect(probe.takeEvents().contains { if case .messageRoom = $0 { true } else { false } })
    #expect(Self.fill(&probe, to: other) > 0)
  }
}
