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
