import Basics
import BasicsLinux
import Glibc
import TestSupport
import Testing

@testable import ServiceDiscovery

/// Real multicast through the interfaces of this machine; nothing else is needed, not even a network.
@Suite(
  .enabled(
    if: !InterfaceAddress.multicast().isEmpty, "no network interface that is up can multicast, not even loopback"),
  .endsHangs)
struct EmbeddedBackendTests {
  /// Other runs of these tests may share the network.
  private let tag = String(UInt32.random(in: .min ... .max), radix: 36)

  @Test func findsResolvesUpdatesAndLosesAnother() async throws {
    let (a, logA, nameA) = try start("a")
    let (b, logB, nameB) = try start("b", port: 5000)
    defer {
      a.stop()
      b.stop()
    }
    await logA.wait { $0.contains(.found(nameB, version("1"))) }
    await logB.wait { $0.contains(.found(nameA, version("1"))) }
    await logA.wait { $0.contains(.advertised(nameA)) }
    #expect(logA.events.first == .available(backend: "embedded"))

    let endpoints = try await a.resolve(nameB, timeout: .seconds(10))
    #expect(!endpoints.isEmpty)
    #expect(endpoints.allSatisfy { $0.port == 5000 })
    let local = InterfaceAddress.multicast().map(\.host)
    #expect(endpoints.allSatisfy { local.contains($0.host) })

    b.updateInfo(version("2"))
    await logA.wait { $0.contains(.updated(nameB, version("2"))) }
    b.stop()
    await logA.wait { $0.contains(.lost(nameB)) }
    #expect(!logA.events.contains(.found(nameA, version("1"))))
  }

  @Test func takesAnotherNameInAConflict() async throws {
    let (a, logA, name) = try start("lamp")
    defer { a.stop() }
    await logA.wait { $0.contains(.advertised(name)) }
    let (b, logB, _) = try start("lamp")
    defer { b.stop() }
    await logB.wait { $0.contains(.advertised(name.alternative)) }
    await logB.wait { $0.contains(.found(name, version("1"))) }
    await logA.wait { $0.contains(.found(name.alternative, version("1"))) }
    #expect(!logA.events.contains(.advertised(name.alternative)))
  }

  @Test func timesOutIsCancelledAndStops() async throws {
    let (a, _, _) = try start("a")
    let missing = try instance("missing \(tag)")
    await #expect(throws: DiscoveryError.resolutionTimedOut(missing)) {
      try await a.resolve(missing, timeout: .milliseconds(50))
    }
    let cancelled = Task { try await a.resolve(missing, timeout: .seconds(600)) }
    cancelled.cancel()
    await #expect(throws: DiscoveryError.cancelled) { try await cancelled.value }
    let pending = Task { try await a.resolve(missing, timeout: .seconds(600)) }
    a.stop()
    await #expect(throws: DiscoveryError.stopped) { try await pending.value }
    await #expect(throws: DiscoveryError.stopped) { try await a.resolve(missing, timeout: .seconds(1)) }
    #expect(throws: DiscoveryError.stopped) { try a.start(browsing: .test, advertising: nil, { _ in }) }
  }

  @Test func mayBeStoppedFromItsHandler() async throws {
    let backend = EmbeddedBackend()
    let log = EventLog()
    await #expect(throws: DiscoveryError.unavailable(reason: "the back-end does not run")) {
      try await backend.resolve(try instance("a"), timeout: .seconds(1))
    }
    try backend.start(browsing: .test, advertising: nil) { event in
      backend.stop()
      log.record(event)
    }
    await log.wait { $0 == [.available(backend: "embedded")] }
    await #expect(throws: DiscoveryError.stopped) { try await backend.resolve(try instance("a"), timeout: .seconds(1)) }
  }

  @Test func saysGoodbyeThreeTimes() async throws {
    let address = try #require(InterfaceAddress.multicast().first { $0.isIPv4 })
    let ear = try #require(MulticastSocket(isIPv4: true, .group(address.interface)))
    let (a, logA, name) = try start("leaver")
    await logA.wait { $0.contains(.advertised(name)) }
    while ear.receive() != nil {}  // What others have said meanwhile must not fill the socket.
    a.stop()
    var goodbyes = 0
    let end = ContinuousClock.now + .seconds(60)
    while goodbyes < 3, ContinuousClock.now < end {
      guard let (bytes, _) = ear.receive() else {
        var descriptor = pollfd(fd: ear.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&descriptor, 1, 50)
        await Task.yield()
        continue
      }
      let records = MulticastMessage.records(in: bytes)
      goodbyes += records.filter { $0.lifetime == 0 && $0.type == .pointer && $0.data == name.labels }.count
    }
    #expect(goodbyes == 3)
  }

  private func start(_ name: String, port: UInt16 = 4000) throws -> (EmbeddedBackend, EventLog, ServiceInstance) {
    let backend = EmbeddedBackend()
    let log = EventLog()
    let advertisement = try advertisement("\(name) \(tag)", port: port)
    try backend.start(browsing: .test, advertising: advertisement, log.record)
    return (backend, log, advertisement.instance)
  }
}

/// A TXT record with one short value, which is always valid.
private func version(_ text: String) -> DiscoveryInfo {
  DiscoveryInfo(parsing: [UInt8(text.utf8.count + 2)] + Array("v=\(text)".utf8))
}
