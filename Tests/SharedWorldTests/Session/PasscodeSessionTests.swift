import TestSupport
import Testing

@testable import SharedWorld

/// The passcode of a room between real sessions: TLS gives both ends of a connection the same exporter.
@Suite("A room with a passcode", .endsHangs)
struct PasscodeSessionTests {
  private static func configuration(_ passcode: String?) throws -> Session.Configuration {
    var configuration = TestSessions.configuration()
    configuration.authentication.passcode = try passcode.map { try Passcode($0) }
    return configuration
  }

  @Test("three peers that know it share a session, each linked to each")
  func joined() async throws {
    let configuration = try Self.configuration("sesame 1")
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: configuration) { bob in
        try await Session.withSession(as: TestSessions.identity("carol"), configuration: configuration) { carol in
          var events = carol.events.makeAsyncIterator()
          #expect(try await alice.peers.invite(bob.address) == bob.localPeer)
          _ = try await bob.peers.invite(carol.address)
          _ = try await events.first { if case .peerJoined(alice.localPeer) = $0 { true } else { nil } }
          let lamp = try await alice.place(Anchor(name: "lamp"))
          _ = try await events.first {
            if case .anchorAdded(let anchor, _) = $0, anchor.id == lamp { true } else { nil }
          }
          try await until { await alice.state.peers.allSatisfy(\.isDirect) }
        }
      }
    }
  }

  @Test(
    "a peer with another passcode, or with none, is not admitted, whoever invites",
    arguments: [("sesame 2", SessionError.Code.passcodeRefused), (nil, .passcodeRequired)]
      as [(String?, SessionError.Code)],
    [true, false])
  func refused(other: (passcode: String?, code: SessionError.Code), strangerInvites: Bool) async throws {
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: Self.configuration("sesame 1")) {
      alice in
      try await Session.withSession(
        as: TestSessions.identity("bob"), configuration: Self.configuration(other.passcode)
      ) { bob in
        let error = await #expect(throws: SessionError.self) {
          _ = strangerInvites ? try await bob.peers.invite(alice.address) : try await alice.peers.invite(bob.address)
        }
        #expect(error?.code == other.code)
        #expect(await alice.state.peers.isEmpty)
        #expect(await bob.state.peers.isEmpty)
      }
    }
  }

  @Test("a device that had a wrong passcode comes in with the right one at once when the app says so")
  func unlocked() async throws {
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: Self.configuration("sesame 1")) {
      alice in
      let bob = try TestSessions.identity("bob")
      try await Session.withSession(as: bob, configuration: Self.configuration("sesame 2")) { bob in
        let error = await #expect(throws: SessionError.self) { try await bob.peers.invite(alice.address) }
        #expect(error?.code == .passcodeRefused)
      }
      try await Session.withSession(as: bob, configuration: Self.configuration("sesame 1")) { bob in
        // Without this bob would have to wait for a second.
        await alice.peers.unlockPasscode()
        let host = try await bob.peers.invite(alice.address)
        #expect(host == alice.localPeer)
      }
    }
  }
}
