import Foundation
import PeerProtocol
import TestSupport
import Testing
import WorldModel

@testable import SharedWorld

@Suite("A creator's session", .endsHangs)
struct OwnedSessionTests {
  private static func owned() -> Session.Configuration {
    var configuration = TestSessions.configuration()
    configuration.hosting.authority = .creator
    return configuration
  }

  /// Waits until a peer has a role, as a session sees it.
  private static func await(_ role: PeerRole?, of peer: PeerID, at session: Session) async throws {
    // Before the question: what happens behind it must not be missed.
    var events = session.events.makeAsyncIterator()
    if await session.peers.role(of: peer) == role { return }
    _ = try await events.first { if case .roleChanged(let found, role) = $0, found.id == peer { true } else { nil } }
  }

  /// Runs `body` with the creator and two members, of which the last one wants to host.
  private static func three(_ body: @Sendable (Session, Session, Session) async throws -> Void) async throws {
    var pushing = TestSessions.configuration()
    pushing.hosting.priority = 255
    let eves = pushing
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: owned()) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: TestSessions.configuration()) {
        bob in
        try await Session.withSession(as: TestSessions.identity("eve"), configuration: eves) { eve in
          for peer in [bob, eve] { _ = try await alice.join(peer.address) }
          for session in [alice, bob, eve] {
            for peer in [bob, eve] { try await Self.await(.member, of: peer.localPeer.id, at: session) }
          }
          try await body(alice, bob, eve)
        }
      }
    }
  }

  @Test("members see who owns it, and an open session is nobody's")
  func owner() async throws {
    try await Self.three { alice, bob, eve in
      for session in [alice, bob, eve] {
        let owner = await session.peers.creator
        #expect(owner?.id == alice.localPeer.id)
      }
      let role = await bob.peers.role(of: alice.localPeer.id)
      #expect(role == .creator)
    }
    try await TestSessions.joined { alice, bob in
      let (owner, role) = (await alice.peers.creator, await alice.peers.role(of: bob.localPeer.id))
      #expect(owner == nil && role == nil)
      let error = await #expect(throws: SessionError.self) {
        try await alice.peers.setRole(.moderator, of: bob.localPeer.id)
      }
      #expect(error?.code == .notPermitted && error?.message.contains("authority = .creator") == true)
    }
  }

  @Test("a member that becomes host removes nobody, locks nothing and lets nobody in")
  func hostIsNoAuthority() async throws {
    try await Self.three { alice, bob, eve in
      while await eve.peers.requestHost() != .hosts {}
      let kick = await #expect(throws: SessionError.self) { try await eve.peers.remove(bob.localPeer.id) }
      let lock = await #expect(throws: SessionError.self) { try await eve.peers.lock() }
      #expect(kick?.code == .notPermitted && lock?.code == .notPermitted)
      try await Session.withSession(as: TestSessions.identity("mallory"), configuration: TestSessions.configuration()) {
        mallory in
        await #expect(throws: SessionError.self) { try await eve.peers.invite(mallory.address) }
        await #expect(throws: SessionError.self) { try await mallory.peers.invite(bob.address) }
      }
      let role = await alice.peers.role(of: bob.localPeer.id)
      #expect(role == .member)
    }
  }

  @Test("a guest writes nothing, sends messages, and is a member again, for a while")
  func guest() async throws {
    try await Self.three { alice, bob, eve in
      try await alice.peers.setRole(.guest, of: bob.localPeer.id)
      for session in [alice, bob, eve] { try await Self.await(.guest, of: bob.localPeer.id, at: session) }
      let place = await #expect(throws: SessionError.self) { try await bob.place(Anchor(name: "lamp")) }
      let map = await #expect(throws: SessionError.self) { try await bob.share(WorldMap()) }
      #expect(place?.code == .notPermitted && map?.code == .notPermitted)
      try await bob.send(Array("hello".utf8))
      try await alice.peers.setRole(.publisher, of: bob.localPeer.id, for: .seconds(3600))
      try await Self.await(.publisher, of: bob.localPeer.id, at: bob)
      let (time, forever) = (
        await bob.peers.roleTime(of: bob.localPeer.id), await bob.peers.roleTime(of: eve.localPeer.id)
      )
      #expect(time.map { $0 > .seconds(3500) && $0 <= .seconds(3600) } == true && forever == nil)
      var news = eve.events.makeAsyncIterator()
      try await bob.place(Anchor(name: "lamp"))
      _ = try await news.first { if case .anchorAdded = $0 { true } else { nil } }
      let moderator = await #expect(throws: SessionError.self) {
        try await alice.peers.setRole(.moderator, of: bob.localPeer.id, for: .seconds(1))
      }
      #expect(moderator?.code == .notPermitted)
    }
  }

  @Test("newcomers are guests from the start, also at a moderator after the creator has gone")
  func newcomersAreGuests() async throws {
    var guests = Self.owned()
    guests.hosting.newcomers = .guests
    let (alices, others) = (guests, TestSessions.configuration())
    let handle = try await Session.start(as: TestSessions.identity("alice"), configuration: alices)
    let alice = handle.session
    try await Session.withSession(as: TestSessions.identity("bob"), configuration: others) { bob in
      _ = try await alice.join(bob.address)
      try await Self.await(.guest, of: bob.localPeer.id, at: bob)
      let place = await #expect(throws: SessionError.self) { try await bob.place(Anchor(name: "lamp")) }
      #expect(place?.code == .notPermitted)
      try await alice.peers.setRole(.moderator, of: bob.localPeer.id)
      try await Self.await(.moderator, of: bob.localPeer.id, at: bob)
      await handle.stop()
      while await bob.peers.requestHost() != .hosts {}
      try await Session.withSession(as: TestSessions.identity("eve"), configuration: others) { eve in
        _ = try await bob.join(eve.address)
        for session in [bob, eve] { try await Self.await(.guest, of: eve.localPeer.id, at: session) }
        let error = await #expect(throws: SessionError.self) {
          try await bob.peers.setRole(.member, of: eve.localPeer.id)
        }
        #expect(error?.code == .notPermitted)
      }
    }
  }

  @Test("an open session does not start with guests")
  func noGuestsInTheOpen() async throws {
    var guests = TestSessions.configuration()
    guests.hosting.newcomers = .guests
    let configuration = guests
    let error = await #expect(throws: SessionError.self) {
      _ = try await Session.start(as: TestSessions.identity("alice"), configuration: configuration)
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test("a moderator removes and locks, whoever hosts, and a removed peer stays out until it is admitted again")
  func moderator() async throws {
    try await Self.three { alice, bob, eve in
      try await alice.peers.setRole(.moderator, of: bob.localPeer.id)
      try await Self.await(.moderator, of: bob.localPeer.id, at: bob)
      let protected = await #expect(throws: SessionError.self) { try await bob.peers.remove(alice.localPeer.id) }
      #expect(protected?.code == .notPermitted)
      var news = eve.events.makeAsyncIterator()
      try await bob.peers.lock()
      try await bob.peers.remove(eve.localPeer.id)
      let reason = try await news.first { if case .ended(let reason) = $0 { reason } else { nil } }
      #expect(reason == .kicked)
      try await Self.await(nil, of: eve.localPeer.id, at: alice)
      try await Session.withSession(as: eve.identity, configuration: TestSessions.configuration()) { again in
        let error = await #expect(throws: SessionError.self) { try await again.peers.invite(alice.address) }
        #expect(error?.code == .declined || error?.code == .locked)
        try await alice.peers.setRole(.member, of: eve.localPeer.id)
        // An admission opens a locked session to this one peer.
        let found = try await again.peers.invite(alice.address)
        #expect(found == alice.localPeer)
      }
    }
  }

  @Test("a creator that starts again with its state owns the session still")
  func restarts() async throws {
    try await TestSessions.withFolder { folder in
      let (one, other) = (try TestSessions.identity("alice"), try TestSessions.identity("bob"))
      var configuration = Self.owned()
      configuration.storage.state = folder.appending(path: "alice").path
      let alices = configuration
      let copy = folder.appending(path: "copy").path
      try await Session.withSession(as: other, configuration: TestSessions.configuration()) { bob in
        try await Session.withSession(as: one, configuration: alices) { alice in
          _ = try await alice.join(bob.address)
          try await alice.peers.setRole(.moderator, of: other.peerID)
          _ = try await TestSessions.record(at: folder.appending(path: "alice").path) {
            $0.governance?.statements.contains { $0.role == .moderator } == true
          }
          try FileManager.default.copyItem(atPath: folder.appending(path: "alice").path, toPath: copy)
        }
      }
      configuration.storage.state = copy
      let again = configuration
      try await Session.withSession(as: one, configuration: again) { alice in
        let (owner, role) = (await alice.peers.creator, await alice.peers.role(of: other.peerID))
        #expect(owner?.id == one.peerID && role == .moderator)
      }
    }
  }
}
