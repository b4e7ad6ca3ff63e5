import SharedWorld
import TestSupport
import Testing

@Suite("The origin of anchors at a join", .endsHangs)
struct JoinOriginTests {
  @Test("what was placed before is remote to both, at each of a hundred joins")
  func remote() async throws {
    let identities = try (TestSessions.identity("alice"), TestSessions.identity("bob"))
    for number in 0..<100 {
      let network = try MemoryNetwork(seed: UInt64(number), delay: .zero ... .milliseconds(20), speed: 4)
      var configuration = Session.Configuration(service: "swtest")
      configuration.transport = .inMemory(network)
      // Without the app's code, which is late on a busy machine: an invitation here waits for three seconds of its time.
      configuration.invitations.incoming = .all
      // In the first half of the joins both invite.
      if number < 50 { configuration.invitations.outgoing = .all }
      let settings = configuration
      try await Session.withSession(as: identities.0, configuration: settings) { alice in
        let lamp = try await alice.place(Anchor(name: "lamp"))
        try await Session.withSession(as: identities.1, configuration: settings) { bob in
          let table = try await bob.place(Anchor(name: "table"))
          if number >= 50 { _ = try await bob.peers.invite(alice.address) }
          let origins = try await [Self.origin(of: table, at: alice), Self.origin(of: lamp, at: bob)]
          #expect(origins == [.remote, .remote], "join \(number)")
        }
      }
    }
  }

  private static func origin(of anchor: AnchorID, at session: Session) async throws -> AnchorOrigin {
    try await session.first { event in
      if case .anchorAdded(let added, let origin) = event, added.id == anchor { origin } else { nil }
    }
  }
}
