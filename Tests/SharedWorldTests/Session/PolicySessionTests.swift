import Synchronization
import TestSupport
import Testing

@testable import SharedWorld

@Suite("Policies of invitations", .endsHangs)
struct PolicySessionTests {
  /// A configuration whose service no other test uses.
  private static func configuration() -> Session.Configuration {
    var configuration = Session.Configuration(service: "swp-\(UInt32.random(in: 0..<100_000))")
    configuration.discovery.mode = .embedded
    configuration.discovery.advertising.showsName = true
    configuration.invitations.incoming = .all
    return configuration
  }

  @Test("a peer that is found is invited and accepts without a call, by the policies of both")
  func automatic() async throws {
    let quiet = Self.configuration()
    var configuration = quiet
    configuration.invitations.outgoing = .all
    let eager = configuration
    try await Session.withSession(as: TestSessions.identity("bob"), configuration: quiet) { bob in
      try await Session.withSession(as: TestSessions.identity("alice"), configuration: eager) { alice in
        var bobsEvents = bob.events.makeAsyncIterator()
        let joined = try await alice.first { if case .peerJoined(let peer) = $0 { peer } else { nil } }
        #expect(joined == bob.localPeer)
        var order: [String] = []
        while order.last != "joined", let event = await bobsEvents.next() {
          if case .invitationReceived = event { order.append("invited") }
          if case .peerJoined = event { order.append("joined") }
        }
        #expect(order == ["invited", "joined"])
      }
    }
  }

  @Test("an app that is asked names the one that is invited, and is asked once about each")
  func asked() async throws {
    let quiet = Self.configuration()
    let asked = Mutex<[String?]>([])
    var configuration = quiet
    configuration.invitations.outgoing = .ask { candidate in
      asked.withLock { $0.append(candidate.name) }
      return candidate.name == "carol"
    }
    let eager = configuration
    try await Session.withSession(as: TestSessions.identity("bob"), configuration: quiet) { bob in
      try await Session.withSession(as: TestSessions.identity("alice"), configuration: eager) { alice in
        var events = alice.events.makeAsyncIterator()
        _ = try await events.first {
          if case .candidateFound(let found) = $0, found.name == "bob" { true } else { nil }
        }
        // What a service tells later is no new service.
        try await bob.peers.setDiscoveryInfo(["room": "attic"])
        _ = try await events.first {
          if case .candidateFound(let found) = $0, !found.info.isEmpty { true } else { nil }
        }
        try await Session.withSession(as: TestSessions.identity("carol"), configuration: quiet) { carol in
          let joined = try await events.first { if case .peerJoined(let peer) = $0 { peer } else { nil } }
          #expect(joined == carol.localPeer)
          #expect(asked.withLock { $0.compactMap(\.self).sorted() } == ["bob", "carol"])
        }
      }
    }
  }

  @Test("a session that accepts nothing declines for good, and the inviter is told once")
  func none() async throws {
    var closed = Self.configuration()
    closed.invitations.incoming = .none
    closed.discovery.mode = .none
    let configuration = closed
    try await Session.withSession(as: TestSessions.identity("bob"), configuration: configuration) { bob in
      try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { alice in
        let target = InvitationTarget.address(PeerAddress(host: "127.0.0.1", port: bob.port))
        await alice.peers.keepInviting(target)
        let failure = try await alice.first { event -> (InvitationTarget, SessionError.Code, Bool)? in
          if case .invitationFailed(let target, let error, let isRetried) = event {
            (target, error.code, isRetried)
          } else {
            nil
          }
        }
        #expect(failure == (target, .declined, false))
      }
    }
  }

  @Test("a browser is not seen, and an advertiser sees nobody")
  func roles() async throws {
    let both = Self.configuration()
    let (seeing, shown) = (both, both)
    var browsing = seeing
    browsing.discovery.role = .browser
    var advertising = shown
    advertising.discovery.role = .advertiser
    let (browser, advertiser) = (browsing, advertising)
    try await Session.withSession(as: TestSessions.identity("bob"), configuration: browser) { bob in
      try await Session.withSession(as: TestSessions.identity("carol"), configuration: advertiser) { carol in
        var bobsEvents = bob.events.makeAsyncIterator()
        let found = try await bobsEvents.first { if case .candidateFound(let found) = $0 { found } else { nil } }
        #expect(found.name == "carol")
        try await Session.withSession(as: TestSessions.identity("dave"), configuration: both) { dave in
          var events = dave.events.makeAsyncIterator()
          _ = try await events.first { if case .candidateFound(let it) = $0, it.name == "carol" { true } else { nil } }
          // Both know the network for as long as dave does by now.
          _ = try await bobsEvents.first {
            if case .candidateFound(let it) = $0, it.name == "dave" { true } else { nil }
          }
          #expect(await dave.state.candidates.map(\.name) == ["carol"])
          #expect(await carol.state.candidates.isEmpty)
        }
      }
    }
  }

  @Test("the candidate of a browser without a session is resolved and invited")
  func browsed() async throws {
    let configuration = Self.configuration()
    var unseeing = configuration
    unseeing.discovery.mode = .none
    let plain = unseeing
    try await Session.withSession(as: TestSessions.identity("bob"), configuration: configuration) { bob in
      let browser = try Browser(service: configuration.service, discovery: .embedded)
      var found: Candidate?
      for await case .found(let candidate) in browser {
        found = candidate
        break
      }
      let candidate = try #require(found)
      let endpoints = try await browser.resolve(candidate.id)
      #expect(!endpoints.isEmpty && endpoints.allSatisfy { $0.port == bob.port })
      try await Session.withSession(as: TestSessions.identity("alice"), configuration: plain) { alice in
        let invited = try await alice.peers.invite(.service(candidate.id, by: browser))
        #expect(invited == bob.localPeer)
      }
      let error = await #expect(throws: SessionError.self) {
        try await browser.resolve("nobody", timeout: .milliseconds(200))
      }
      #expect(error?.code == .unreachable)
    }
  }

  @Test("an advertiser tells its final name, and what it says can be changed")
  func advertised() async throws {
    let service = "swp-\(UInt32.random(in: 0..<100_000))"
    let advertiser = try Advertiser(service: service, port: 4711, info: ["room": "attic"], discovery: .embedded)
    defer { advertiser.stop() }
    var names = advertiser.events.makeAsyncIterator()
    var name: Candidate.ID?
    while name == nil, let event = await names.next() { if case .advertised(let id) = event { name = id } }
    #expect(name == advertiser.id)
    var rooms: [String?] = []
    for await case .found(let candidate) in try Browser(service: service, discovery: .embedded) {
      rooms.append(candidate.info["room"])
      if rooms == ["attic"] { try advertiser.setInfo(["room": "cellar"]) }
      if rooms.last == "cellar" { break }
    }
    #expect(rooms == ["attic", "cellar"])
    #expect(throws: SessionError.self) { try advertiser.setInfo(["st": "open"]) }
  }
}
