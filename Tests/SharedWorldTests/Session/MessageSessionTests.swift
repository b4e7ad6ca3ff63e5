import PeerTransport
import Synchronization
import TestSupport
import Testing

@testable import SharedWorld

@Suite("Messages of sessions", .endsHangs)
struct MessageSessionTests {
  private static let size = 60_000

  private static func message(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(number), count: size) }

  /// Reads messages until there are so many, and returns the first byte of each; an event of a broken connection is a failure.
  private static func read(_ count: Int, of session: Session) async -> [UInt8] {
    var found: [UInt8] = []
    var events = session.events.makeAsyncIterator()
    while found.count < count, let event = await events.next() {
      if case .message(let bytes, _) = event { found.append(bytes.first ?? 0) }
      if case .peerReconnecting(let peer) = event { Issue.record("the connection to \(peer.name) was replaced") }
    }
    return found
  }

  @Test("250 messages of 60 kB in a loop arrive, in order, over the one connection")
  func manyLarge() async throws {
    try await TestSessions.joined { alice, bob in
      async let received = Self.read(250, of: bob)
      for number in 1...250 { try await alice.send(Self.message(number)) }
      #expect(await received == Array(1...250))
    }
  }

  @Test("sendNow on the session's own executor lets nothing else run before it returns")
  func sendNowIsAtOnce() async throws {
    try await TestSessions.joined { alice, bob in
      let hasRun = Atomic(false)
      let wasOvertaken = try await Task(executorPreference: alice.executor) {
        alice.loop.execute { hasRun.store(true, ordering: .relaxed) }
        try await alice.messages.sendNow([1])
        try await alice.messages.sendNow("two", to: .all, at: "words")
        return hasRun.load(ordering: .relaxed)
      }.value
      #expect(!wasOvertaken)
      #expect(await Self.read(1, of: bob) == [1])
    }
  }

  @Test("a peer that does not read makes send wait and sendNow throw, and gets everything when it reads")
  func slowReader() async throws {
    try await TestSessions.joined { alice, bob in
      let bobID = bob.localPeer.id
      try await withThrowingTaskGroup(of: Void.self) { group in
        let sent = Mutex<[MessageID]>([])
        group.addTask {
          for number in 1...60 {
            let message = try await alice.send(Self.message(number))
            sent.withLock { $0.append(message) }
          }
        }
        // Bob has as many as he takes unread. Alice may keep fewer than she could: a quarter of her window is not given out
        // for every report, and the last report may leave it so.
        let most = Session.Events.messageCapacity / (Self.size + 64)
        try await until { try await alice.isFull(after: sent.withLock { $0.count < most ? nil : $0[most - 1] }) }
        let error = await #expect(throws: SessionError.self) { try await alice.messages.sendNow([1]) }
        #expect(error?.code == .wouldBlock)
        let object = await #expect(throws: SessionError.self) {
          try await alice.messages.sendNow("x", to: .all, at: "draw")
        }
        #expect(object?.code == .wouldBlock)
        let cancelled = Task { try await alice.send([1], to: .peer(bobID)) }
        cancelled.cancel()
        let reason = await #expect(throws: SessionError.self) { try await cancelled.value }
        #expect(reason?.code == .cancelled)
        #expect(await Self.read(60, of: bob) == Array(1...60))
        try await group.waitForAll()
      }
    }
  }

  @Test("a reader that is released without having read holds nobody up")
  func releasedReader() async throws {
    try await TestSessions.joined { alice, bob in
      try await withThrowingTaskGroup(of: Void.self) { group in
        // The first one gets what happened before it, the second one only what comes.
        var lazy: Session.Events.Iterator? = bob.events.makeAsyncIterator()
        group.addTask { for number in 1...60 { try await alice.send(Self.message(number)) } }
        let reading = Task { await Self.read(10, of: bob) }
        try await until { await alice.isFull }
        #expect(lazy != nil)
        lazy = nil
        try await group.waitForAll()
        _ = await reading.value
      }
    }
  }

  @Test("what the invited side sends as soon as the invitation is accepted arrives")
  func atOnce() async throws {
    try await TestSessions.two { alice, bob in
      let bobID = try await alice.peers.invite(bob.address).id
      try await bob.send([1])
      try await bob.send([2], to: .peer(alice.localPeer.id))
      try await alice.send([3], to: .peer(bobID))
      #expect(await Self.read(2, of: alice) == [1, 2])
      #expect(await Self.read(1, of: bob) == [3])
    }
  }

  @Test("a peer without a connection to another one reaches it through the third")
  func relayed() async throws {
    try await TestSessions.apart { alice, carol in
      let carolID = carol.localPeer.id
      for number in 1...100 { try await alice.send([UInt8(number)], to: .peer(carolID)) }
      #expect(await Self.read(100, of: carol) == Array(1...100))
    }
  }

  @Test("a peer that leaves before it has got everything is named with the messages that it may lack")
  func failed() async throws {
    try await TestSessions.two { alice, bob in
      let configuration = TestSessions.configuration()
      try await Session.withSession(as: TestSessions.identity("carol"), configuration: configuration) { carol in
        let peer = try await alice.peers.invite(carol.address)
        var sent: [MessageID] = []
        do { while true { sent.append(try await alice.messages.sendNow(Self.message(1), to: .peer(peer.id))) } } catch {
        }
        await carol.leave()
        let failure = try await alice.first { if case .messagesFailed(let failure) = $0 { failure } else { nil } }
        #expect(failure.receiver == peer && failure.messages == Array(sent.suffix(failure.messages.count)))
        #expect(failure.reason == .left && !failure.messages.isEmpty)
      }
    }
  }
}

extension Session {
  /// Whether a message waits for room.
  var isFull: Bool { messageDesk.holds(up: Parcel([], to: .all)) }

  /// Whether a message waits for room, and all receivers have acknowledged an earlier one.
  fileprivate func isFull(after earlier: MessageID?) throws -> Bool {
    guard let earlier, isFull else { return false }
    return try read { node, _ in node.receivers(of: earlier).isEmpty }
  }
}
