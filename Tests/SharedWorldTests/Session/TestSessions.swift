import Foundation
import PeerProtocol
import SharedWorld
import TestSupport
import Testing

/// Sessions on the loopback interface, without discovery, with identities in a folder of their own.
enum TestSessions {
  /// A new peer, of which nothing stays on the disk.
  static func identity(_ name: String) throws -> PeerIdentity { try PeerIdentity.temporary(named: name) }

  /// Runs `body` with a folder that is removed afterwards.
  static func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sharedworld-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  /// Writes a file that is this user's alone, as a session asks of its files.
  static func write(_ data: Data, privatelyTo path: String) throws {
    try data.write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  /// Waits until the record on the disk is as it should be.
  static func record(at path: String, _ fits: (NodeRecord) -> Bool) async throws -> NodeRecord {
    var record: NodeRecord?
    try await until {
      record = try? NodeRecord(decoding: Array(FileManager.default.contents(atPath: path) ?? Data()))
      return record.map(fits) == true
    }
    return try #require(record)
  }

  typealias InvitationHandler = @Sendable (Invitation) async -> InvitationDecision

  static func configuration(_ handler: @escaping InvitationHandler = { _ in .accept }) -> Session.Configuration {
    var configuration = Session.Configuration(service: "swtest")
    configuration.discovery.mode = .none
    configuration.listen = PeerAddress(host: "127.0.0.1", port: 0)
    configuration.invitations.incoming = .ask(handler)
    return configuration
  }

  /// Runs `body` with two sessions of their own that know nothing of each other yet.
  static func two(
    answering handler: @escaping InvitationHandler = { _ in .accept },
    _ body: @Sendable (Session, Session) async throws -> Void
  ) async throws {
    try await Session.withSession(as: identity("alice"), configuration: configuration(handler)) { alice in
      try await Session.withSession(as: identity("bob"), configuration: configuration(handler)) { bob in
        try await body(alice, bob)
      }
    }
  }

  /// Runs `body` with two sessions of which the first has invited the second.
  static func joined(_ body: @Sendable (Session, Session) async throws -> Void) async throws {
    try await two { alice, bob in
      _ = try await alice.peers.invite(bob.address)
      try await body(alice, bob)
    }
  }

  /// Runs `body` with two members of a session that reach each other through a third alone.
  static func apart(_ body: @Sendable (Session, Session) async throws -> Void) async throws {
    let (one, middle, other) = (try identity("alice"), try identity("bob"), try identity("carol"))
    var pinned = configuration()
    pinned.authentication.trust = .pinned([middle.peerID])
    let ends = pinned
    try await Session.withSession(as: middle, configuration: configuration()) { bob in
      try await Session.withSession(as: one, configuration: ends) { alice in
        try await Session.withSession(as: other, configuration: ends) { carol in
          for peer in [alice, carol] { _ = try await peer.peers.invite(bob.address) }
          _ = try await alice.first {
            if case .peerJoined(let peer) = $0, peer.id == other.peerID { true } else { nil }
          }
          try await body(alice, carol)
        }
      }
    }
  }
}

extension TestSessions {
  /// Runs `body` with two sessions of which the first has invited the second, which has this configuration, and the events of the
  /// second.
  static func joined(
    second: Session.Configuration,
    _ body: @Sendable (Session, Session, inout Session.Events.Iterator) async throws -> Void
  ) async throws {
    try await Session.withSession(as: identity("alice"), configuration: configuration()) { alice in
      try await Session.withSession(as: identity("bob"), configuration: second) { bob in
        var bobs = bob.events.makeAsyncIterator()
        _ = try await alice.join(bob.address)
        try await body(alice, bob, &bobs)
      }
    }
  }
}

extension Session {
  /// Where this session can be invited.
  nonisolated var address: InvitationTarget { .address(PeerAddress(host: "127.0.0.1", port: port)) }

  /// Waits for the first event from now on that `body` turns into a value; the first such call sees past ones too.
  nonisolated func first<T>(_ body: (Event) -> T?) async throws -> T {
    var iterator = events.makeAsyncIterator()
    return try await iterator.first(body)
  }
}

extension Session {
  /// Invites a peer that a test begins with.
  ///
  /// A machine so busy that nobody is there within five seconds says so: then the test has not begun yet.
  nonisolated func join(_ target: InvitationTarget) async throws -> Peer {
    while true {
      do throws(SessionError) {
        return try await peers.invite(target)
      } catch {
        guard error.code == .unreachable else { throw error }
      }
    }
  }
}

extension TestSessions {
  /// Waits until all these sessions have the same host.
  static func agreedHost(_ sessions: [Session]) async throws -> PeerID {
    let (news, teller) = AsyncStream.makeStream(of: (session: Int, host: PeerID?).self)
    return try await withThrowingTaskGroup { group in
      for (index, session) in sessions.enumerated() {
        group.addTask {
          var events = session.events.makeAsyncIterator()
          repeat { teller.yield((index, await session.state.host?.id)) } while await events.next() != nil
        }
      }
      defer { group.cancelAll() }
      var hosts: [PeerID?] = Array(repeating: nil, count: sessions.count)
      for await (index, host) in news {
        hosts[index] = host
        if let host, hosts.allSatisfy({ $0 == host }) { return host }
      }
      throw EndedTooSoon()
    }
  }
}

extension Session.Events.Iterator {
  /// Waits for the next event that `body` turns into a value.
  mutating func first<T>(_ body: (Session.Event) -> T?) async throws -> T {
    while let event = await next() {
      if let value = body(event) { return value }
    }
    throw EndedTooSoon()
  }
}

/// The session ended before the awaited event.
struct EndedTooSoon: Error {}
