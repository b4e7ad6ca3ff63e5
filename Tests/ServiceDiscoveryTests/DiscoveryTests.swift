import BasicsLinux
import Testing

@testable import ServiceDiscovery

@Suite struct DiscoveryTests {
  @Test func doesNothingWhenSwitchedOff() async throws {
    let discovery = Discovery(mode: .none)
    let log = EventLog()
    try discovery.start(browsing: .test, advertising: try advertisement("a"), log.record)
    discovery.updateInfo(try info("2"))
    await #expect(throws: DiscoveryError.unavailable(reason: "discovery is switched off")) {
      try await discovery.resolve(try instance("b"), timeout: .seconds(1))
    }
    discovery.stop()
    #expect(log.events.isEmpty)
  }

  @Test(arguments: DiscoveryMode.allCases)
  func startsOnceAndStopsForGood(mode: DiscoveryMode) async throws {
    let discovery = Discovery(mode: mode)
    try discovery.start(browsing: .test, advertising: nil, { _ in })
    #expect(throws: DiscoveryError.alreadyStarted) {
      try discovery.start(browsing: .test, advertising: nil, { _ in })
    }
    discovery.stop()
    discovery.stop()
    #expect(throws: DiscoveryError.stopped) { try discovery.start(browsing: .test, advertising: nil, { _ in }) }
    await #expect(throws: DiscoveryError.stopped) {
      try await discovery.resolve(try instance("b"), timeout: .seconds(1))
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func saysWhichBackendWorksOrWhyNoneDoes() async throws {
    for mode in [DiscoveryMode.automatic, .avahi, .embedded] {
      let discovery = Discovery(mode: mode)
      let log = EventLog()
      try discovery.start(browsing: .test, advertising: nil, log.record)
      await log.wait { !$0.isEmpty }
      discovery.stop()
      switch (mode, log.events.first) {
      case (.avahi, .available("avahi")), (.automatic, .available("avahi")): break
      case (.avahi, .unavailable(let reason)): #expect(!reason.isEmpty)
      case (.embedded, .available("embedded")), (.automatic, .available("embedded")): break
      case (.embedded, .unavailable), (.automatic, .unavailable): #expect(InterfaceAddress.multicast().isEmpty)
      case (_, let event): Issue.record("\(mode) begins with \(String(describing: event))")
      }
    }
  }
}
