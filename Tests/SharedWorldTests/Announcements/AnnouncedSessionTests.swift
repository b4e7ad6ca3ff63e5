import PeerTransport
import ServiceDiscovery
import TestSupport
import Testing

@testable import SharedWorld

@Suite("Sessions that announce themselves", .endsHangs)
struct AnnouncedSessionTests {
  /// A configuration whose service and port no other test uses, with announcements alone.
  private static func configuration() -> Session.Configuration {
    var configuration = Session.Configuration(service: "swn-\(UInt32.random(in: 0..<100_000))")
    configuration.discovery.mode = .none
    configuration.discovery.announcements = Session.Configuration.Announcements()
    configuration.discovery.announcements?.port = UInt16.random(in: 30_000..<60_000)
    configuration.discovery.advertising.showsName = true
    configuration.invitations.incoming = .all
    return configuration
  }

  @Test(
    "a peer is found without multicast DNS, invited for its key alone, told of when it is locked, and lost when it leaves"
  )
  func foundAndInvited() async throws {
    let configuration = Self.configuration()
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: configuration) { bob in
        var events = alice.events.makeAsyncIterator()
        let found = try await events.first { if case .candidateFound(let it) = $0 { it } else { nil } }
        #expect(found.name == "bob" && found.ways == [.announcement] && found.announcedKey == bob.localPeer.id)
        #expect(await alice.state.candidates.map(\.id) == [found.id])
        try await bob.peers.lock()
        _ = try await events.first { if case .candidateFound(let it) = $0, it.standing == .locked { it } else { nil } }
        try await bob.peers.unlock()
        #expect(try await alice.peers.invite(.candidate(found.id)) == bob.localPeer)
        let bound = try await events.first { if case .candidateFound(let it) = $0 { it.peer } else { nil } }
        #expect(bound == bob.localPeer)
        await bob.leave()
        let lost = try await events.first { if case .candidateLost(let it) = $0 { it.id } else { nil } }
        #expect(lost == found.id)
      }
    }
  }

  @Test("a peer that is announced to nobody is found where it is asked, and one that only looks is not")
  func asked() async throws {
    let configuration = Self.configuration()
    var asking = configuration
    asking.discovery.announcements?.port = UInt16.random(in: 20_000..<30_000)
    asking.discovery.role = .browser
    let quiet = asking
    // The port of the announcements differs, so that neither hears what the other sends to all.
    var target = try #require(asking.discovery.announcements)
    target.port = try #require(configuration.discovery.announcements?.port)
    target.probes = [try #require(Session.Configuration.Probe("127.0.0.1"))]
    asking.discovery.announcements = target
    let browser = asking
    try await Session.withSession(as: TestSessions.identity("bob"), configuration: configuration) { bob in
      try await Session.withSession(as: TestSessions.identity("carol"), configuration: quiet) { carol in
        try await Session.withSession(as: TestSessions.identity("alice"), configuration: browser) { alice in
          let found = try await alice.first { if case .candidateFound(let it) = $0 { it } else { nil } }
          #expect(found.announcedKey == bob.localPeer.id)
          #expect(await bob.state.candidates.isEmpty)
          #expect(await carol.state.candidates.isEmpty)
        }
      }
    }
  }

  @Test("one peer by two ways is one candidate, which stays while one of them works")
  func bothWays() throws {
    var desk = DiscoveryDesk(serviceType: try ServiceType("demo"), instanceName: "sw-0")
    let tls = try TestSessions.identity("bob").tls
    var record = DiscoveryRecord(showing: "bob")
    let bytes = try Announcement.datagram(of: tls, number: 1, port: 4711, service: "demo", record)
    let announcement = try #require(Announcement(verifying: bytes))
    record.key = DiscoveryDesk.key(of: tls.peerID)
    let instance = try ServiceInstance(name: "sw-1", type: try ServiceType("demo"))
    let info = try record.info()
    func words(_ events: [Session.Event]) -> [String] {
      events.map { event in
        switch event {
        case .candidateFound(let it): "found \(it.id) \(it.ways.map(\.rawValue).sorted())"
        case .candidateLost(let it): "lost \(it.id)"
        default: "?"
        }
      }
    }
    let own = "key-" + DiscoveryDesk.key(of: tls.peerID)
    let steps = [
      words(desk.take(.found(announcement))), words(desk.take(.found(instance, info)) { _ in nil }),
      words(desk.take(.lost(tls.peerID))), words(desk.take(.found(announcement))),
      words(desk.take(.lost(instance)) { _ in nil }), words(desk.take(.lost(tls.peerID))),
    ]
    #expect(
      steps == [
        ["found \(own) [\"announcement\"]"], ["found sw-1 [\"announcement\", \"mdns\"]", "lost \(own)"],
        ["found sw-1 [\"mdns\"]"], ["found sw-1 [\"announcement\", \"mdns\"]"],
        ["lost sw-1", "found \(own) [\"announcement\"]"], ["lost \(own)"],
      ])
    #expect(desk.candidates.isEmpty)
    // A service that claims to be an announced peer's gets no more than that peer.
    _ = desk.take(.found(announcement))
    _ = desk.take(.found(instance, info)) { _ in nil }
    #expect(desk.candidates.map(\.announcedKey) == [tls.peerID] && desk.key(of: "sw-1") == tls.peerID)
  }
}
