import Basics
import PeerProtocol
import TestSupport
import Testing
import WorldModel

@testable import SharedWorld

@Suite("Events of faults", .endsHangs)
struct FaultEventTests {
  @Test("a member whose connection breaks is reconnecting, and lost in the end")
  func reconnecting() async throws {
    let script = try ScriptedPeer(.accept)
    let place = InvitationTarget.address(PeerAddress(host: "127.0.0.1", port: try await script.start()))
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: TestSessions.configuration()) {
      alice in
      let member = try await alice.join(place)
      var events = alice.events.makeAsyncIterator()
      _ = try await events.first { event -> Bool? in if case .peerJoined(member) = event { true } else { nil } }
      await script.stop()
      var words: [String] = []
      while words.last != "left", let event = await events.next() {
        if case .peerReconnecting(member) = event { words.append("reconnecting") }
        if case .peerLeft(member, reason: .lost) = event { words.append("left") }
      }
      #expect(words == ["reconnecting", "left"])
    }
  }

  @Test("a map that is verified and is none is told as failed, and the session goes on")
  func mapFailed() async throws {
    try await TestSessions.joined { alice, bob in
      var events = bob.events.makeAsyncIterator()
      let junk = MapPackage(map: Array("no map, but whole".utf8))
      try await alice.share(unchecked: junk)
      let error = try await events.first { event -> SessionError? in
        if case .mapFailed(let error) = event { error } else { nil }
      }
      #expect(error.code == .corruptData)
      #expect(await bob.maps.latest() == nil)
      let id = try await alice.share(WorldMap(anchors: [Anchor(name: "door")]))
      let receipt = try await events.first { event -> Session.MapReceipt? in
        if case .mapReceived(let receipt) = event { receipt } else { nil }
      }
      #expect(receipt.mapID == id)
    }
  }

  @Test("removing a member and sending to many are one turn of the protocol each; questions are none")
  func turns() async throws {
    try await TestSessions.two { alice, bob in
      let configuration = TestSessions.configuration()
      try await Session.withSession(as: TestSessions.identity("carol"), configuration: configuration) { carol in
        try await Session.withSession(as: TestSessions.identity("dave"), configuration: configuration) { dave in
          try await until { await alice.state.host != nil }
          var members: [PeerID] = []
          for other in [bob, carol, dave] { members.append(try await alice.peers.invite(other.address).id) }
          let all = members
          #expect(try await alice.turns { _ = try $0.sendNow([1, 2, 3], to: .peers(all), mode: .reliable) } == 1)
          #expect(try await alice.turns { _ = try $0.sendNow([1, 2, 3], to: .all, mode: .reliable) } == 1)
          let anchors = (0..<10).map { Anchor(name: "\($0)") }
          #expect(try await alice.turns { try $0.handle(.edits(anchors.map { .place($0) })) } == 1)
          let questions = try await alice.turns { session in
            _ = (session.state, session.statistics(), session.anchors(), session.digest())
            _ = (session.drags(), session.participants(), session.ownership(of: anchors[0].id))
          }
          #expect(questions == 0)
          #expect(try await alice.turns { try $0.kick(all[0]) } == 1)
        }
      }
    }
  }
}

extension Session {
  /// Shares bytes that need not be a map, as a liar does.
  func share(unchecked package: MapPackage) throws { try handle(.share(package, anchors: [], with: nil)) }

  /// How many turns of the protocol `body` takes; nothing else happens meanwhile.
  fileprivate func turns(_ body: @Sendable (isolated Session) throws -> Void) throws -> UInt64 {
    let before = statistics().turns
    try body(self)
    return statistics().turns - before
  }
}
