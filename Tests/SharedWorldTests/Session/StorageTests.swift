import Foundation
import SharedWorld
import TestSupport
import Testing

@Suite("One folder for all that a session keeps", .endsHangs)
struct StorageTests {
  private func configuration(_ storage: String) -> Session.Configuration {
    var configuration = TestSessions.configuration()
    configuration.storage.folder = storage
    return configuration
  }

  @Test("identity, anchors, state and maps are in the folder, for this user alone, and are there at the next start")
  func keeps() async throws {
    try await TestSessions.withFolder { folder in
      let storage = folder.appending(path: "new/storage").path
      let configuration = configuration(storage)
      let (peer, digest) = try await Session.withSession(named: "alice", configuration: configuration) { session in
        try await session.place(Anchor(name: "lamp"))
        return (session.localPeer, await session.world.digest)
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: storage)
      for file in ["identity-alice.pem", "swtest.journal", "swtest.state"] { #expect(files.contains(file), "\(files)") }
      let mode = try FileManager.default.attributesOfItem(atPath: storage)[.posixPermissions] as? Int
      #expect(mode == 0o700)
      try await Session.withSession(named: "alice", configuration: configuration) { session in
        #expect(session.localPeer == peer)
        #expect(await session.world.digest == digest)
        let second = await #expect(throws: SessionError.self) {
          try await Session.withSession(named: "bob", configuration: configuration) { _ in }
        }
        #expect(second?.code == .io && second?.message.contains("in use") == true)
      }
    }
  }

  @Test("a map that came is in the folder")
  func maps() async throws {
    try await TestSessions.withFolder { folder in
      try await Session.withSession(as: TestSessions.identity("alice"), configuration: TestSessions.configuration()) {
        alice in
        try await alice.share(WorldMap(anchors: [Anchor(name: "door")]))
        try await Session.withSession(named: "bob", configuration: configuration(folder.path)) { bob in
          _ = try await alice.peers.invite(bob.address)
          _ = try await bob.first { if case .mapReceived = $0 { true } else { nil } }
        }
      }
      let maps = folder.appending(path: "maps").path
      #expect(try !FileManager.default.contentsOfDirectory(atPath: maps).isEmpty)
    }
  }

  @Test("a path of its own wins over the folder")
  func pathsWin() async throws {
    try await TestSessions.withFolder { folder in
      let storage = folder.appending(path: "storage").path
      let journal = folder.appending(path: "own.journal").path
      var configuration = configuration(storage)
      configuration.storage.journal = journal
      try await Session.withSession(named: "alice", configuration: configuration) {
        _ = try await $0.place(Anchor(name: "lamp"))
      }
      #expect(FileManager.default.fileExists(atPath: journal))
      let files = try FileManager.default.contentsOfDirectory(atPath: storage)
      #expect(!files.contains("swtest.journal") && files.contains("swtest.state"))
    }
  }

  /// A session as long as somebody else has it.
  private struct Observed: Sendable {
    weak let session: Session?
  }

  @Test("a session that is over is released, with all that wrote for it")
  func released() async throws {
    try await TestSessions.withFolder { folder in
      let observed = try await Session.withSession(named: "alice", configuration: configuration(folder.path)) {
        session in
        try await session.place(Anchor(name: "lamp"))
        return Observed(session: session)
      }
      // The session's thread ends by itself.
      try await until { observed.session == nil }
    }
  }

  @Test("a folder that others may write to, or that cannot be made, is refused with what to do")
  func refusals() async throws {
    try await TestSessions.withFolder { folder in
      let open = folder.appending(path: "open").path
      try FileManager.default.createDirectory(atPath: open, withIntermediateDirectories: false)
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open)
      let identity = try TestSessions.identity("alice")
      let insecure = await #expect(throws: SessionError.self) {
        try await Session.withSession(as: identity, configuration: configuration(open)) { _ in }
      }
      #expect(insecure?.code == .insecureIdentity && insecure?.message.contains("chmod 700") == true)
      let impossible = await #expect(throws: SessionError.self) {
        try await Session.withSession(as: identity, configuration: configuration("/dev/null/storage")) { _ in }
      }
      #expect(impossible?.code == .io)
    }
  }
}
