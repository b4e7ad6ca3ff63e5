import Foundation
import PeerTransport
import Synchronization
import TestSupport
import Testing

@testable import SharedWorld

@Suite("A session that an object owns", .endsHangs)
struct SessionHandleTests {
  @Test("a session is stopped once, however many ask, and the others see it leave, with its last edit")
  func stopped() async throws {
    try await Session.withSession(as: TestSessions.identity("bob"), configuration: TestSessions.configuration()) {
      bob in
      let handle = try await Session.start(
        as: TestSessions.identity("alice"), configuration: TestSessions.configuration())
      _ = try await handle.session.join(bob.address)
      let lamp = try await handle.session.place(Anchor(name: "lamp", transform: .identity))
      async let first: Void = handle.stop()
      async let second: Void = handle.stop()
      _ = await (first, second)
      await handle.stop()
      #expect(await bob.world.anchors.map(\.id) == [lamp])
      let reason = try await bob.first { if case .peerLeft(_, let reason) = $0 { reason } else { nil } }
      #expect(reason == .left)
      let error = await #expect(throws: SessionError.self) { try await handle.session.place(Anchor(name: "late")) }
      #expect(error?.code == .ended)
    }
  }

  @Test("200 sessions that are started and stopped leave no thread, no descriptor and no memory")
  func cycles() async {
    await #expect(processExitsWith: .success) {
      try await Self.startAndStop(20)
      let (descriptors, memory) = (try Self.descriptors(), try Self.memory())
      try await Self.startAndStop(200)
      // A task gives back its context a moment after its value.
      while try Self.descriptors() > descriptors { await Task.yield() }
      #expect(try Self.memory() - memory < 4 << 20)
    }
  }

  @Test(
    "a handle that is released ends its session, says so, and leaves no thread and no descriptor, also while tasks read"
  )
  func released() async {
    await #expect(processExitsWith: .success) {
      try await Self.startAndStop(1)
      let descriptors = try Self.descriptors()
      let (messages, log) = AsyncStream.makeStream(of: LogMessage.self)
      var configuration = TestSessions.configuration()
      configuration.log = { log.yield($0) }
      let identity = try TestSessions.identity("alice")
      let started = Mutex<SessionHandle?>(try await Session.start(as: identity, configuration: configuration))
      let (readers, reading) = AsyncStream.makeStream(of: Void.self)
      try await withThrowingTaskGroup { group in
        for _ in 0..<2 {
          guard let session = started.withLock({ $0?.session }) else { throw EndedTooSoon() }
          group.addTask {
            var (last, events) = (Session.Event?.none, session.events.makeAsyncIterator())
            reading.yield()
            while let event = await events.next() { last = event }
            guard case .ended(.left) = last else { throw EndedTooSoon() }
          }
        }
        // Who begins to read after the end hears nothing of it.
        var begun = readers.makeAsyncIterator()
        for _ in 0..<2 { await begun.next() }
        _ = started.withLock { $0.take() }
        try await group.waitForAll()
      }
      var lines = messages.makeAsyncIterator()
      let line = await lines.next()
      #expect(line?.subsystem == .app && line?.level == .warning && line?.text.contains("released before") == true)
      while try Self.threads() > 0 { await Task.yield() }
      while try Self.descriptors() > descriptors { await Task.yield() }
    }
  }

  @Test("a session that cannot start leaves no thread and no descriptor")
  func failed() async {
    await #expect(processExitsWith: .success) {
      try await Self.startAndStop(1)
      let descriptors = try Self.descriptors()
      var configuration = TestSessions.configuration()
      configuration.storage.journal = "/dev/null/journal"
      let identity = try TestSessions.identity("alice")
      await #expect(throws: SessionError.self) { try await Session.start(as: identity, configuration: configuration) }
      while try Self.threads() > 0 { await Task.yield() }
      while try Self.descriptors() > descriptors { await Task.yield() }
    }
  }

  @Test("the thread of a session of a scope has given back what C libraries keep for it when the scope ends")
  func scope() async throws {
    let identity = try TestSessions.identity("alice")
    for _ in 0..<20 {
      let goodbye = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
      defer { goodbye.deallocate() }
      goodbye.initialize(to: false)
      let address = UInt(bitPattern: goodbye)
      await #expect(throws: EndedTooSoon.self) {
        try await Session.withSession(as: identity, configuration: TestSessions.configuration()) { session in
          session.loop.execute { Self.sayGoodbye(at: address) }
          throw EndedTooSoon()
        }
      }
      #expect(goodbye.pointee)
    }
  }

  /// Writes `true` to this address when the thread that asks ends.
  private static func sayGoodbye(at address: UInt) {
    var key = pthread_key_t()
    pthread_key_create(&key) { $0?.storeBytes(of: true, as: Bool.self) }
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: address))
  }

  /// Starts sessions one after the other, places an anchor in each and stops it; waits without an end when a thread of one is left.
  private static func startAndStop(_ count: Int) async throws {
    let identity = try TestSessions.identity("alice")
    for _ in 0..<count {
      let handle = try await Session.start(as: identity, configuration: TestSessions.configuration())
      try await handle.session.place(Anchor(name: "lamp", transform: .identity))
      await handle.stop()
      // The system lists a thread for a moment after it has been waited for.
      while try threads() > 0 { await Task.yield() }
    }
  }

  /// The threads of sessions in this process.
  private static func threads() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count {
      // One that has just ended has no name.
      (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8))?.hasPrefix("sharedworld") == true
    }
  }

  private static func descriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }

  /// The memory of this process (bytes).
  private static func memory() throws -> Int {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
    return (Int(pages) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
  }
}
