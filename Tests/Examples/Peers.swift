import Foundation
import SharedWorld

/// Peers of an example: sessions in one process, joined over the loopback interface.
enum Peers {
  /// Runs `body` with `count` sessions of which each can reach all others; they are called `peer 0`, `peer 1` ….
  static func joined(_ count: Int, _ body: @Sendable ([Session]) async throws -> Void) async throws {
    try await withFolder { folder in
      try await add(to: [], until: count, in: folder) { sessions in
        for session in sessions {
          var events = session.events.makeAsyncIterator()
          while await session.state.peers.count(where: { $0.state == .connected }) < count - 1 {
            _ = await events.next()
          }
        }
        try await body(sessions)
      }
    }
  }

  /// Runs `body` with a folder that is removed afterwards.
  static func withFolder<R>(_ body: (String) async throws -> R) async throws -> R {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sharedworld-example-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.path())
  }

  /// Runs `body` with a session of a new peer.
  static func named(
    _ name: String, _ configuration: Session.Configuration, _ body: (Session) async throws -> Void
  ) async throws {
    try await withFolder { folder in
      var configuration = configuration
      configuration.storage.folder = folder
      try await Session.withSession(named: name, configuration: configuration, body)
    }
  }

  private static func add(
    to sessions: [Session], until count: Int, in folder: String, _ body: @Sendable ([Session]) async throws -> Void
  ) async throws {
    guard sessions.count < count else { return try await body(sessions) }
    var configuration = Session.Configuration(service: "swexample")
    configuration.discovery.mode = .none
    configuration.listen = PeerAddress(host: "127.0.0.1", port: 0)
    configuration.invitations.incoming = .all
    configuration.storage.folder = folder + "/\(sessions.count)"
    try await Session.withSession(named: "peer \(sessions.count)", configuration: configuration) { session in
      if let first = sessions.first {
        _ = try await first.peers.invite(.address(PeerAddress(host: "127.0.0.1", port: session.port)))
      }
      try await add(to: sessions + [session], until: count, in: folder, body)
    }
  }
}
