import Basics
import PeerProtocol
import Synchronization
import TestSupport
import Testing

@testable import SharedWorld

@Suite("Streams of sessions", .endsHangs)
struct StreamSessionTests {
  /// Runs `body` with two joined sessions and both ends of a stream that the first has opened.
  static func open(
    _ name: String = "log",
    _ body: @Sendable (Session, PeerStream, Session, PeerStream) async throws -> Void
  ) async throws {
    try await TestSessions.joined { alice, bob in
      let (one, other) = try await Self.pair(alice, bob, name)
      try await body(alice, one, bob, other)
    }
  }

  /// Both ends of a stream between two members.
  static func pair(_ alice: Session, _ bob: Session, _ name: String = "log") async throws -> (PeerStream, PeerStream) {
    let incoming = bob.streams.incoming(named: name)
    async let opened = alice.streams.open(named: name, to: bob.localPeer.id, timeout: .seconds(60))
    var iterator = incoming.makeAsyncIterator()
    let other = try #require(await iterator.next())
    return (try await opened, other)
  }

  /// Bytes of which each says where it stands.
  static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8) ^ ($0 >> 16)) }
  }

  static func all(of stream: PeerStream) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await chunk in stream { bytes += chunk }
    return bytes
  }

  /// The code with which `body` fails.
  static func code(_ body: () async throws -> Void) async -> SessionError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? SessionError)?.code
    }
  }

  @Test("10 MB come unchanged, and the other direction after the half-close too")
  func large() async throws {
    try await Self.open { alice, one, bob, other in
      #expect(one.name == "log" && other.name == "log")
      #expect(one.peer == bob.localPeer && other.peer == alice.localPeer)
      let bytes = Self.bytes(10_000_000)
      async let received = Self.all(of: other)
      for start in stride(from: 0, to: bytes.count, by: 100_000) {
        try await one.write(Array(bytes[start..<start + 100_000]))
      }
      try await one.finish()
      #expect(try await received == bytes)
      try await other.write([1, 2, 3])
      try await other.finish()
      #expect(try await Self.all(of: one) == [1, 2, 3])
      #expect(await Self.code { try await one.write([1]) } == .invalidArgument)
    }
  }

  @Test("a reader that does not read holds up its own stream, and neither messages nor other streams")
  func slowReader() async throws {
    try await Self.open { alice, slow, bob, slowEnd in
      let (fast, fastEnd) = try await Self.pair(alice, bob, "fast")
      try await withThrowingTaskGroup(of: Void.self) { group in
        let written = Mutex(0)
        group.addTask {
          for _ in 0..<40 {
            try await slow.write(Self.bytes(60_000))
            written.withLock { $0 += 1 }
          }
          try await slow.finish()
        }
        let bytes = Self.bytes(2_000_000)
        async let received = Self.all(of: fastEnd)
        try await fast.write(bytes)
        try await fast.finish()
        #expect(try await received == bytes)
        group.addTask {
          for number in 1...40 as ClosedRange<UInt8> { try await alice.send([UInt8](repeating: number, count: 60_000)) }
        }
        var events = bob.events.makeAsyncIterator()
        for number in 1...40 as ClosedRange<UInt8> {
          let first = try await events.first { if case .message(let bytes, _) = $0 { bytes[0] } else { nil } }
          #expect(first == number)
        }
        // Nothing reads, so it stands where the window ends.
        #expect(written.withLock { $0 } == PeerStream.window / 60_000)
        #expect(try await Self.all(of: slowEnd).count == 40 * 60_000)
        try await group.waitForAll()
      }
    }
  }

  @Test("a stream goes on while the app has messages of the peer to read, as many as there may be")
  func unreadMessages() async throws {
    try await Self.open { alice, one, bob, other in
      let bobID = bob.localPeer.id
      var lazy = bob.events.makeAsyncIterator()
      let flood = [UInt8](repeating: 1, count: 60_000)
      do { while true { try await alice.messages.sendNow(flood, to: .peer(bobID)) } } catch {}
      // What is on its way arrives; then no ordinary message leaves until bob reads.
      let bytes = Self.bytes(1_000_000)
      async let received = Self.all(of: other)
      try await one.write(bytes)
      try await one.finish()
      #expect(try await received == bytes)
      #expect(await lazy.next() != nil)
    }
  }

  @Test("an app that accepts no streams of a name refuses them at once, one that never looks lets the opener time out")
  func refused() async throws {
    try await TestSessions.joined { alice, bob in
      let bobID = bob.localPeer.id
      let open = { (name: String, timeout: Duration) in
        await Self.code { _ = try await alice.streams.open(named: name, to: bobID, timeout: timeout) }
      }
      #expect(await open("log", .seconds(60)) == .unhandled)
      var incoming: IncomingStreams? = bob.streams.incoming(named: "log/*")
      #expect(await open("log", .seconds(60)) == .unhandled)
      #expect(await open("log/1", .milliseconds(50)) == .requestTimedOut)
      // One that waits when the reader goes is refused.
      async let waiting = open("log/2", .seconds(60))
      try await until { await bob.streamsOffered > 0 }
      #expect(incoming != nil)
      incoming = nil
      #expect(await waiting == .unhandled)
    }
  }

  @Test("a stream that its opener has given up is not handed to the app that looks later")
  func withdrawn() async throws {
    try await TestSessions.joined { alice, bob in
      let bobID = bob.localPeer.id
      let incoming = bob.streams.incoming()
      let opening = Task { try await alice.streams.open(named: "first", to: bobID, timeout: .seconds(60)) }
      try await until { await bob.streamsOffered > 0 }
      opening.cancel()
      #expect(await Self.code { _ = try await opening.value } == .cancelled)
      try await until { await bob.streamsOffered == 0 }
      async let second = alice.streams.open(named: "second", to: bobID, timeout: .seconds(60))
      var iterator = incoming.makeAsyncIterator()
      let stream = await iterator.next()
      #expect(stream?.name == "second")
      _ = try await second
    }
  }

  @Test("a reset gives both callers here and the other side a typed error, there with the reason behind the bytes")
  func reset() async throws {
    try await Self.open { _, one, _, other in
      try await one.write([1, 2])
      async let reading = Self.code { _ = try await one.read() }
      try await until { await one.isBeingRead }
      one.reset(RemoteError("full", "the disk is full"))
      #expect(await reading == .streamReset)
      #expect(await Self.code { try await one.write([1]) } == .streamReset)
      #expect(try await other.read() == [1, 2])
      let error = await #expect(throws: SessionError.self) { _ = try await other.read() }
      #expect(error?.code == .streamReset && error?.cause as? RemoteError == RemoteError("full", "the disk is full"))
      #expect(await Self.code { try await other.write([1]) } == .streamReset)
    }
  }

  @Test("a stream that the app lets go of ends at the other side with an error, and a reader there learns of it")
  func letGo() async throws {
    try await TestSessions.joined { alice, bob in
      let other = try await Self.pair(alice, bob).1
      #expect(await Self.code { _ = try await other.read() } == .streamReset)
      // A place is free again: as many as there may be are opened.
      var streams: [(PeerStream, PeerStream)] = []
      for _ in 1...PeerStream.limit { streams.append(try await Self.pair(alice, bob)) }
      let bobID = bob.localPeer.id
      #expect(await Self.code { _ = try await alice.streams.open(named: "log", to: bobID) } == .limitExceeded)
      streams[0].0.reset()
      #expect(await Self.code { _ = try await streams[0].1.read() } == .streamReset)
      _ = try await Self.pair(alice, bob)
      #expect(streams.count == PeerStream.limit)
    }
  }

  @Test("what a peer wrote and finished before it left is read, and then all ends with a typed error")
  func left() async throws {
    try await TestSessions.two { alice, bob in
      try await Session.withSession(as: TestSessions.identity("carol"), configuration: TestSessions.configuration()) {
        carol in
        _ = try await alice.peers.invite(carol.address)
        let (one, other) = try await Self.pair(carol, alice, "whole")
        let (two, cut) = try await Self.pair(carol, alice, "cut")
        try await one.write([1, 2, 3])
        try await one.finish()
        try await two.write([4])
        async let own = Self.code { while true { _ = try await two.read() } }
        await carol.leave()
        #expect(await own == .ended)
        #expect(await Self.code { _ = try await carol.streams.open(named: "x", to: alice.localPeer.id) } == .ended)
        #expect(try await Self.all(of: other) == [1, 2, 3])
        #expect(try await cut.read() == [4])
        #expect(await Self.code { _ = try await cut.read() } == .notConnected)
        #expect(await Self.code { try await other.write([1]) } == .notConnected)
        let carolID = carol.localPeer.id
        #expect(await Self.code { _ = try await alice.streams.open(named: "x", to: carolID) } == .unknownPeer)
      }
    }
  }

  @Test("a stream to a peer without a connection of its own goes through the third")
  func relayed() async throws {
    try await TestSessions.apart { alice, carol in
      let (near, far) = try await Self.pair(alice, carol)
      let bytes = Self.bytes(1_000_000)
      async let received = Self.all(of: far)
      try await near.write(bytes)
      try await near.finish()
      #expect(try await received == bytes)
    }
  }

  @Test("a cancelled read loses no byte, a cancelled write that had to wait leaves none, and neither ends the stream")
  func cancelled() async throws {
    try await Self.open { _, one, _, other in
      let reading = Task { try await other.read() }
      try await until { await other.isBeingRead }
      let second = await Self.code { _ = try await other.read() }
      #expect(second == .invalidArgument)
      reading.cancel()
      #expect(await Self.code { _ = try await reading.value } == .cancelled)
      try await one.write(Self.bytes(PeerStream.window))
      let writing = Task { try await one.write([9]) }
      try await until { await one.isBeingWritten }
      writing.cancel()
      #expect(await Self.code { try await writing.value } == .cancelled)
      async let rest: Void = one.finish()
      #expect(try await Self.all(of: other) == Self.bytes(PeerStream.window))
      try await rest
    }
  }

  @Test("a name at its limit is taken, one beyond it or with control characters refused, and so is a stream to nobody")
  func names() async throws {
    try await TestSessions.joined { alice, bob in
      let name = String(repeating: "n", count: PeerStream.nameLimit)
      let (one, _) = try await Self.pair(alice, bob, name)
      #expect(one.name == name)
      let bobID = bob.localPeer.id
      for name in ["", name + "n", "a\nb"] {
        #expect(await Self.code { _ = try await alice.streams.open(named: name, to: bobID) } == .invalidArgument)
      }
      let nobody = PeerID(SHA256Digest(hashing: [9]))
      #expect(await Self.code { _ = try await alice.streams.open(named: "x", to: nobody) } == .unknownPeer)
    }
  }
}

extension Session {
  /// Streams of others that are open, or wait to be accepted.
  fileprivate var streamsOffered: Int { streamDesk.book.offeredCount }

  fileprivate func callers(_ key: StreamKey) -> (isRead: Bool, areWritten: Bool) { streamDesk.callers(of: key) }
}

extension PeerStream {
  /// Whether a reader waits.
  fileprivate var isBeingRead: Bool { get async { await session.callers(key).isRead } }
  /// Whether a writer waits.
  fileprivate var isBeingWritten: Bool { get async { await session.callers(key).areWritten } }
}
