import Foundation
import SharedWorld

/// Sessions on the loopback interface, without discovery, with identities in a folder of their own.
enum TestSessions {
  static func identity(_ name: String) throws -> PeerIdentity {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sharedworld-test-\(UUID().uuidString)").path()
    return try PeerIdentity.loadOrCreate(named: name, in: folder)
  }

  static func configuration(_ decision: InvitationDecision = .accept) -> Session.Configuration {
    var configuration = Session.Configuration(service: "swtest")
    configuration.discovery = .none
    configuration.listen = Endpoint(host: "127.0.0.1", port: 0)
    configuration.invitationHandler = { _ in decision }
    return configuration
  }

  /// Runs `body` with two sessions of their own that know nothing of each other yet.
  static func two(
    _ decision: InvitationDecision = .accept, _ body: @Sendable (Session, Session) async throws -> Void
  ) async throws {
    try await Session.withSession(as: identity("alice"), configuration: configuration(decision)) { alice in
      try await Session.withSession(as: identity("bob"), configuration: configuration(decision)) { bob in
        try await body(alice, bob)
      }
    }
  }

  /// Runs `body` with two sessions of which the first has invited the second.
  static func joined(_ body: @Sendable (Session, Session) async throws -> Void) async throws {
    try await two { alice, bob in
      _ = try await alice.invite(bob.endpoint)
      try await body(alice, bob)
    }
  }
}

extension Session {
  /// Where this session can be invited.
  var endpoint: InvitationTarget { .endpoint(Endpoint(host: "127.0.0.1", port: port)) }

  /// Waits for the first event from now on that `body` turns into a value; the first such call sees past ones too.
  func first<T>(_ body: (Event) -> T?) async throws -> T {
    var iterator = events.makeAsyncIterator()
    return try await iterator.first(body)
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
