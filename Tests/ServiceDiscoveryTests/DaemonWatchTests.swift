import Basics
import BasicsLinux
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ServiceDiscovery

/// A daemon that hangs, and what the back-end that talks to it leaves behind.
@Suite(.endsHangs) struct DaemonWatchTests {
  /// A socket at which nobody accepts; `body` gets its path.
  private static func withListener(_ body: (String, Int32) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "sw-\(UUID().uuidString)").path()
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer {
      close(listener)
      unlink(path)
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isBound = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound && listen(listener, 1) == 0)
    try body(path, listener)
  }

  @Test func aDaemonThatIsNotThereIsAbsent() {
    #expect(DaemonPulse.take(at: "/nowhere/socket") == .absent)
    #expect(DaemonPulse.take(at: String(repeating: "long", count: 40)) == .absent)
  }

  @Test func aDaemonThatDoesNotAnswerHangsAlsoWhenItsQueueIsFull() throws {
    try Self.withListener { path, _ in
      for _ in 0..<4 { #expect(DaemonPulse.take(at: path, patience: .milliseconds(1)) == .hung) }
    }
  }

  @Test func aDaemonThatAnswersIsAlive() throws {
    try Self.withListener { path, listener in
      let server = try POSIXThread(named: "pulse") {
        let client = accept(listener, nil, nil)
        var question = [UInt8](repeating: 0, count: 64)
        if read(client, &question, 64) > 0 { send(client, "+", 1, Int32(MSG_NOSIGNAL)) }
        close(client)
      }
      defer { server.finish() }
      #expect(DaemonPulse.take(at: path, patience: .seconds(60)) == .answers)
    }
  }

  @Test func tellsEveryChangeOnce() async throws {
    let pulses = Mutex<[DaemonPulse]>([.answers, .absent, .hung, .hung, .answers, .answers, .hung])
    let (changes, teller) = AsyncStream.makeStream(of: Bool.self)
    let watch = try DaemonWatch(interval: .zero) {
      pulses.withLock { $0.isEmpty ? .hung : $0.removeFirst() }
    } _: {
      teller.yield($0)
    }
    defer { watch.stop() }
    var seen: [Bool] = []
    for await change in changes.prefix(3) { seen.append(change) }
    #expect(seen == [false, true, false])
  }

  @Test func nothingComesFromABackendThatWasGivenUp() throws {
    let log = EventLog()
    let gate = EventGate(log.record)
    let (lamp, door) = (try instance("lamp"), try instance("door"))
    for event in [.found(lamp, try info("1")), .found(door, try info("1")), .lost(door)] as [DiscoveryEvent] {
      gate.pass(event)
    }
    #expect(gate.close() == [lamp])
    gate.pass(.lost(lamp))
    #expect(log.events.last == .lost(door) && log.events.count == 3)
  }

  @Test func theEndDoesNotWaitForAThreadThatIsHeld() throws {
    /// Its work ends when the test lets it.
    final class HeldEngine: BackendEngine, @unchecked Sendable {
      let release = DispatchSemaphore(value: 0)

      func run() { release.wait() }
      func stop() {}
      func resolve(
        _ id: Int, _ instance: ServiceInstance, deadline: ContinuousClock.Instant,
        _ completion: @escaping Resolver.Completion
      ) {}
      func cancel(_ id: Int) {}
      func hear(_ texts: [ServiceInstance: [UInt8]]) {}
    }
    let engine = HeldEngine()
    let worker = BackendWorker<HeldEngine>()
    try worker.start { _ in engine }
    // It returns, though nobody has released the thread.
    worker.stop()
    engine.release.signal()
  }

  @Test func asksForNamesAndKnowsAnAnswerThatHasOne() {
    let question = MulticastMessage.question(for: [DomainName.labels(["_a", "_tcp", "local"])], .pointer)
    #expect(
      question == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2] + Array("_a".utf8) + [4] + Array("_tcp".utf8) + [5]
        + Array("local".utf8) + [0, 0, 12, 0, 1])
    #expect(!MulticastMessage.answers(question, naming: "_a._tcp"))
    var answer = question
    answer[2] = 0x84
    #expect(MulticastMessage.answers(answer, naming: "_a._tcp"))
    #expect(!MulticastMessage.answers(answer, naming: "_b._tcp"))
    #expect(!MulticastMessage.answers([0x84], naming: "_a._tcp"))
  }
}
