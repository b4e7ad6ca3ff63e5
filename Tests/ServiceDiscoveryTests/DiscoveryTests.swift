import BasicsLinux
import Dispatch
import TestSupport
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

  /// The back-end that must work on this machine, by what runs on it; nil for none.
  private static func backend(of mode: DiscoveryMode) -> String? {
    let hasDaemon = accepts("/run/avahi-daemon/socket") && accepts("/run/dbus/system_bus_socket")
    let embedded = InterfaceAddress.multicast().isEmpty ? nil : "embedded"
    return switch mode {
    case .none: nil
    case .avahi: hasDaemon ? "avahi" : nil
    case .embedded: embedded
    case .automatic: hasDaemon ? "avahi" : embedded
    }
  }

  /// Whether somebody accepts connections at a Unix socket.
  private static func accepts(_ path: String) -> Bool { DaemonPulse.take(at: path, patience: .zero) != .absent }

  @Test func saysNothingAfterItsEndThoughTheWatchOverTheDaemonGoesOn() async throws {
    /// Tells when the last one that could call back is gone.
    final class Last: Sendable {
      let onRelease: @Sendable () -> Void
      init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
      deinit { onRelease() }
    }
    let log = EventLog()
    let (released, teller) = AsyncStream.makeStream(of: Never.self)
    let hold = DispatchSemaphore(value: 0)
    do {
      let last = Last { teller.finish() }
      let discovery = Discovery(mode: .avahi) {
        withExtendedLifetime(last) { hold.wait() }
        return .hung
      }
      try discovery.start(browsing: .test, advertising: nil, log.record)
      discovery.stop()
    }
    _ = log.take()
    hold.signal()
    for await _ in released {}
    #expect(log.events.isEmpty)
  }

  @Test(.endsHangs, arguments: [DiscoveryMode.automatic, .avahi, .embedded])
  func saysWhichBackendWorksOrWhyNoneDoes(mode: DiscoveryMode) async throws {
    let expected = Self.backend(of: mode)
    let discovery = Discovery(mode: mode)
    let log = EventLog()
    try discovery.start(browsing: .test, advertising: nil, log.record)
    await log.wait { !$0.isEmpty }
    discovery.stop()
    switch log.events.first {
    case .available(let backend): #expect(backend == expected)
    case .unavailable(let reason): #expect(expected == nil && !reason.isEmpty)
    case let event: Issue.record("\(mode) begins with \(String(describing: event))")
    }
  }
}
