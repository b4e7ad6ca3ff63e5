import BasicsLinux
import Foundation
import TestSupport
import Testing

@testable import ServiceDiscovery

/// Starts and stops without end, each in a process of its own, because the tests beside it open and close too.
@Suite(.endsHangs) struct LeakTests {
  @Test func a1000StartsAndStopsOfTheEmbeddedBackEndLeaveNothingOpen() async {
    await #expect(processExitsWith: .success) { try await Self.startAndStop(.embedded) }
  }

  @Test func a1000StartsAndStopsOfTheDaemonsBackEndLeaveNothingOpen() async {
    await #expect(processExitsWith: .success) { try await Self.startAndStop(.avahi) }
  }

  /// Starts and stops 1,000 times after a few that fill caches; fails when descriptors or more than 4 MiB of memory remain.
  private static func startAndStop(_ mode: DiscoveryMode) async throws {
    func run(_ count: Int) throws {
      for number in 0..<count {
        let discovery = Discovery(mode: mode)
        // Half of them advertise too.
        let advertisement = number % 2 == 0 ? nil : try advertisement("leak\(number)")
        try discovery.start(browsing: .test, advertising: advertisement, { _ in })
        discovery.stop()
      }
    }
    try run(100)
    let (descriptors, memory) = (try descriptors(), try memory())
    try run(1000)
    // Nobody waits for the thread of a watch over the daemon: the last ones end a moment later, on a busy machine several.
    let end = ContinuousClock.now + .seconds(60)
    try await until { try Self.descriptors() <= descriptors || ContinuousClock.now > end }
    let (opened, grown) = (try Self.descriptors() - descriptors, try Self.memory() - memory)
    print("1,000 starts and stops, \(mode): \(opened) descriptors, \(grown / 1024) KiB")
    #expect(opened <= 0)
    #expect(grown <= 4 << 20)
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
