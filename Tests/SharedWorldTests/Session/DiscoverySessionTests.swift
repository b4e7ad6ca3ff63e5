import SharedWorld
import Testing

@Suite("Sessions that find each other", .timeLimit(.minutes(5)))
struct DiscoverySessionTests {
  /// A configuration whose service no other test uses.
  private static func configuration(_ service: String) -> Session.Configuration {
    var configuration = Session.Configuration(service: service)
    configuration.discovery = .embedded
    configuration.advertisesName = true
    configuration.invitationHandler = { _ in .accept }
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
        #expect(await alice.state().candidates == [candidate])
        #expect(try await alice.invite(.candidate(candidate.id)) == bob.localPeer)
        let known = try await events.first { event -> Peer? in
          if case .candidateFound(let candidate) = event { candidate.peer } else { nil }
        }
        #expect(known == bob.localPeer)
        await bob.leave()
        let lost = try await events.first { event -> Candidate.ID? in
          if case .candidateLost(let candidate) = event { candidate.id } else { nil }
        }
        #expect(lost == candidate.id)
        let error = await #expect(throws: SessionError.self) { try await alice.invite(.candidate(candidate.id)) }
        #expect(error?.code == .unknownPeer)
      }
    }
  }
}
