import Glibc
import SharedWorld
import Synchronization
import TestSupport
import Testing

/// A label that somebody writes into the world.
struct LabelEvent: Codable, Hashable, Sendable {
  var text: String
}

/// What a pen does: an enum with associated values.
enum PenEvent: Codable, Hashable, Sendable {
  case down(SIMD3<Float>, width: Float)
  case up
}

@Suite("Objects of apps", .endsHangs)
struct ObjectMessageTests {
  @Test("arrive decoded, with placement and fields, in order, at those that read their type and endpoint")
  func arrive() async throws {
    try await TestSessions.joined { alice, bob in
      let (labels, pens) = (bob.messages.of(LabelEvent.self, at: "draw/*"), bob.messages.of(PenEvent.self))
      let transform = Transform(translation: [1, 2, 3])
      try await alice.messages.send(
        Message(LabelEvent(text: "one"), transform: transform, fields: ["a": "b"]), to: .all, at: "draw/red")
      try await alice.send(PenEvent.down([1, 2, 3], width: 0.5), to: .peer(bob.localPeer.id), at: "pen")
      try await alice.messages.sendNow(LabelEvent(text: "two"), to: .all, at: "draw/blue")
      try await alice.send(PenEvent.up, to: .all, at: "pen")
      var label = labels.makeAsyncIterator()
      let one = try #require(await label.next())
      #expect(one.object == LabelEvent(text: "one") && one.sender == alice.localPeer && one.endpoint == "draw/red")
      #expect(one.transform == transform && one.fields == ["a": "b"])
      #expect(await label.next()?.object.text == "two")
      var pen = pens.makeAsyncIterator()
      #expect(await pen.next()?.object == .down([1, 2, 3], width: 0.5))
      #expect(await pen.next()?.object == .up)
    }
  }

  @Test("bytes and objects keep one order, and neither gets into the other's way")
  func bytes() async throws {
    try await TestSessions.joined { alice, bob in
      let labels = bob.messages.of(LabelEvent.self)
      try await alice.send([1])
      try await alice.send(LabelEvent(text: "x"), to: .all, at: "draw")
      try await alice.send([2])
      var events = bob.events.makeAsyncIterator()
      for number: UInt8 in [1, 2] {
        #expect(try await events.first { if case .message(let bytes, _) = $0 { bytes } else { nil } } == [number])
      }
      var label = labels.makeAsyncIterator()
      #expect(await label.next()?.object.text == "x")
    }
  }

  @Test("come back when nothing reads them, or when they cannot be decoded, and the session goes on")
  func returned() async throws {
    try await TestSessions.joined { alice, bob in
      let numbers = bob.messages.of(Int.self, at: "number")
      let id = try await alice.send(LabelEvent(text: "x"), to: .all, at: "draw")
      var events = alice.events.makeAsyncIterator()
      func next() async throws -> MessageReturn {
        try await events.first { if case .messageReturned(let returned) = $0 { returned } else { nil } }
      }
      let first = try await next()
      #expect(first.message == id && first.receiver == bob.localPeer && first.reason == .unhandled)
      #expect(first.text == "nothing reads LabelEvent at draw")
      let second = try await alice.send(Fake(text: "no number"), to: .all, at: "number")
      let third = try await alice.send(7, to: .all, at: "number")
      #expect(third > second)
      var number = numbers.makeAsyncIterator()
      #expect(await number.next()?.object == 7)
      let returned = try await next()
      #expect(returned.message == second && returned.reason == .undecodable && !returned.text.isEmpty)
    }
  }

  /// Another app's idea of a number.
  private struct Fake: Codable, NamedMessageObject {
    static let messageName = "Int"
    var text: String
  }

  @Test("come back when a handler throws, with the text that it gives, and only that")
  func handlers() async throws {
    try await TestSessions.joined { alice, bob in
      let labels = bob.messages.of(LabelEvent.self)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          await labels.handle { label in
            if label.object.text == "bad" { throw RemoteError("bad-label", "this is not a label") }
            struct Secret: Error { let path = "/home/bob" }
            throw Secret()
          }
        }
        let texts = ["bad", "other"]
        for text in texts { try await alice.send(LabelEvent(text: text), to: .all, at: "draw") }
        var events = alice.events.makeAsyncIterator()
        for text in ["this is not a label", "the receiver's app could not handle it"] {
          let returned = try await events.first { if case .messageReturned(let one) = $0 { one } else { nil } }
          #expect(returned.reason == .refused && returned.text == text)
        }
        group.cancelAll()
      }
    }
  }

  /// How far a sender has come.
  private final class Counter: Sendable {
    let count = Mutex(0)
  }

  @Test("a stream that is not read makes the sender wait, and nothing is lost when it is")
  func slow() async throws {
    try await TestSessions.joined { alice, bob in
      let labels = bob.messages.of(LabelEvent.self)
      let text = String(repeating: "x", count: 50_000)
      let sent = Counter()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for number in 1...100 {
            try await alice.send(LabelEvent(text: "\(number) \(text)"), to: .all, at: "draw")
            sent.count.withLock { $0 = number }
          }
        }
        // What bob's reader and alice hold at most.
        let most = 2 * (Session.Events.messageCapacity / 50_000)
        try await until { sent.count.withLock { $0 } >= most - 2 }
        // Time enough to send the rest, were it allowed to.
        for number in 0..<50 {
          try await bob.place(Anchor(name: "\(number)"), acknowledgement: .everyPresentMember)
        }
        #expect(sent.count.withLock { $0 } <= most)
        var found = 0
        for await label in labels {
          found += 1
          #expect(label.object.text.hasPrefix("\(found) x"))
          if found == 100 { break }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("an object that is too large, has a bad endpoint or transform, or cannot be encoded is refused at once")
  func refused() async throws {
    try await TestSessions.two { alice, _ in
      func code(_ body: () async throws(SessionError) -> Void) async -> SessionError.Code? {
        do throws(SessionError) { try await body() } catch { return error.code }
        return nil
      }
      let label = LabelEvent(text: "x")
      #expect(
        await code { () async throws(SessionError) in
          try await alice.send(String(repeating: "x", count: 61_440), to: .all, at: "a")
        } == .limitExceeded)
      #expect(
        await code { () async throws(SessionError) in try await alice.send(label, to: .all, at: "") }
          == .invalidArgument)
      #expect(
        await code { () async throws(SessionError) in
          try await alice.send(label, to: .all, at: String(repeating: "a", count: 256))
        } == .limitExceeded)
      #expect(
        await code { () async throws(SessionError) in try await alice.send(Double.nan, to: .all, at: "a") }
          == .invalidArgument)
      let skewed = Transform(columns: ([2, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]))
      #expect(
        await code { () async throws(SessionError) in
          try await alice.messages.send(Message(label, transform: skewed), to: .all, at: "a")
        } == .invalidArgument)
    }
  }

  // MARK: Middleware

  /// Writes its name into a header field on the way out and in, and stops what it is told to stop.
  private struct Stamp: MessageMiddleware {
    let name: String
    var stopsOut = ""
    var stopsIn = ""

    func send(_ envelope: inout MessageEnvelope, to audience: MessageAudience) throws {
      if envelope.endpoint == stopsOut { throw RemoteError("stopped") }
      envelope.fields["out", default: ""] += name
    }

    func receive(_ envelope: inout MessageEnvelope, from sender: PeerID) throws {
      if envelope.endpoint == stopsIn { throw RemoteError("refused", "not here") }
      envelope.fields["in", default: ""] += name
      if envelope.endpoint == "old" { envelope.endpoint = "new" }
    }
  }

  @Test("middleware changes what leaves in order and what arrives in reverse order, and stops both with an error")
  func middleware() async throws {
    var configuration = TestSessions.configuration()
    configuration.middleware = [Stamp(name: "a", stopsOut: "private", stopsIn: "closed"), Stamp(name: "b")]
    let settings = configuration
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: settings) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: settings) { bob in
        _ = try await alice.join(bob.address)
        let labels = bob.messages.of(LabelEvent.self, at: "new")
        let error = await #expect(throws: SessionError.self) {
          try await alice.send(LabelEvent(text: "x"), to: .all, at: "private")
        }
        #expect(error?.code == .messageStopped && error?.cause as? RemoteError == RemoteError("stopped"))
        let closed = try await alice.send(LabelEvent(text: "x"), to: .all, at: "closed")
        try await alice.send(LabelEvent(text: "y"), to: .all, at: "old")
        let returned = try await alice.first { if case .messageReturned(let one) = $0 { one } else { nil } }
        #expect(returned.message == closed && returned.reason == .refused && returned.text == "not here")
        var label = labels.makeAsyncIterator()
        let found = try #require(await label.next())
        #expect(found.object.text == "y" && found.fields == ["out": "ab", "in": "ba"] && found.endpoint == "new")
      }
    }
  }

  /// Text as bytes, for strings alone.
  private struct TextCoder: ObjectCoder {
    var contentType: String { "text/plain" }
    func encode(_ object: some Encodable) throws -> [UInt8] {
      guard let text = object as? String else { throw RemoteError("no-text") }
      return Array(text.utf8)
    }
    func decode<Object: Decodable>(_ type: Object.Type, from bytes: [UInt8]) throws -> Object {
      guard let text = String(decoding: bytes, as: UTF8.self) as? Object else { throw RemoteError("no-text") }
      return text
    }
  }

  @Test("any coder carries objects; a peer with another one returns them")
  func coder() async throws {
    var configuration = TestSessions.configuration()
    configuration.coder = TextCoder()
    let settings = configuration
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: settings) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: settings) { bob in
        try await Session.withSession(as: TestSessions.identity("carol"), configuration: TestSessions.configuration()) {
          carol in
          for peer in [bob, carol] { _ = try await alice.join(peer.address) }
          let (texts, others) = (bob.messages.of(String.self), carol.messages.of(String.self))
          let id = try await alice.send("hello", to: .all, at: "chat")
          var text = texts.makeAsyncIterator()
          #expect(await text.next()?.object == "hello")
          try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await others.handle { _ in } }
            let returned = try await alice.first { if case .messageReturned(let one) = $0 { one } else { nil } }
            #expect(returned.message == id && returned.receiver == carol.localPeer)
            #expect(returned.reason == .undecodable)
            group.cancelAll()
          }
        }
      }
    }
  }

  /// An object that knows on which thread it was decoded.
  private struct Witness: Codable {
    private enum CodingKeys: CodingKey {}

    let thread = UInt(pthread_self())
  }

  @Test("an object is decoded on the actor that reads it")
  func actor() async throws {
    // Jobs of a session's actor run on one thread.
    @Sendable func isReadHere(_ witnesses: MessageStream<Witness>, on actor: isolated Session) async -> Bool {
      var witness = witnesses.makeAsyncIterator()
      return await witness.next()?.object.thread == UInt(pthread_self())
    }
    @Sendable func isNextHere(_ witnesses: MessageStream<Witness>, on actor: isolated Session) async -> Bool {
      for await witness in witnesses { return witness.object.thread == UInt(pthread_self()) }
      return false
    }
    try await TestSessions.joined { alice, bob in
      let (one, other) = (bob.messages.of(Witness.self, at: "one"), bob.messages.of(Witness.self, at: "other"))
      try await alice.send(Witness(), to: .all, at: "one")
      try await alice.send(Witness(), to: .all, at: "other")
      #expect(await isReadHere(one, on: alice))
      #expect(await isNextHere(other, on: alice))
    }
  }

  @Test("an anchor's payload holds an object, and says what it is if it holds another")
  func payload() async throws {
    try await TestSessions.joined { alice, bob in
      let id = try await alice.world.place(
        Anchor(name: "lamp"), payload: LabelEvent(text: "on"), acknowledgement: .everyPresentMember)
      let anchor = try #require(await bob.world.anchors.first { $0.id == id })
      #expect(try anchor.decodePayload(LabelEvent.self) == LabelEvent(text: "on"))
      #expect(anchor.payload?.contentType == "application/json")
      let wrong = #expect(throws: SessionError.self) { try anchor.decodePayload(Int.self) }
      #expect(wrong?.code == .corruptData)
      #expect(throws: SessionError.self) { try Anchor(name: "bare").decodePayload(Int.self) }
      var text = anchor
      text.payload?.contentType = "text/plain"
      #expect(throws: SessionError.self) { try text.decodePayload(LabelEvent.self) }
    }
  }
}
