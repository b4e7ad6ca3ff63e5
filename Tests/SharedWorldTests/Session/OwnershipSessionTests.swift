import SharedWorld
import TestSupport
import Testing

@Suite("Ownership of anchors in a session", .endsHangs)
struct OwnershipSessionTests {
  @Test("an anchor is granted, given, released; who does not own it cannot pass it on")
  func passedOn() async throws {
    try await TestSessions.joined { alice, bob in
      let lamp = try await alice.place(Anchor(name: "lamp"), acknowledgement: .everyPresentMember)
      let mine = try await alice.world.requestOwnership(of: lamp, lease: .seconds(3600))
      #expect(mine.owner.id == alice.localPeer.id && mine.until != nil)
      #expect(await alice.world.ownership(of: lamp) == mine)
      let theirs = try await bob.world.requestOwnership(of: lamp)
      #expect(theirs.owner.id == bob.localPeer.id && theirs.until == nil)
      #expect((theirs.epoch, theirs.number) > (mine.epoch, mine.number))
      try await bob.world.giveOwnership(of: lamp, to: alice.localPeer.id)
      #expect(await bob.world.ownership(of: lamp)?.owner.id == alice.localPeer.id)
      let error = await #expect(throws: SessionError.self) { try await bob.world.releaseOwnership(of: lamp) }
      #expect(error?.code == .notOwner)
    }
  }

  @Test("the owner's app is asked, and may keep the anchor")
  func kept() async throws {
    var careful = TestSessions.configuration()
    careful.ownershipHandler = { request in request.peer.name != "bob" }
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: careful) { alice in
      let careless = TestSessions.configuration()
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: careless) { bob in
        _ = try await alice.peers.invite(bob.address)
        let lamp = try await alice.place(Anchor(name: "lamp"), acknowledgement: .everyPresentMember)
        _ = try await alice.world.requestOwnership(of: lamp)
        let error = await #expect(throws: SessionError.self) { try await bob.world.requestOwnership(of: lamp) }
        #expect(error?.code == .declined)
        #expect(await alice.world.ownership(of: lamp)?.owner.id == alice.localPeer.id)
      }
    }
  }

  @Test("when the owner leaves, the others are told that nobody owns the anchor")
  func freed() async throws {
    try await TestSessions.joined { alice, bob in
      let events = alice.events.makeAsyncIterator()
      let lamp = try await alice.place(Anchor(name: "lamp"), acknowledgement: .everyPresentMember)
      _ = try await bob.world.requestOwnership(of: lamp)
      await bob.leave()
      var owners: [PeerID?] = []
      var iterator = events
      while owners.last != .some(nil), let event = await iterator.next() {
        if case .ownershipChanged(lamp, let owner) = event { owners.append(owner?.id) }
      }
      #expect(owners == [bob.localPeer.id, nil])
      #expect(await alice.world.ownership(of: lamp) == nil)
    }
  }
}
