import TestSupport
import Testing

@testable import SharedWorld

@Suite("Unreliable messages of sessions", .endsHangs)
struct UnreliableSessionTests {
  @Test("the latest arrives, none behind a newer one, and they wait for no room")
  func latest() async throws {
    try await TestSessions.joined { alice, bob in
      // Reliable messages fill the window, because bob does not read.
      do throws(SessionError) {
        while true { try await alice.messages.sendNow([UInt8](repeating: 1, count: 60_000)) }
      } catch {
        #expect(error.code == .wouldBlock)
      }
      for value in 1...200 {
        try await alice.send([UInt8(value)], mode: .unreliable(key: "a"))
        try await alice.messages.sendNow([UInt8(value)], to: .peer(bob.localPeer.id), mode: .unreliable(key: "b"))
      }
      var values: [String: [UInt8]] = [:]
      var events = bob.events.makeAsyncIterator()
      while values["a"]?.last != 200 || values["b"]?.last != 200, let event = await events.next() {
        guard case .unreliableMessage(let bytes, let key, let peer) = event else { continue }
        #expect(peer == alice.localPeer)
        values[key, default: []] += bytes
      }
      for (_, values) in values { #expect(values == values.sorted() && Set(values).count == values.count) }
    }
  }

  @Test("objects go this way too, and one that nobody reads is dropped")
  func objects() async throws {
    try await TestSessions.joined { alice, bob in
      let labels = bob.messages.of(LabelEvent.self, at: "pointer")
      try await alice.send(LabelEvent(text: "lost"), to: .all, at: "nowhere", mode: .unreliable(key: "lost"))
      try await alice.send(LabelEvent(text: "x"), to: .all, at: "pointer", mode: .unreliable(key: "pointer"))
      var iterator = labels.makeAsyncIterator()
      #expect(await iterator.next()?.object.text == "x")
      // A returned message would have come before this.
      try await bob.send([1])
      _ = try await alice.first { event -> Bool? in
        if case .messageReturned = event { Issue.record("an unreliable message came back") }
        if case .message = event { return true }
        return nil
      }
    }
  }

  @Test("what no receiver would accept is refused")
  func refused() async throws {
    try await TestSessions.joined { alice, _ in
      for (size, key, code) in [
        (16 * 1024 + 1, "a", SessionError.Code.limitExceeded), (1, "a\n", .invalidArgument),
        (1, String(repeating: "a", count: 64), .invalidArgument),
      ] {
        let error = await #expect(throws: SessionError.self) {
          try await alice.send([UInt8](repeating: 1, count: size), mode: .unreliable(key: key))
        }
        #expect(error?.code == code)
      }
    }
  }
}

@Suite("Unread unreliable messages")
struct UnreadUnreliableTests {
  @Test("a newer one replaces the unread one of its key and peer, and too many keys are dropped with a word about it")
  func backlog() async {
    let hub = EventHub()
    let peers = (0...1).map { Peer(id: PeerID(SHA256Digest(words: SIMD4($0, 0, 0, 0))), name: "sender") }
    for value: UInt8 in 1...100 {
      for peer in peers { hub.publish([.unreliableMessage([value], key: "a", from: peer)]) }
    }
    var iterator = Session.Events(hub: hub).makeAsyncIterator()
    let batch = await iterator.nextBatch() ?? []
    #expect(batch.count == 2)
    for event in batch {
      guard case .unreliableMessage([100], "a", _) = event else {
        Issue.record("not the latest: \(event)")
        continue
      }
    }
    for key in 0...Session.Events.unreliableCapacity {
      hub.publish([.unreliableMessage([1], key: "\(key)", from: peers[0])])
    }
    let rest = await iterator.nextBatch() ?? []
    guard rest.count == 1, case .problem(let error) = rest[0] else {
      Issue.record("\(rest)")
      return
    }
    #expect(error.code == .consumerTooSlow)
  }
}
