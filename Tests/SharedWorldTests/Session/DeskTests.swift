import Basics
import PeerProtocol
import PeerTransport
import ServiceDiscovery
import TestSupport
import Testing
import WorldModel

@testable import SharedWorld

@Suite("What a session keeps of others, and leaves behind", .endsHangs)
struct DeskTests {
  private static func peer(_ number: UInt64) -> Peer {
    Peer(id: PeerID(SHA256Digest(words: SIMD4(number, 0, 0, 0))), name: "stranger")
  }

  @Test("the names of strangers, and the keys behind services, are remembered up to a bound")
  func strangers() throws {
    let type = try ServiceType("swtest")
    var desk = DiscoveryDesk(serviceType: type, instanceName: "sw-0")
    for number in 0..<UInt64(5000) {
      desk.identify(Self.peer(number)) { [] }
      desk.begin(number, to: "service \(number)")
      _ = desk.reached(Self.peer(number).id, by: number)
      desk.end(number)
    }
    let names = (0..<UInt64(5000)).count { desk.peer(Self.peer($0).id).name == "stranger" }
    #expect((1...8192).contains(names))
    let services = (0..<5000).count { desk.key(of: "service \($0)") != nil }
    #expect((1...4096).contains(services))
  }

  @Test("a service is bound to the key that this session reached by dialling it, and to no other")
  func bound() throws {
    let type = try ServiceType("swtest")
    let info = try DiscoveryRecord(showing: "kitchen").info()
    var desk = DiscoveryDesk(serviceType: type, instanceName: "sw-0")
    let service = try ServiceInstance(name: "sw-1", type: type)
    _ = desk.take(.found(service, info)) { _ in nil }
    let (bob, mallory) = (Self.peer(1), Self.peer(2))
    desk.identify(mallory) { [] }
    #expect(desk.key(of: "sw-1") == nil && desk.candidates.map(\.peer) == [nil])
    desk.identify(bob) { [] }
    desk.begin(7, to: "sw-1")
    // An invitation to an address tells nothing of a service.
    #expect(desk.reached(mallory.id, by: 8) == nil)
    _ = desk.reached(bob.id, by: 7)
    #expect(desk.key(of: "sw-1") == bob.id && desk.candidates.map(\.peer) == [bob])
    desk.end(7)
    #expect(desk.reached(mallory.id, by: 7) == nil)
    // The key outlives the record, as that of a peer that crashed.
    _ = desk.take(.lost(service)) { _ in nil }
    _ = desk.take(.found(service, info)) { _ in nil }
    #expect(desk.candidates.map(\.peer) == [bob])
  }

  @Test("a recognised service has the name that was recorded, or that a peer first met in this session gave itself")
  func recognized() throws {
    let type = try ServiceType("swtest")
    var record = DiscoveryRecord(showing: "shown")
    record.tag = "tag"
    let info = try record.info()
    var desk = DiscoveryDesk(serviceType: type, instanceName: "sw-0")
    let (bob, service) = (Self.peer(1), try ServiceInstance(name: "sw-1", type: type))
    desk.note(bob)
    _ = desk.take(.found(service, info)) { $0 == "tag" ? Peer(id: bob.id, name: "") : nil }
    #expect(desk.candidates.map(\.seenBefore) == [bob])
    _ = desk.take(.updated(service, info)) { _ in Peer(id: bob.id, name: "recorded") }
    #expect(desk.candidates.map(\.seenBefore?.name) == ["recorded"])
  }

  @Test("a service is known again once its peer, a member by now, has told its key")
  func recognizedLater() throws {
    let type = try ServiceType("swtest")
    var desk = DiscoveryDesk(serviceType: type, instanceName: "sw-0")
    let bob = Self.peer(1)
    desk.note(bob)
    for name in ["sw-1", "sw-2"] {
      var record = DiscoveryRecord(showing: "shown")
      record.tag = "tag of \(name)"
      _ = desk.take(.found(try ServiceInstance(name: name, type: type), try record.info())) { _ in nil }
    }
    #expect(desk.candidates.map(\.likelyPeer) == [nil, nil])
    let events = desk.recognizeAgain { $0 == "tag of sw-2" ? Peer(id: bob.id, name: "") : nil }
    #expect(desk.candidates.map(\.likelyPeer) == [nil, bob.id])
    guard case .candidateFound(let found)? = events.first, events.count == 1 else { return #expect(Bool(false)) }
    #expect(found.id == "sw-2" && found.seenBefore == bob)
  }

  @Test("the session's map is the latest that came, also when an earlier one takes longer to be decoded")
  func latestMap() {
    var maps = MapDesk(store: nil)
    let ids = (0..<3).map { MapID(SHA256Digest(words: SIMD4($0, 0, 0, 0))) }
    let numbers = ids.map { _ in maps.numbers.next() }
    for index in [1, 2, 0] {
      maps.keep(.decoded(WorldMap()), of: index, id: ids[index], number: numbers[index])
    }
    #expect(maps.latest?.id == ids[2] && maps.latest?.points == 2)
  }

  @Test("what is left of a map takes as long as the rate says, and nobody knows how long without one")
  func remainingTime() {
    func remaining(_ verified: Int, rate: Int) -> Duration? {
      Session.MapProgress(
        from: Peer(id: PeerID(SHA256Digest(words: .zero)), name: "bob"), mapID: MapID(SHA256Digest(words: .zero)),
        verifiedBytes: verified, totalBytes: 1_000, bytesPerSecond: rate, requestedBytes: 0, receivedBytes: 0
      ).remaining
    }
    #expect(remaining(400, rate: 200) == .seconds(3))
    #expect(remaining(1_000, rate: 200) == .zero)
    #expect(remaining(400, rate: 0) == nil)
  }

  @Test("a session that cannot start ends the thread it began")
  func failedStart() async throws {
    var configuration = TestSessions.configuration()
    configuration.storage.state = "/nowhere/state"
    let session = try Session(identity: TestSessions.identity("alice"), configuration: configuration)
    let error = await #expect(throws: SessionError.self) { try await session.begin() }
    #expect(error?.code == .io)
    session.loop.join()
  }
}
