import Foundation
import TestSupport
import Testing

@testable import SharedWorld

@Suite("Trust", .endsHangs)
struct TrustTests {
  private static func configuration(_ trust: TrustPolicy) -> Session.Configuration {
    var configuration = TestSessions.configuration()
    configuration.authentication.trust = trust
    return configuration
  }

  /// Waits until the store has this many peers.
  private static func pins(_ count: Int, in store: PinStore) async throws -> [PinStore.Pin] {
    try await until { try store.pins().count >= count }
    return try store.pins()
  }

  @Test("on first use a key is marked in the prompt and the list, and recorded; the next time it is known")
  func firstUse() async throws {
    try await TestSessions.withFolder { folder in
      let store = PinStore(path: folder.path() + "/known-peers")
      let (alice, bob) = (try TestSessions.identity("alice"), try TestSessions.identity("bob"))
      for expected in [Recognition.neverSeen, .known] {
        try await Session.withSession(as: alice, configuration: Self.configuration(.firstUse(store))) { alice in
          try await Session.withSession(as: bob, configuration: TestSessions.configuration()) { bob in
            var events = alice.events.makeAsyncIterator()
            _ = try await bob.peers.invite(alice.address)
            let prompt = try await events.first { event -> Recognition? in
              if case .invitationReceived(let invitation) = event { invitation.recognition } else { nil }
            }
            #expect(prompt == expected)
            // Bob holds Alice as a member before she has his last word.
            _ = try await events.first { event -> Peer? in if case .peerJoined(let peer) = event { peer } else { nil } }
            #expect(await alice.state.peers.map(\.recognition) == [expected])
            // Bob's policy records nothing.
            #expect(await bob.state.peers.map(\.recognition) == [.untracked])
            #expect(try await Self.pins(1, in: store).map(\.id) == [bob.localPeer.id])
          }
        }
      }
      #expect(try store.pins().map(\.name) == ["bob"])
    }
  }

  @Test("Fault 13: a known name with another key is a new device, with a warning, and changes nothing that is recorded")
  func newDevice() async throws {
    try await TestSessions.withFolder { folder in
      let store = PinStore(path: folder.path() + "/known-peers")
      let (known, other) = (try TestSessions.identity("bob"), try TestSessions.identity("bob"))
      try store.add(known.peerID, name: "bob")
      let alice = try TestSessions.identity("alice")
      try await Session.withSession(as: alice, configuration: Self.configuration(.firstUse(store))) { alice in
        try await Session.withSession(as: other, configuration: TestSessions.configuration()) { bob in
          var events = alice.events.makeAsyncIterator()
          _ = try await bob.peers.invite(alice.address)
          let warning = try await events.first { event -> (Peer, Peer)? in
            if case .newDevice(let peer, let known) = event { (peer, known) } else { nil }
          }
          #expect(warning.0.id == other.peerID && warning.1 == Peer(id: known.peerID, name: warning.0.name))
          _ = try await events.first { event -> Peer? in if case .peerJoined(let peer) = event { peer } else { nil } }
          #expect(await alice.state.peers.map(\.recognition) == [.newDevice])
          #expect(try await Self.pins(2, in: store).map(\.id) == [known.peerID, other.peerID])
        }
      }
    }
  }

  @Test("a list admits its keys and refuses all others, whoever invites", arguments: [true, false])
  func pinned(strangerInvites: Bool) async throws {
    let (bob, carol) = (try TestSessions.identity("bob"), try TestSessions.identity("carol"))
    let policy = Self.configuration(.pinned([bob.peerID]))
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: policy) { alice in
      try await Session.withSession(as: bob, configuration: TestSessions.configuration()) { bob in
        _ = strangerInvites ? try await bob.peers.invite(alice.address) : try await alice.peers.invite(bob.address)
        _ = try await alice.first { if case .peerJoined(let peer) = $0 { peer } else { nil } }
        #expect(await alice.state.peers.map(\.recognition) == [.known])
      }
      try await Session.withSession(as: carol, configuration: TestSessions.configuration()) { carol in
        let error = await #expect(throws: SessionError.self) {
          _ =
            strangerInvites ? try await carol.peers.invite(alice.address) : try await alice.peers.invite(carol.address)
        }
        #expect(error?.code == (strangerInvites ? .declined : .notPermitted))
        #expect(await carol.state.peers.isEmpty)
      }
    }
  }

  @Test(
    "a peer that another member admits gets no connection; the app is told, and anchors go through the other member")
  func admittedByOthers() async throws {
    let (bob, carol) = (try TestSessions.identity("bob"), try TestSessions.identity("carol"))
    let policy = Self.configuration(.pinned([bob.peerID]))
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: policy) { alice in
      try await Session.withSession(as: bob, configuration: TestSessions.configuration()) { bob in
        try await Session.withSession(as: carol, configuration: TestSessions.configuration()) { carol in
          var events = alice.events.makeAsyncIterator()
          _ = try await alice.peers.invite(bob.address)
          _ = try await bob.peers.invite(carol.address)
          _ = try await events.first {
            if case .problem(let error) = $0, error.code == .notPermitted { true } else { nil }
          }
          let lamp = try await carol.place(Anchor(name: "lamp"))
          _ = try await events.first {
            if case .anchorAdded(let anchor, _) = $0, anchor.id == lamp { true } else { nil }
          }
          let refused = try #require(await alice.state.peers.first { $0.id == carol.localPeer.id })
          #expect(refused.recognition == .refused && !refused.isDirect)
          #expect(await alice.peers.statistics.links.map(\.peer) == [bob.localPeer])
        }
      }
    }
  }

  @Test("a store that is damaged keeps the session from starting, with the line that is wrong")
  func damagedStore() async throws {
    try await TestSessions.withFolder { folder in
      let store = PinStore(path: folder.path() + "/known-peers")
      try Data("what is this\n".utf8).write(to: URL(filePath: store.path))
      let error = await #expect(throws: SessionError.self) {
        try await Session.withSession(
          as: TestSessions.identity("alice"), configuration: Self.configuration(.firstUse(store))
        ) { _ in }
      }
      #expect(error?.code == .corruptData && error?.message.contains("line 1") == true)
    }
  }
}
