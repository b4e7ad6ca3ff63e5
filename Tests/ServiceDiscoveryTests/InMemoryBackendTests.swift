import Basics
import Testing

@testable import ServiceDiscovery

@Suite struct InMemoryBackendTests {
  private let network = InMemoryNetwork()

  private func start(_ name: String?, port: UInt16 = 4000) throws -> (InMemoryBackend, EventLog) {
    let backend = InMemoryBackend(network: network)
    let log = EventLog()
    try backend.start(browsing: .test, advertising: try name.map { try advertisement($0, port: port) }, log.record)
    return (backend, log)
  }

  @Test func findsUpdatesAndLosesEachOther() async throws {
    let (a, logA) = try start("a")
    let (b, logB) = try start("b", port: 5000)
    #expect(
      logA.take() == [
        .available(backend: "memory"), .advertised(try instance("a")), .found(try instance("b"), try info("1")),
      ])
    #expect(
      logB.take() == [
        .available(backend: "memory"), .found(try instance("a"), try info("1")), .advertised(try instance("b")),
      ])
    #expect(try await a.resolve(try instance("b"), timeout: .seconds(1)).map(\.description) == ["127.0.0.1:5000"])
    b.updateInfo(try info("2"))
    b.updateInfo(try info("2"))
    #expect(logA.take() == [.updated(try instance("b"), try info("2"))])
    b.stop()
    b.stop()
    #expect(logA.take() == [.lost(try instance("b"))])
    await #expect(throws: DiscoveryError.resolutionTimedOut(try instance("b"))) {
      try await a.resolve(try instance("b"), timeout: .seconds(1))
    }
    a.stop()
    #expect(logB.take().isEmpty)
  }

  @Test func seesItsOwnTypeOnly() throws {
    let (_, log) = try start(nil)
    let other = InMemoryBackend(network: network)
    let type = try ServiceType("other")
    let foreign = Advertisement(instance: try instance("a", type), port: 1, info: DiscoveryInfo())
    try other.start(browsing: type, advertising: foreign, { _ in })
    #expect(log.take() == [.available(backend: "memory")])
  }

  @Test func renamesALatecomer() throws {
    let (_, logA) = try start("lamp")
    let (_, logB) = try start("lamp")
    #expect(logB.events.last == .advertised(try instance("lamp #2")))
    #expect(logA.events.last == .found(try instance("lamp #2"), try info("1")))
  }

  @Test func renamesAtAnyTime() throws {
    let (_, logA) = try start("a")
    let (_, logB) = try start("b")
    _ = (logA.take(), logB.take())
    network.provokeConflict(of: try instance("a"))
    #expect(logA.take() == [.advertised(try instance("a #2"))])
    #expect(logB.take() == [.lost(try instance("a")), .found(try instance("a #2"), try info("1"))])
  }

  @Test func leavesTheRecordOfACrashedPeerBehind() async throws {
    let (a, log) = try start("a")
    let (b, _) = try start("b")
    _ = log.take()
    b.crash()
    #expect(log.take().isEmpty)
    #expect(try await a.resolve(try instance("b"), timeout: .seconds(1)).count == 1)
  }

  @Test func reportsAnOutageAndComesBack() async throws {
    let (a, log) = try start("a")
    let (_, _) = try start("b")
    _ = log.take()
    network.setOutage("avahi-daemon is not running")
    #expect(log.take() == [.unavailable(reason: "avahi-daemon is not running"), .lost(try instance("b"))])
    await #expect(throws: DiscoveryError.self) { try await a.resolve(try instance("b"), timeout: .seconds(1)) }
    network.setOutage(nil)
    #expect(log.take() == [.available(backend: "memory"), .found(try instance("b"), try info("1"))])
  }

  @Test func startsOnce() throws {
    let (a, _) = try start("a")
    #expect(throws: DiscoveryError.alreadyStarted) { try a.start(browsing: nil, advertising: nil, { _ in }) }
    a.stop()
    #expect(throws: DiscoveryError.stopped) { try a.start(browsing: nil, advertising: nil, { _ in }) }
  }
}
