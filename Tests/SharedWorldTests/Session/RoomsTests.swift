import Authentication
import PeerTransport
import TestSupport
import Testing

@testable import SharedWorld

@Suite("Rooms of one name with different codes beside each other on one network", .endsHangs)
struct RoomsTests {
  private static func configuration(_ network: MemoryNetwork, _ passcode: String) throws -> Session.Configuration {
    var configuration = try Session.Configuration(room: "swtest", code: passcode)
    configuration.transport = .inMemory(network)
    return configuration
  }

  /// Passcodes for so many rooms, in pairs of one bucket: the hardest for rooms to tell from each other.
  private static func passcodes(_ count: Int) throws -> [String] {
    var buckets: [UInt8: [String]] = [:]
    for number in 0... {
      let text = "passcode-\(number)"
      buckets[try Passcode(text).bucket(for: "swtest"), default: []].append(text)
      let pairs = buckets.values.filter { $0.count >= 2 }
      if pairs.count * 2 >= count { return Array(pairs.flatMap { $0.prefix(2) }.prefix(count)) }
    }
    return []
  }

  /// Runs `body` with so many sessions for each passcode.
  private static func sessions(
    _ count: Int, _ passcodes: [String], on network: MemoryNetwork,
    _ body: @escaping @Sendable ([[Session]]) async throws -> Void
  ) async throws {
    @Sendable func add(to rooms: [[Session]]) async throws {
      guard let room = rooms.firstIndex(where: { $0.count < count }) else { return try await body(rooms) }
      let identity = try TestSessions.identity("peer \(rooms[room].count) of \(passcodes[room])")
      try await Session.withSession(as: identity, configuration: configuration(network, passcodes[room])) {
        var more = rooms
        more[room].append($0)
        try await add(to: more)
      }
    }
    try await add(to: passcodes.map { _ in [] })
  }

  /// What one session was told.
  private struct Told {
    /// The services that were refused, each time that they were.
    var refused: [InvitationTarget] = []
    var isLocked = false

    mutating func note(_ event: Session.Event) {
      switch event {
      case .invitationFailed(let target, let error, _) where error.code == .passcodeRefused: refused.append(target)
      case .problem(let error) where error.code == .passcodeLocked: isLocked = true
      default: break
      }
    }
  }

  @Test("each room is complete and stays open, and tries no service of another one twice, for ten minutes")
  func apart() async throws {
    let (rooms, members) = Tier.isCheck ? (10, 4) : (2, 3)
    let network = try MemoryNetwork(speed: 100)
    let passcodes = try Self.passcodes(rooms)
    #expect(Set(passcodes).count == rooms)
    try await Self.sessions(members, passcodes, on: network) { sessions in
      let readers = sessions.joined().map { session in
        Task {
          var told = Told()
          for await event in session.events { told.note(event) }
          return told
        }
      }
      for room in sessions {
        for session in room { try await until { await session.state.peers.count == members - 1 } }
      }
      let end = network.clock.now + 600_000_000_000
      try await until { network.clock.now >= end }
      for session in sessions.joined() { #expect(await session.state.peers.count == members - 1) }
      for session in sessions.joined() { await session.leave() }
      for reader in readers {
        let told = await reader.value
        #expect(!told.isLocked && Set(told.refused).count == told.refused.count)
        #expect(told.refused.count <= (rooms - 1) * members)
      }
    }
  }

  @Test("a service that says it has another passcode is told of once, and not dialled")
  func otherBucket() async throws {
    let network = try MemoryNetwork(speed: 100)
    // Two of different pairs.
    let passcodes = try Self.passcodes(4)
    try await Self.sessions(1, [passcodes[0], passcodes[2]], on: network) { sessions in
      let (one, other) = (sessions[0][0], sessions[1][0])
      let target = try await one.first { event in
        if case .invitationFailed(let target, let error, isRetried: false) = event, error.code == .passcodeRefused {
          target
        } else {
          nil
        }
      }
      #expect(await other.state.candidates.count == 1)
      #expect(target.candidate != nil)
      await other.leave()
      let tried = await other.events.contains { if case .problem = $0 { true } else { false } }
      #expect(!tried)
    }
  }
}
