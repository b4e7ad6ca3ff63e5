import BasicsLinux
import TestSupport
import Testing

@testable import ServiceDiscovery

/// Discovery with a service that exists in messages alone, on an interface of this machine.
@Suite(
  .enabled(if: InterfaceAddress.multicast().contains(where: \.isIPv4), "no network interface that is up can multicast"),
  .endsHangs)
struct LivenessMonitorTests {
  @Test func aServiceThatDoesNotAnswerIsLostAfterAFailedDialAndFoundAgainWhenItIsHeard() async throws {
    let ghost = try instance("ghost \(UInt32.random(in: .min ... .max))")
    let interface = try #require(InterfaceAddress.multicast().first { $0.isIPv4 }).interface
    let speaker = try #require(MulticastSocket(isIPv4: true, .group(interface)))
    let announcement = try Self.announcement(of: ghost)
    let (discovery, log) = (Discovery(mode: .embedded), EventLog())
    defer { discovery.stop() }
    try discovery.start(browsing: .test, advertising: nil, log.record)
    await log.wait { $0.contains(.available(backend: "embedded")) }

    let found = DiscoveryEvent.found(ghost, try info("1"))
    try await Self.waiting(for: log, found, repeating: .milliseconds(250)) {
      #expect(speaker.send(announcement, on: interface) == nil)
    }
    // Longer than a service has time to answer in.
    try await Self.waiting(for: log, .lost(ghost), repeating: .seconds(4)) { discovery.reconfirm(ghost) }
    _ = log.take()
    try await Self.waiting(for: log, found, repeating: .milliseconds(250)) {
      #expect(speaker.send(announcement, on: interface) == nil)
    }
  }

  /// Does something again and again until an event comes: a datagram gets lost where others flood the network, and a responder
  /// repeats its own for that (RFC 6762 §8.3).
  private static func waiting(
    for log: EventLog, _ event: DiscoveryEvent, repeating pause: Duration, _ body: () -> Void
  ) async throws {
    var next = ContinuousClock.now
    try await until {
      if .now >= next {
        body()
        next = .now + pause
      }
      return log.events.contains(event)
    }
  }

  @Test func `an ear notices once that more has come than it could read`() throws {
    let interface = try #require(InterfaceAddress.multicast().first { $0.isIPv4 }).interface
    let speaker = try #require(MulticastSocket(isIPv4: true, .group(interface)))
    let ear = MulticastEar()
    ear.open()
    // Others may speak here too, but nobody fills a buffer so soon.
    #expect(!ear.hasMissedMessages())
    let junk = [UInt8](repeating: 0, count: 1000)
    while !ear.hasMissedMessages() { #expect(speaker.send(junk, on: interface) == nil) }
    #expect(!ear.hasMissedMessages())
  }

  /// The response with which a service announces itself: pointer, location and text.
  private static func announcement(of instance: ServiceInstance) throws -> [UInt8] {
    let head: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 3, 0, 0, 0, 0]
    let location = [0, 0, 0, 0, 0x12, 0x67] + DomainName.labels(["ghost", "local"])
    return head + record(instance.type.labels, .pointer, 0, instance.labels)
      + record(instance.labels, .service, 0x80, location)
      + record(instance.labels, .text, 0x80, try info("1").encoded)
  }

  private static func record(_ owner: [UInt8], _ type: RecordType, _ flush: UInt8, _ data: [UInt8]) -> [UInt8] {
    owner + [0, UInt8(type.rawValue), flush, 1, 0, 0, 0, 120, 0, UInt8(data.count)] + data
  }
}
