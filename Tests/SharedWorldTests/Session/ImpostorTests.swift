import Foundation
import PeerProtocol
import PeerTransport
import ServiceDiscovery
import TestSupport
import Testing

@testable import SharedWorld

/// Peers that answer where another one is meant, on real sockets.
@Suite("Attack: an impostor", .endsHangs)
struct ImpostorTests {
  @Test("that answers at an address for another key is sent nothing, and is no member")
  func address() async throws {
    let mallory = try ScriptedPeer(.accept) { $0.name = "bob" }
    let port = try await mallory.start()
    let bob = try TestSessions.identity("bob")
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: TestSessions.configuration()) {
      alice in
      let target = InvitationTarget.address(PeerAddress(host: "127.0.0.1", port: port))
      let error = await #expect(throws: SessionError.self) {
        try await alice.peers.invite(target, expecting: bob.peerID)
      }
      #expect(error?.code == .identityMismatch)
      #expect(error?.message.contains(bob.peerID.short) == true)
      #expect(await alice.state.peers.isEmpty)
      await mallory.lostLink()
      #expect(await mallory.received.isEmpty)
    }
    await mallory.stop()
  }

  @Test("that takes over the service of a peer which has gone gets nothing, and does not take its place in the list")
  func service() async throws {
    var configuration = Session.Configuration(service: "swi-\(UInt32.random(in: 0..<100_000))")
    configuration.discovery.mode = .embedded
    configuration.invitations.incoming = .all
    let mallory = try ScriptedPeer(.accept) { hello in
      hello.name = "bob"
      hello.service = configuration.service
    }
    let port = try await mallory.start()
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { alice in
      var events = alice.events.makeAsyncIterator()
      let bob = try TestSessions.identity("bob")
      let service = try await Session.withSession(as: bob, configuration: configuration) { bob in
        let found = try await events.first { event -> Candidate.ID? in
          if case .candidateFound(let candidate) = event { candidate.id } else { nil }
        }
        #expect(try await alice.peers.invite(.candidate(found)) == bob.localPeer)
        return found
      }
      _ = try await events.first { if case .candidateLost(let lost) = $0, lost.id == service { true } else { nil } }
      let forged = Discovery(mode: .embedded)
      defer { forged.stop() }
      try forged.start(
        browsing: nil,
        advertising: Advertisement(
          instance: try ServiceInstance(name: service, type: try ServiceType(configuration.service)), port: port,
          info: try DiscoveryRecord(showing: "bob").info())
      ) { _ in }
      let again = try await events.first { event -> Candidate? in
        if case .candidateFound(let candidate) = event, candidate.id == service { candidate } else { nil }
      }
      #expect(again.peer?.id == bob.peerID)
      let error = await #expect(throws: SessionError.self) { try await alice.peers.invite(.candidate(service)) }
      #expect(error?.code == .identityMismatch)
      await mallory.lostLink()
      #expect(await mallory.received.isEmpty)
      #expect(await alice.state.peers.allSatisfy { $0.id == bob.peerID })
      #expect(await alice.state.candidates.first { $0.id == service }?.peer?.id == bob.peerID)
    }
    await mallory.stop()
  }

  @Test("that repeats the tag of a known device looks like it, and is sent nothing")
  func tag() async throws {
    let path = NSTemporaryDirectory() + "/known-peers-\(UInt64.random(in: 0...(.max)))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = PinStore(path: path)
    defer { for path in [store.path, store.path + ".lock"] { try? FileManager.default.removeItem(atPath: path) } }
    var configuration = Session.Configuration(service: "swi-\(UInt32.random(in: 0..<100_000))")
    configuration.discovery.mode = .embedded
    configuration.invitations.incoming = .all
    let plain = configuration
    configuration.authentication.trust = .firstUse(store)
    let recording = configuration
    let (alice, bob) = (try TestSessions.identity("alice"), try TestSessions.identity("bob"))
    try await Session.withSession(as: alice, configuration: recording) { alice in
      try await Session.withSession(as: bob, configuration: plain) { bob in
        _ = try await alice.peers.invite(bob.address)
        try await until { try store.pins().first?.recognitionKey != nil }
      }
    }
    let mallory = try ScriptedPeer(.accept) { $0.service = plain.service }
    let port = try await mallory.start()
    let (key, today) = (try bob.recognitionKey, RecognitionBook.day(of: time(nil)))
    var record = DiscoveryRecord()
    record.tag = RecognitionBook.tag(of: bob.peerID, key, service: plain.service, on: today)
    let forged = Discovery(mode: .embedded)
    defer { forged.stop() }
    let instance = try ServiceInstance(name: "forged", type: try ServiceType(plain.service))
    try forged.start(
      browsing: nil, advertising: Advertisement(instance: instance, port: port, info: try record.info())
    ) { _ in }
    try await Session.withSession(as: alice, configuration: recording) { alice in
      var events = alice.events.makeAsyncIterator()
      try await Session.withSession(as: bob, configuration: plain) { bob in
        var seen: [Candidate.ID: Peer?] = [:]
        while seen.count < 2, let event = await events.next() {
          if case .candidateFound(let candidate) = event { seen[candidate.id] = candidate.seenBefore }
        }
        // Without a connection, and though it shows no name; both look alike until somebody answers.
        #expect(seen.values.allSatisfy { $0 == bob.localPeer })
        let error = await #expect(throws: SessionError.self) { try await alice.peers.invite(.candidate("forged")) }
        #expect(error?.code == .identityMismatch)
        #expect(await mallory.received.isEmpty)
        let service = try #require(seen.keys.first { $0 != "forged" })
        #expect(try await alice.peers.invite(.candidate(service)) == bob.localPeer)
      }
    }
    await mallory.stop()
  }

  @Test("that says in its hello that it is behind a service of another peer does not get its name in the list")
  func claim() async throws {
    var configuration = Session.Configuration(service: "swi-\(UInt32.random(in: 0..<100_000))")
    configuration.discovery.mode = .embedded
    configuration.invitations.incoming = .ask { _ in .decline(reason: "no") }
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { alice in
      let advertiser = try Advertiser(service: configuration.service, port: 9, discovery: .embedded)
      defer { advertiser.stop() }
      _ = try await alice.first { event -> Bool? in
        if case .candidateFound(let candidate) = event, candidate.id == advertiser.id { true } else { nil }
      }
      let mallory = try ScriptedPeer(.silence) { hello in
        hello.name = "bob"
        hello.service = configuration.service
        hello.instance = advertiser.id
      }
      let port = try await mallory.start()
      // A machine so busy that nobody is there within five seconds says so, and mallory has said nothing yet.
      repeat {
        _ = try? await alice.peers.invite(.address(PeerAddress(host: "127.0.0.1", port: port)), timeout: .seconds(2))
      } while await !mallory.isInvited
      #expect(await alice.state.candidates.first { $0.id == advertiser.id }?.peer == nil)
      await mallory.end(.refused)
    }
  }
}
