import Foundation
import SharedWorld

/// Sessions of one process that are connected over loopback, each with its own event loop, through the public API.
struct Party: Sendable {
  /// Hosts the others; the one that sends.
  let sender: Session
  let receivers: [Session]

  /// Runs `body` with `count` receivers that have all joined the sender and linked with each other.
  static func with<R: Sendable>(
    receivers count: Int, _ body: @Sendable @escaping (Party) async throws -> R
  ) async throws -> R {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await start(count, in: folder.path) { sessions in
      let party = Party(sender: sessions[0], receivers: Array(sessions.dropFirst()))
      for receiver in party.receivers {
        _ = try await party.sender.peers.invite(.address(PeerAddress(host: "127.0.0.1", port: receiver.port)))
      }
      try await party.meshed()
      return try await body(party)
    }
  }

  /// Waits until every two have a link of their own: making links is not what is measured.
  private func meshed() async throws {
    for session in [sender] + receivers {
      while await session.state.peers.count(where: \.isDirect) < receivers.count {
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  /// Starts one session inside the other, so that all of them end politely, the last first.
  private static func start<R: Sendable>(
    _ more: Int, in folder: String, _ started: [Session] = [],
    _ body: @Sendable @escaping ([Session]) async throws -> R
  ) async throws -> R {
    guard more >= 0 else { return try await body(started) }
    let identity = try PeerIdentity.loadOrCreate(named: "bench-\(more)", in: "\(folder)/\(more)")
    var configuration = Session.Configuration(service: "bench")
    configuration.discovery.mode = .none
    configuration.listen = PeerAddress(host: "127.0.0.1", port: 0)
    configuration.invitations.incoming = .all
    return try await Session.withSession(as: identity, configuration: configuration) { session in
      try await start(more - 1, in: folder, started + [session], body)
    }
  }
}
