import Basics
import PeerProtocol
import PeerTransport
import ServiceDiscovery
import Testing
import WorldModel

@testable import SharedWorld

@Suite("What a session keeps of others, and leaves behind", .timeLimit(.minutes(5)))
struct DeskTests {
  @Test("the names of strangers, and the services they advertise, are remembered up to a bound")
  func strangers() throws {
    let type = try ServiceType("swtest")
    var desk = DiscoveryDesk(serviceType: type)
    let strangers = (0..<UInt64(5000)).map {
      (peer: Peer(id: PeerID(SHA256Digest(words: SIMD4($0, 0, 0, 0))), name: "stranger"), instance: "service \($0)")
    }
    for (peer, instance) in strangers { _ = desk.identify(peer, instance: instance) { [] } }
    let names = strangers.count { desk.peer($0.peer.id).name == "stranger" }
    #expect((1...4096).contains(names))
    let info = try DiscoveryRecord.info(showing: nil)
    let services = try strangers.count { _, instance in
      guard case .candidateFound(let found) = desk.take(.found(try ServiceInstance(name: instance, type: type), info))
      else { return false }
      return found.peer != nil
    }
    #expect((1...4096).contains(services))
  }

  @Test("the session's map is the latest that came, also when an earlier one takes longer to be decoded")
  func latestMap() {
    var maps = MapDesk()
    let ids = (0..<3).map { MapID(SHA256Digest(words: SIMD4($0, 0, 0, 0))) }
    let numbers = ids.map { _ in maps.nextNumber() }
    for index in [1, 2, 0] {
      maps.keep(.decoded(WorldMap()), of: index, id: ids[index], number: numbers[index])
    }
    #expect(maps.latest?.id == ids[2] && maps.latest?.points == 2)
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
    let session = try Session(identity: TestSessions.identity("alice"), configuration: configuration)
    let error = await #expect(throws: SessionError.self) { try await session.start() }
    #expect(error?.code == .io)
    session.loop.join()
  }
}
