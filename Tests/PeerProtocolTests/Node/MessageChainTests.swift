import AnchorReplication
import Basics
import PeerProtocol
import Testing
import WorldModel

/// One node against frames by hand.
@Suite("Chains of messages")
struct MessageChainTests {
  private let member = NodeProbe.peer(1)

  private func message(
    _ chain: UInt32, _ previous: UInt64, _ number: UInt64, to probe: inout NodeProbe, on link: LinkID, size: Int = 1
  ) {
    probe.send(.message, on: link) {
      MessageHead(chain: chain, previous: previous, number: number).write(to: &$0)
      $0.write(bytes: [UInt8](repeating: UInt8(number), count: size))
    }
  }

  /// The first bytes of the messages that the app got.
  private func told(_ probe: inout NodeProbe) -> [UInt8] {
    probe.takeEvents().flatMap { event -> [UInt8] in
      if case .messages(let told, _) = event { told.map { $0[0] } } else { [] }
    }
  }

  private func report(_ kind: MessageReport.Kind, _ chain: UInt32, _ last: UInt64, window: UInt32 = 1 << 20)
    -> MessageReport
  {
    var report = MessageReport(kind)
    (report.chain, report.last, report.window) = (chain, last, window)
    return report
  }

  private func say(_ report: MessageReport, to probe: inout NodeProbe, on link: LinkID) {
    probe.send(.messageReport, on: link) { report.write(to: &$0) }
  }

  @Test("a message is taken only behind the one it names, and a new chain only from its beginning")
  func chain() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    _ = probe.takeEvents()
    for (chain, previous, number) in [
      (1, 2, 3), (1, 0, 2), (1, 0, 2), (1, 0, 4), (1, 2, 5), (2, 5, 6), (1, 5, 7), (3, 0, 8), (2, 0, 9), (1, 7, 10),
      (3, 8, 11),
    ] as [(UInt32, UInt64, UInt64)] { message(chain, previous, number, to: &probe, on: link) }
    #expect(told(&probe) == [2, 5, 7, 8, 11])
    // The first report opens the window, the next one has time.
    let window = UInt32(ProtocolLimits.messageWindow)
    let cost = UInt32(1 + ProtocolLimits.messageCost)
    #expect(try probe.messageReports(on: link) == [report(.report, 1, 2, window: window - cost)])
    probe.wait(.milliseconds(20))
    #expect(try probe.messageReports(on: link) == [report(.report, 3, 11, window: window - 5 * cost)])
  }

  @Test("messages of one member that arrive together are one event, which ends at any other")
  func together() {
    var probe = NodeProbe()
    let (link, other) = (probe.join(1, member), probe.join(2, NodeProbe.peer(2), incarnation: 8))
    _ = probe.takeEvents()
    func frames(_ messages: (number: UInt64, kind: MessageKind)...) -> [UInt8] {
      var writer = ByteWriter()
      for (number, kind) in messages {
        writer.writeFrame(.message) {
          MessageHead(chain: 1, previous: number - 1, number: number, kind: kind).write(to: &$0)
          $0.write(UInt8(number))
        }
      }
      return writer.bytes
    }
    probe.send(bytes: frames((1, .bytes), (2, .bytes), (3, .envelope), (4, .bytes)), on: link)
    probe.send(bytes: frames((1, .bytes)), on: other)
    let told = probe.takeEvents().compactMap { event -> [UInt8]? in
      switch event {
      case .messages(let messages, from: member): messages.map { $0[0] }
      case .messages(let messages, from: NodeProbe.peer(2)): [2] + messages.map { $0[0] }
      case .envelopes(let messages, from: _): messages[0].bytes
      default: nil
      }
    }
    #expect(told == [[1, 2], [3], [4], [2, 1]])
  }

  @Test("an app that was refused a message is told of room once a quarter of the window is free")
  func room() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    let cost = 1000 + ProtocolLimits.messageCost
    var sent = 0
    while case .sent = probe.input(.send([UInt8](repeating: 1, count: 1000), to: nil)) { sent += 1 }
    #expect(sent == ProtocolLimits.messageWindow / cost)
    func tellsRoom(upTo last: Int) -> Bool {
      say(report(.report, 1, UInt64(last)), to: &probe, on: link)
      return probe.takeEvents().contains { if case .messageRoom = $0 { true } else { false } }
    }
    let quarter = sent / 4 + 1
    #expect(!tellsRoom(upTo: 1) && !tellsRoom(upTo: quarter - 2))
    #expect(tellsRoom(upTo: quarter))
    // It was told.
    #expect(!tellsRoom(upTo: quarter + 1))
  }

  @Test("a repeated message is reported again, a question is answered at once, and much of it is reported early")
  func reported() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    message(1, 0, 1, to: &probe, on: link)
    probe.wait(.milliseconds(20))
    _ = try probe.frames(on: link)
    message(1, 0, 1, to: &probe, on: link)
    probe.wait(.milliseconds(20))
    #expect(try probe.messageReports(on: link).map(\.last) == [1])
    say(MessageReport(.question), to: &probe, on: link)
    #expect(try probe.messageReports(on: link).map(\.kind) == [.answer])
    let size = ProtocolLimits.messagesToReport / 4 - ProtocolLimits.messageCost
    for number in UInt64(2)...4 { message(1, number - 1, number, to: &probe, on: link, size: size) }
    #expect(try probe.messageReports(on: link).isEmpty)
    message(1, 4, 5, to: &probe, on: link, size: size)
    #expect(try probe.messageReports(on: link).map(\.last) == [5])
  }

  @Test("messages that arrive as one run, cut anywhere and taken a few at a time, are told once, in order")
  func run() throws {
    var writer = ByteWriter()
    for number in UInt64(1)...9 {
      if number == 6 { writer.writeFrame(.messageReport) { MessageReport(.question).write(to: &$0) } }
      // Odd ones are ordinary, even ones critical: two chains on their way at a time.
      let (chain, isCritical) = (UInt32(2 - number % 2), number.isMultiple(of: 2))
      writer.writeFrame(.message) { body in
        let previous = number < 3 ? 0 : number - 2
        MessageHead(chain: chain, previous: previous, number: number, isCritical: isCritical).write(to: &body)
        body.write(UInt8(number))
      }
    }
    var start = NodeProbe()
    let link = start.join(1, member)
    (_, _) = (start.takeEvents(), try start.frames(on: link))
    for cut in stride(from: 0, through: writer.count, by: 2) {
      for most in 1...4 {
        var probe = start
        for part in [writer.bytes[..<cut], writer.bytes[cut...]] {
          var rest = Array(part)
          while !rest.isEmpty {
            var count = 0
            let used = probe.node.receive(rest.span.bytes, on: link, at: probe.now) {
              count += 1
              return count == most
            }
            try #require(used > 0 && count <= most)
            rest.removeFirst(used)
          }
        }
        probe.input(.tick)
        #expect(told(&probe) == Array(1...9))
        #expect(try probe.messageReports(on: link).map(\.last) == [1, 2, 5])
      }
    }
  }

  @Test("a head that is not behind the one it names ends the link")
  func refused() throws {
    for bytes in [(0, 0, 1), (1, 2, 2), (1, 3, 2), (1, 0, 1 << 63)] as [(UInt32, UInt64, UInt64)] {
      var probe = NodeProbe()
      let link = probe.join(1, member)
      probe.send(.message, on: link) {
        $0.write(bytes.0)
        $0.write(bytes.1)
        $0.write(bytes.2)
      }
      #expect(try probe.goodbye(on: link) == .protocolError)
    }
  }

  @Test("a sender that ignores its window is not heard beyond twice of it")
  func memory() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    for number in 1...100 {
      message(1, UInt64(number - 1), UInt64(number), to: &probe, on: link, size: ProtocolLimits.message)
    }
    #expect(probe.node.messageLoad.unread <= 2 * ProtocolLimits.messageWindow)
    let count = told(&probe).count
    #expect(count == 2 * ProtocolLimits.messageWindow / (ProtocolLimits.message + ProtocolLimits.messageCost))
    // What was dropped is not acknowledged, and goes on where it stopped.
    probe.wait(.milliseconds(20))
    #expect(try probe.messageReports(on: link).last == report(.report, 1, UInt64(count), window: 0))
    probe.input(.messagesUnread(0, from: member))
    #expect(try probe.messageReports(on: link).last == report(.report, 1, UInt64(count)))
    message(1, UInt64(count), UInt64(count + 1), to: &probe, on: link)
    #expect(told(&probe).count == 1)
  }

  @Test("on a new link nothing is repeated before the receiver has said how far it has come")
  func newLink() throws {
    var probe = NodeProbe()
    let first = probe.join(1, member)
    _ = try probe.frames(on: first)
    for number in 1...3 { #expect(probe.input(.send([1], to: nil)) == .sent(MessageID(UInt64(number)))) }
    #expect(try probe.messageHeads(on: first).map(\.number) == [1, 2, 3])
    probe.input(.linkClosed(first))
    probe.input(.send([1], to: nil))
    let second = probe.greet(2, member)
    probe.send(.admit, on: second)
    let frames = try probe.frames(on: second).compactMap(\.type)
    #expect(frames.contains(.messageReport) && !frames.contains(.message))
    say(report(.answer, 1, 2), to: &probe, on: second)
    #expect(
      try probe.messageHeads(on: second) == [
        MessageHead(chain: 1, previous: 2, number: 3), MessageHead(chain: 1, previous: 3, number: 4),
      ])
    say(report(.report, 1, 4), to: &probe, on: second)
    #expect(probe.node.messageLoad.isSettled)
  }

  @Test("a receiver that reports nothing is asked, and its answer shows what it has dropped")
  func asked() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    for _ in 1...3 { probe.input(.send([1], to: nil)) }
    _ = try probe.frames(on: link)
    probe.wait(.seconds(2))
    #expect(try probe.messageReports(on: link).map(\.kind) == [.question])
    say(report(.answer, 1, 1), to: &probe, on: link)
    #expect(try probe.messageHeads(on: link).map(\.number) == [2, 3])
  }

  @Test("a receiver that has forgotten its chain makes what is open fail, and the next message begins another")
  func forgotten() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    for _ in 1...2 { probe.input(.send([1], to: nil)) }
    say(report(.report, 1, 1), to: &probe, on: link)
    _ = (probe.takeEvents(), try probe.frames(on: link))
    say(report(.answer, 0, 0), to: &probe, on: link)
    let failures = probe.takeEvents().compactMap { if case .messagesFailed(let failure) = $0 { failure } else { nil } }
    #expect(failures == [UndeliveredMessages(receiver: member, messages: [MessageID(2)], reason: .restarted)])
    probe.input(.send([1], to: nil))
    #expect(try probe.messageHeads(on: link) == [MessageHead(chain: 2, previous: 0, number: 3)])
  }

  @Test("what leaves stays within the window that the receiver states")
  func window() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    let cost = 1000 + ProtocolLimits.messageCost
    for _ in 0..<400 { probe.input(.send([UInt8](repeating: 1, count: 1000), to: nil)) }
    let first = try probe.messageHeads(on: link).count
    #expect(first == ProtocolLimits.messageWindow / 4 / cost)
    say(report(.report, 1, 10, window: UInt32(first * cost)), to: &probe, on: link)
    #expect(try probe.messageHeads(on: link).count == 10)
    say(report(.report, 1, 10, window: UInt32((first + 5) * cost)), to: &probe, on: link)
    #expect(try probe.messageHeads(on: link).count == 5)
    say(report(.report, 1, 20, window: UInt32((first + 5) * cost)), to: &probe, on: link)
    #expect(try probe.messageHeads(on: link).count == 10)
  }

  @Test("an edit leaves before the messages that wait")
  func priority() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    probe.send(VersionVector(), on: link)
    probe.isSlow = true
    for _ in 1...4 { probe.input(.send([UInt8](repeating: 1, count: ProtocolLimits.message), to: nil)) }
    try probe.edit(.place(Anchor(id: AnchorID(high: 1, low: 1), name: "a")))
    _ = try probe.frames(on: link)
    probe.isSlow = false
    probe.input(.writable(link))
    let types = try probe.frames(on: link).compactMap(\.type)
    #expect(types.first == .operations && types.contains(.message))
  }

  @Test("a report that was overtaken takes nothing back")
  func overtaken() throws {
    var probe = NodeProbe()
    let link = probe.join(1, member)
    for _ in 1...3 { probe.input(.send([1], to: nil)) }
    say(report(.report, 1, 2), to: &probe, on: link)
    _ = try probe.frames(on: link)
    say(report(.report, 1, 2, window: 0), to: &probe, on: link)
    say(report(.report, 1, 1, window: 0), to: &probe, on: link)
    probe.input(.send([1], to: nil))
    #expect(try probe.messageHeads(on: link) == [MessageHead(chain: 1, previous: 3, number: 4)])
  }

  @Test("a message that is sent while the other side has not admitted this node arrives when it has")
  func early() throws {
    var probe = NodeProbe()
    let link = probe.accept(1, member)
    _ = try probe.frames(on: link)
    #expect(probe.input(.send([1], to: nil)) == .sent(MessageID(1)))
    #expect(probe.input(.send([1], to: [member])) == .sent(MessageID(2)))
    #expect(try probe.messageHeads(on: link).isEmpty)
    probe.send(.admit, on: link)
    #expect(try probe.messageHeads(on: link).map(\.number) == [1, 2])
  }

  @Test("a message to a peer that never admits this node fails with its link")
  func neverAdmitted() throws {
    var probe = NodeProbe()
    let link = probe.accept(1, member)
    probe.input(.send([1], to: nil))
    _ = probe.takeEvents()
    probe.input(.linkClosed(link))
    let failures = probe.takeEvents().compactMap { if case .messagesFailed(let failure) = $0 { failure } else { nil } }
    #expect(failures == [UndeliveredMessages(receiver: member, messages: [MessageID(1)], reason: .left)])
  }

  @Test(
    "a member that was never reached gets no message to all, and one to it alone fails after a while",
    arguments: [false, true])
  func neverReached(greets: Bool) throws {
    var probe = NodeProbe()
    let (link, other) = (probe.join(1, member), NodeProbe.peer(3))
    let entry = RosterEntry(
      peerID: other, version: 1, status: .present, incarnation: 9, name: "other", addresses: [.loopback(port: 9)])
    probe.tell([entry], on: link)
    _ = (probe.takeEvents(), try probe.frames(on: link))
    if greets {
      // Its link is being made, and breaks before it is a member's.
      let second = probe.greet(2, other, incarnation: 9)
      probe.input(.send([1], to: nil))
      probe.input(.linkClosed(second))
    } else {
      probe.input(.send([1], to: [other]))
      probe.input(.send([1], to: nil))
    }
    #expect(try probe.messageHeads(on: link).count == 1)
    probe.wait(seconds: 9, keeping: [link])
    probe.wait(seconds: 2, keeping: [link])
    let failures = probe.takeEvents().compactMap { if case .messagesFailed(let failure) = $0 { failure } else { nil } }
    #expect(failures == [UndeliveredMessages(receiver: other, messages: [MessageID(1)], reason: .lost)])
  }

  @Test("a relay passes messages on within its bound, and drops the rest")
  func relay() throws {
    var probe = NodeProbe()
    let (one, other) = (probe.join(1, member), probe.join(2, NodeProbe.peer(2), incarnation: 8))
    _ = try probe.frames(on: other)
    probe.isSlow = true
    let route = FrameRoute(
      from: NodeID(peer: member, incarnation: 7), to: NodeID(peer: NodeProbe.peer(2), incarnation: 8))
    for number in 1...40 {
      probe.send(.relayedMessage, on: one) {
        route.write(to: &$0)
        MessageHead(chain: 1, previous: UInt64(number - 1), number: UInt64(number)).write(to: &$0)
        $0.write(bytes: [UInt8](repeating: 7, count: 20_000))
      }
    }
    let load = probe.node.messageLoad.relayed
    #expect(load > ProtocolLimits.messageWindow / 5 && load <= ProtocolLimits.messageWindow / 4)
    probe.isSlow = false
    probe.input(.writable(other))
    let passed = try probe.frames(on: other).filter { $0.type == .relayedMessage }
    // Those that left before the link was full, and those that waited.
    let most = (ProtocolLimits.messageWindow / 4 + 2 * ProtocolLimits.transmitWindow) / 20_000
    #expect(passed.count > 12 && passed.count <= most)
    #expect(passed.allSatisfy { $0.body[0] == 1 })
    let numbers = try passed.map { frame in
      var reader = ByteReader(frame.body.span)
      _ = try FrameRoute(reading: &reader)
      return try MessageHead(reading: &reader).number
    }
    #expect(numbers == numbers.sorted())
    #expect(told(&probe).isEmpty)
  }

  @Test("a message that comes before the app was told of its sender is not taken, and is when it comes again")
  func unannounced() throws {
    var probe = NodeProbe()
    let (first, other) = (probe.join(1, member), NodeProbe.peer(2))
    func record(_ version: UInt32, _ incarnation: UInt64) -> RosterEntry {
      RosterEntry(peerID: other, version: version, incarnation: incarnation, name: "b", addresses: [])
    }
    // It is linked as a stranger, and then said to be a member, but another start of it.
    let link = probe.greet(2, other, incarnation: 8)
    probe.tell([record(1, 6)], on: first)
    probe.send(.admit, on: link)
    _ = probe.takeEvents()
    message(1, 0, 1, to: &probe, on: link)
    #expect(told(&probe).isEmpty && probe.closed.isEmpty)
    say(MessageReport(.question), to: &probe, on: link)
    #expect(try probe.messageReports(on: link).last?.last == 0)
    probe.tell([record(2, 8)], on: link)
    message(1, 0, 1, to: &probe, on: link)
    #expect(told(&probe) == [1])
  }

  @Test("nobody speaks through others for a member with a link of its own")
  func believed() throws {
    var probe = NodeProbe()
    let (_, other) = (probe.join(1, member), probe.join(2, NodeProbe.peer(2), incarnation: 8))
    _ = probe.takeEvents()
    let route = FrameRoute(from: NodeID(peer: member, incarnation: 7), to: probe.node.me)
    probe.send(.relayedMessage, on: other) {
      route.write(to: &$0)
      MessageHead(chain: 1, previous: 0, number: 1).write(to: &$0)
      $0.write(UInt8(1))
    }
    #expect(told(&probe).isEmpty && probe.closed.isEmpty)
  }
}
