import Basics
import PeerProtocol
import PeerTransport
import Testing
import WorldModel

@testable import SharedWorld

@Suite("What a session keeps of others, and leaves behind", .timeLimit(.minutes(5)))
struct SessionCoreTests {
  @Test("the names of strangers are remembered up to a bound")
  func strangers() async throws {
    let core = try SessionCore(
      identity: TestSessions.identity("alice"), configuration: TestSessions.configuration())
    for number in 0..<UInt64(5000) {
      let id = PeerID(SHA256Digest(words: SIMD4(number, 0, 0, 0)))
      await core.identify(Peer(id: id, name: "stranger"), instance: "\(number)")
    }
    let (names, instances) = await (core.names.count, core.peersByInstance.count)
    #expect((1...4096).contains(names) && (1...4096).contains(instances))
    await core.leave()
  }

  @Test("the session's map is the latest that came, also when an earlier one takes longer to be decoded")
  func latestMap() async throws {
    let core = try SessionCore(
      identity: TestSessions.identity("alice"), configuration: TestSessions.configuration())
    let ids = (0..<3).map { MapID(SHA256Digest(words: SIMD4($0, 0, 0, 0))) }
    for number: UInt64 in [1, 2, 0] {
      await core.keep(WorldMap(anchors: [Anchor(name: "\(number)")]), id: ids[Int(number)], number: number)
    }
    #expect(await core.currentMap()?.anchors.map(\.name) == ["2"])
    await core.leave()
  }

  @Test("what is left of a map takes as long as the rate says, and nobody knows how long without one")
  func remainingTime() {
    func remaining(_ verified: Int, rate: Int) -> Duration? {
      Session.MapProgress(
        from: PeerID(SHA256Digest(words: .zero)), mapID: MapID(SHA256Digest(words: .zero)), verifiedBytes: verified,
        totalBytes: 1_000, bytesPerSecond: rate, requestedBytes: 0, receivedBytes: 0
      ).remaining
    }
    #expect(remaining(400, rate: 200) == .seconds(3))
    #expect(remaining(1_000, rate: 200) == .zero)
    #expect(remaining(400, rate: 0) == nil)
  }

  @Test("a session that cannot start ends the thread it began")
  func failedStart() async throws {
    var configuration = TestSessions.configuration()
    configuration.state = "/nowhere/state"
    let core = try SessionCore(identity: TestSessions.identity("alice"), configuration: configuration)
    let error = await #expect(throws: SessionError.self) { try await core.start() }
    #expect(error?.code == .io)
    core.loop.join()
  }
}
