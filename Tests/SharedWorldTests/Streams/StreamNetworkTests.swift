import Basics
import TestSupport
import Testing

@testable import SharedWorld

@Suite("Streams over a network that breaks", .endsHangs)
struct StreamNetworkTests {
  /// Runs `body` with two members of a session on a network in memory.
  private static func joined(
    on network: MemoryNetwork, _ body: @escaping @Sendable (Session, Session) async throws -> Void
  ) async throws {
    var configuration = Session.Configuration(service: "swtest")
    configuration.transport = .inMemory(network)
    configuration.invitations.outgoing = .all
    configuration.invitations.incoming = .all
    let settings = configuration
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: settings) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: settings) { bob in
        _ = try await TestSessions.agreedHost([alice, bob])
        try await body(alice, bob)
      }
    }
  }

  @Test("a stream goes on over links that break, and over a divided network that heals: every byte once, in order")
  func brokenLinks() async throws {
    let network = try MemoryNetwork(seed: 5, delay: .zero ... .milliseconds(2))
    try await Self.joined(on: network) { alice, bob in
      let (one, other) = try await StreamSessionTests.pair(alice, bob)
      let bytes = StreamSessionTests.bytes(6_000_000)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for start in stride(from: 0, to: bytes.count, by: 50_000) {
            try await one.write(Array(bytes[start..<start + 50_000]))
          }
          try await one.finish()
        }
        var received: [UInt8] = []
        var breaks = 0
        for try await chunk in other {
          received += chunk
          guard received.count > (breaks + 1) * 1_000_000, breaks < 5 else { continue }
          breaks += 1
          if breaks == 3 {
            network.partition([alice])
            network.heal()
          } else {
            network.disconnect(alice, bob)
          }
          // The other direction is in use as well.
          try await other.write([UInt8(breaks)])
        }
        #expect(received == bytes && breaks == 5)
        try await other.finish()
        #expect(try await StreamSessionTests.all(of: one) == [1, 2, 3, 4, 5])
        try await group.waitForAll()
      }
    }
  }

  @Test("a link that breaks while nothing is on its way leaves the stream whole")
  func idleBreak() async throws {
    let network = try MemoryNetwork()
    try await Self.joined(on: network) { alice, bob in
      let (one, other) = try await StreamSessionTests.pair(alice, bob)
      network.disconnect(alice, bob)
      try await one.write([1])
      #expect(try await other.read() == [1])
      try await other.write([2])
      #expect(try await one.read() == [2])
    }
  }

  @Test(
    "streams between halves of a divided network end with a typed error on both sides, and new ones open once it is whole"
  )
  func lost() async throws {
    let network = try MemoryNetwork(seed: 6)
    try await Self.joined(on: network) { alice, bob in
      let (one, other) = try await StreamSessionTests.pair(alice, bob)
      try await one.write([1])
      #expect(try await other.read() == [1])
      network.partition([alice])
      async let reading = StreamSessionTests.code { _ = try await other.read() }
      #expect(
        await StreamSessionTests.code { while true { try await one.write([2]); _ = try await one.read() } }
          == .notConnected)
      #expect(await reading == .notConnected)
      network.heal()
      _ = try await TestSessions.agreedHost([alice, bob])
      let (again, end) = try await Self.reopened(alice, bob)
      try await again.write([3])
      #expect(try await end.read() == [3])
    }
  }

  /// Both ends of a stream between peers that find each other again.
  private static func reopened(_ alice: Session, _ bob: Session) async throws -> (PeerStream, PeerStream) {
    let incoming = bob.streams.incoming(named: "again")
    return try await withThrowingTaskGroup(of: PeerStream?.self) { group in
      group.addTask {
        while true {
          do throws(SessionError) {
            return try await alice.streams.open(named: "again", to: bob.localPeer.id, timeout: .seconds(60))
          } catch {
            // Alice does not see bob yet.
            guard error.code == .unknownPeer || error.code == .notConnected else { throw error }
            await Task.yield()
          }
        }
      }
      var iterator = incoming.makeAsyncIterator()
      let end = try #require(await iterator.next())
      let opened = try #require(await group.next() ?? nil)
      return (opened, end)
    }
  }
}
