import Basics
import PeerProtocol
import TestSupport
import Testing
import WorldModel

@testable import SharedWorld

@Suite("Kept messages", .endsHangs)
struct MessageHistoryTests {
  private static func lines(_ session: Session, keep: Int = 1000) -> MessageStream<LabelEvent> {
    var retention = MessageRetention.last(keep)
    // A busy machine takes longer than an app would wait, and what it tells is the same.
    (retention.answerTime, retention.patience) = (.seconds(3600), .seconds(3600))
    return session.messages.of(LabelEvent.self, at: "chat", keep: retention)
  }

  private static func say(_ texts: String..., by session: Session) async throws {
    for text in texts { try await session.messages.send(LabelEvent(text: text), to: .all, at: "chat") }
  }

  private static func read(
    _ count: Int, from lines: inout MessageStream<LabelEvent>.Iterator
  ) async -> [String] {
    var texts: [String] = []
    while texts.count < count, let line = await lines.next() {
      texts.append("\(line.sender.name): \(line.object.text)")
    }
    return texts
  }

  /// Runs `body` with Carol, who joins Alice and Bob late.
  private static func late(
    keep: Int = 1000, before: @Sendable (Session, Session) async throws -> Void,
    _ body: @Sendable (Session, Session, inout MessageStream<LabelEvent>.Iterator) async throws -> Void
  ) async throws {
    try await TestSessions.joined { alice, bob in
      let (ones, others) = (lines(alice, keep: keep), lines(bob, keep: keep))
      try await before(alice, bob)
      try await Session.withSession(as: TestSessions.identity("carol"), configuration: TestSessions.configuration()) {
        carol in
        let late = lines(carol, keep: keep)
        _ = try await carol.join(bob.address)
        var iterator = late.makeAsyncIterator()
        try await body(alice, carol, &iterator)
      }
      withExtendedLifetime((ones, others)) {}
    }
  }

  @Test("a late joiner is told them once, those of each sender in order, and then what is live")
  func lateJoiner() async throws {
    try await Self.late { alice, bob in
      try await Self.say("1", "2", "3", by: alice)
      try await Self.say("a", "b", by: bob)
    } _: { alice, carol, lines in
      let texts = await Self.read(5, from: &lines)
      #expect(texts.filter { $0.hasPrefix("alice") } == ["alice: 1", "alice: 2", "alice: 3"])
      #expect(texts.filter { $0.hasPrefix("bob") } == ["bob: a", "bob: b"])
      try await until { await alice.state.peers.count == 2 }
      try await Self.say("4", by: alice)
      #expect(await Self.read(1, from: &lines) == ["alice: 4"])
    }
  }

  @Test("they outlive their sender, also where it was the host")
  func senderIsGone() async throws {
    let alice = try await Session.start(
      as: TestSessions.identity("alice"), configuration: TestSessions.configuration())
    try await Session.withSession(as: TestSessions.identity("bob"), configuration: TestSessions.configuration()) {
      bob in
      let kept = (Self.lines(alice.session), Self.lines(bob))
      _ = try await alice.session.join(bob.address)
      try await Self.say("1", "2", by: alice.session)
      await alice.stop()
      try await Session.withSession(as: TestSessions.identity("carol"), configuration: TestSessions.configuration()) {
        carol in
        _ = try await carol.join(bob.address)
        // A reader that begins after the joining is told them too.
        var lines = Self.lines(carol).makeAsyncIterator()
        #expect(await Self.read(2, from: &lines) == ["alice: 1", "alice: 2"])
      }
      withExtendedLifetime(kept) {}
    }
  }

  @Test("only the latest are kept, and none that was for some members, or of those who keep none")
  func bounds() async throws {
    try await Self.late(keep: 2) { alice, bob in
      try await Self.say("1", "2", "3", by: alice)
      try await alice.messages.send(LabelEvent(text: "secret"), to: .peer(bob.localPeer.id), at: "chat")
      try await alice.messages.send(LabelEvent(text: "elsewhere"), to: .all, at: "draw")
    } _: { alice, carol, lines in
      #expect(await Self.read(2, from: &lines) == ["alice: 2", "alice: 3"])
      try await until { await alice.state.peers.count == 2 }
      try await Self.say("4", by: alice)
      #expect(await Self.read(1, from: &lines) == ["alice: 4"])
    }
  }

  @Test("more than one answer holds comes in several")
  func pages() async throws {
    let long = String(repeating: "x", count: 20_000)
    try await Self.late { alice, _ in
      for index in 0..<12 { try await Self.say("\(index) \(long)", by: alice) }
    } _: { _, _, lines in
      let texts = await Self.read(12, from: &lines)
      #expect(texts == (0..<12).map { "alice: \($0) \(long)" })
    }
  }

  @Test("senders take turns as they did, and each has its order")
  func order() {
    let (one, other) = (
      NodeID(peer: PeerID(SHA256Digest(hashing: [1])), incarnation: 1),
      NodeID(peer: PeerID(SHA256Digest(hashing: [2])), incarnation: 1)
    )
    let mixed: [(NodeID, UInt64)] = [(one, 5), (other, 2), (one, 4), (other, 1), (one, 3)]
    let ordered = KeptMessage.inOrder(mixed) { (sender: $0.0, number: $0.1) }
    #expect(ordered.map(\.1) == [3, 1, 4, 2, 5])
  }

  // ---- What one member can do that lies

  private static let alice = NodeID(peer: PeerID(SHA256Digest(hashing: [1])), incarnation: 1)

  private static func message(_ number: UInt64, _ text: String, isTold: Bool = false) -> KeptMessage {
    let envelope = MessageEnvelope(
      endpoint: "chat", type: "LabelEvent", contentType: "a/b", bytes: Array(text.utf8))
    return KeptMessage(sender: alice, name: "alice", number: number, envelope: envelope, isTold: isTold)
  }

  private static func texts(_ messages: [KeptMessage]) -> [String] {
    messages.map { String(decoding: $0.envelope.bytes, as: UTF8.self) }
  }

  @Test("invented numbers keep no live message from the reader, nor from those that ask later")
  func inventedNumbers() throws {
    let history = MessageHistory(of: "LabelEvent", at: "chat", .last(10))
    var told: Table<NodeID, UInt64> = [:]
    #expect(history.ask([PeerID(SHA256Digest(hashing: [2]))]))
    let lies = [Self.message(7, "a lie"), Self.message(1 << 62, "another")]
    #expect(history.take(lies, raising: &told, besides: nil))
    let found = history.finish()
    #expect(Self.texts(found) == ["a lie", "another"])
    let live = Self.message(7, "the truth", isTold: true)
    history.keep(live)
    let asked = MessageHistory.Question(
      type: "LabelEvent", pattern: "chat", digest: SHA256Digest(hashing: []), told: [:])
    let answer = try history.read(answer: history.answer(to: asked).bytes)
    #expect(Set(Self.texts(answer)) == ["a lie", "the truth", "another"])

    var backlog = MessageBacklog()
    backlog.hold()
    backlog.append([Self.arrived(live)])
    backlog.release(found.map(Self.arrived))
    #expect(Set(Self.texts(backlog.take())) == ["a lie", "the truth", "another"])
    // Of one that comes twice as it is, the second is dropped, and takes no room.
    backlog.append([Self.arrived(Self.message(7, "a lie"))])
    #expect(backlog.isEmpty && backlog.bytes[Self.alice.peer] == 0)
  }

  private static func arrived(_ kept: KeptMessage) -> ArrivedMessage {
    ArrivedMessage(
      envelope: kept.envelope, sender: kept.sender, name: kept.name, origin: .numbered(MessageID(kept.number)),
      request: nil, cost: 10, mark: kept.mark)
  }

  private static func texts(_ messages: [ArrivedMessage]) -> [String] {
    messages.map { String(decoding: $0.envelope.bytes, as: UTF8.self) }
  }

  @Test("what one member leaves out another one tells, and one that holds the same tells nothing")
  func leftOut() throws {
    let (honest, reader) = (
      MessageHistory(of: "LabelEvent", at: "chat", .last(10)), MessageHistory(of: "LabelEvent", at: "chat", .last(10))
    )
    for number in 1...3 as ClosedRange<UInt64> { honest.keep(Self.message(number, "\(number)", isTold: true)) }
    // A liar tells the last one alone.
    var told: Table<NodeID, UInt64> = [:]
    #expect(reader.take([Self.message(3, "3")], raising: &told, besides: nil))
    told = [:]
    let answer = honest.answer(to: try MessageHistory.read(question: reader.question(after: told).bytes))
    #expect(reader.take(try reader.read(answer: answer.bytes), raising: &told, besides: nil))
    #expect(Self.texts(reader.finish()) == ["1", "2", "3"])
    #expect(honest.answer(to: try MessageHistory.read(question: reader.question(after: [:]).bytes)).bytes.isEmpty)
  }

  @Test("a member that always has more is asked so often and no more, and takes no more memory")
  func endless() async throws {
    let history = MessageHistory(of: "LabelEvent", at: "chat", .last(10))
    #expect(history.ask([PeerID(SHA256Digest(hashing: [2]))]))
    var count: UInt64 = 0
    await history.collect(besides: nil, while: { true }) { _, _ in
      count += 1
      let liar = MessageHistory(of: "LabelEvent", at: "chat", .last(1))
      liar.keep(Self.message(count, "\(count)"))
      let question = MessageHistory.Question(
        type: "LabelEvent", pattern: "chat", digest: SHA256Digest(hashing: []), told: [:])
      return liar.answer(to: question).bytes
    }
    #expect(count == MessageHistory.answersLimit)
    #expect(history.finish().count == 10)
    // Without time nobody is asked.
    #expect(history.ask([PeerID(SHA256Digest(hashing: [2]))]))
    await history.collect(besides: nil, while: { false }) { _, _ in
      Issue.record("a member was asked")
      return nil
    }
    #expect(history.next() == nil)
  }

  @Test("damaged questions and answers are refused, never a crash")
  func damage() throws {
    let history = MessageHistory(of: "LabelEvent", at: "chat", .last(2))
    let sender = NodeID(peer: PeerID(SHA256Digest(hashing: [1])), incarnation: 1)
    let envelope = MessageEnvelope(endpoint: "chat", type: "LabelEvent", contentType: "a/b", bytes: [1, 2])
    history.keep(KeptMessage(sender: sender, name: "alice", number: 1, envelope: envelope, isTold: true))
    let question = history.question(after: [sender: 1]).bytes
    let asked = { (told: Table<NodeID, UInt64>) in
      MessageHistory.Question(type: "LabelEvent", pattern: "chat", digest: SHA256Digest(hashing: []), told: told)
    }
    let answer = history.answer(to: asked([:])).bytes
    #expect(try MessageHistory.read(question: question).told[sender] == 1)
    #expect(try history.read(answer: answer).map(\.number) == [1])
    #expect(history.answer(to: asked([sender: 1])).bytes.isEmpty)
    for length in 1..<answer.count {
      #expect(throws: (any Error).self) { try history.read(answer: Array(answer.prefix(length))) }
    }
    for length in 0..<question.count {
      #expect(throws: (any Error).self) { try MessageHistory.read(question: Array(question.prefix(length))) }
    }
  }
}
