import SharedWorld
import TestSupport
import Testing

@Suite("Sessions that find each other", .endsHangs)
struct DiscoverySessionTests {
  /// A configuration whose service no other test uses.
  private static func configuration(_ service: String) -> Session.Configuration {
    var configuration = Session.Configuration(service: service)
    configuration.discovery.mode = .embedded
    configuration.discovery.advertising.showsName = true
    configuration.invitations.incoming = .all
    return configuration
  }

  @Test("a peer is found without a daemon, invited by its candidate, named once it is known, and lost when it leaves")
  func foundAndInvited() async throws {
    let configuration = Self.configuration("sws-\(UInt32.random(in: 0..<100_000))")
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: configuration) { bob in
        var events = alice.events.makeAsyncIterator()
        var words: [String] = []
        var found: Candidate?
        while found == nil, let event = await events.next() {
          switch event {
          case .discoveryAvailable(let backend): words.append(backend)
          case .candidateFound(let candidate): found = candidate
          default: continue
          }
        }
        let candidate = try #require(found)
        #expect(words.count == 1)
        #expect(candidate.name == "bob" && candidate.peer == nil)
        #expect(await alice.state.candidates == [candidate])
        #expect(try await alice.peers.invite(.candidate(candidate.id)) == bob.localPeer)
        let known = try await events.first { event -> Peer? in
          if case .candidateFound(let candidate) = event { candidate.peer } else { nil }
        }
        #expect(known == bob.localPeer)
        await bob.leave()
        let lost = try await events.first { event -> Candidate.ID? in
          if case .candidateLost(let candidate) = event { candidate.id } else { nil }
        }
        #expect(lost == candidate.id)
        let error = await #expect(throws: SessionError.self) { try await alice.peers.invite(.candidate(candidate.id)) }
        #expect(error?.code == .unknownPeer)
      }
    }
  }

  @Test("others see what an app tells, and whether its session is locked, before they invite; a restart keeps the name")
  func standing() async throws {
    let plain = Self.configuration("sws-\(UInt32.random(in: 0..<100_000))")
    var attic = plain
    attic.discovery.advertising.info = ["room": "attic"]
    let (identity, configuration) = (try TestSessions.identity("bob"), attic)
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: plain) { alice in
      var events = alice.events.makeAsyncIterator()
      let service = try await Session.withSession(as: identity, configuration: configuration) { bob in
        var event = try await events.first { $0.found("bob") { _ in true } }
        #expect(event.standing == .open && event.info == ["room": "attic"] && event.protocolVersion != nil)
        try await bob.peers.lock()
        event = try await events.first { $0.found("bob") { $0.standing == .locked } }
        try await bob.peers.unlock()
        try await bob.peers.setDiscoveryInfo(["room": "cellar"])
        event = try await events.first { $0.found("bob") { $0.info == ["room": "cellar"] && $0.standing == .open } }
        await #expect(throws: SessionError.self) { try await bob.peers.setDiscoveryInfo(["v": "2"]) }
        return event.id
      }
      _ = try await events.first { if case .candidateLost(let lost) = $0, lost.id == service { true } else { nil } }
      try await Session.withSession(as: identity, configuration: configuration) { _ in
        let again = try await events.first { $0.found("bob") { _ in true } }
        #expect(again.id == service)
      }
    }
  }

  @Test("a session that has as many members as it takes says so")
  func full() async throws {
    var small = Self.configuration("sws-\(UInt32.random(in: 0..<100_000))")
    small.limits.members = 2
    small.discovery.advertising.hidesDevice = true
    let configuration = small
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: configuration) { bob in
        var events = alice.events.makeAsyncIterator()
        let found = try await events.first { $0.found("bob") { _ in true } }
        _ = try await alice.peers.invite(.candidate(found.id))
        _ = try await events.first { $0.found("bob") { $0.standing == .full } }
        await bob.leave()
      }
    }
  }
}

extension Session.Event {
  /// The candidate that is found under a name and fits.
  fileprivate func found(_ name: String, where fits: (Candidate) -> Bool) -> Candidate? {
    guard case .candidateFound(let candidate) = self, candidate.name == name, fits(candidate) else { return nil }
    return candidate
  }
}
