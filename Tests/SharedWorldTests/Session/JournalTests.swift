import Foundation
import SharedWorld
import TestSupport
import Testing

@Suite("Journal of a session", .endsHangs)
struct JournalTests {
  /// Runs `body` with a session of one that keeps a journal at `path`.
  private func session<R: Sendable>(
    _ path: String, _ body: @Sendable (Session) async throws -> R
  ) async throws -> R {
    var configuration = TestSessions.configuration()
    configuration.storage.journal = path
    return try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) {
      try await body($0)
    }
  }

  @Test("an app that restarts alone has its anchors back, and what was removed stays removed")
  func restart() async throws {
    try await TestSessions.withFolder { folder in
      let path = folder.appending(path: "world.journal").path
      let (digest, lamp, table) = try await session(path) { session in
        let lamp = try await session.place(Anchor(name: "lamp"))
        let table = try await session.place(Anchor(name: "table"))
        try await session.move(lamp, to: Transform(translation: [1, 2, 3]))
        try await session.remove(table)
        return (await session.world.digest, lamp, table)
      }
      let again = try await session(path) { session in
        #expect(await session.world.digest == digest)
        #expect(await session.world.anchors.map(\.id) == [lamp])
        #expect(await session.world.anchors.first?.transform.translation == [1, 2, 3])
        await #expect(throws: SessionError.self) { try await session.world.rename(table, to: "ghost") }
        try await session.world.rename(lamp, to: "old lamp")
        return await session.world.digest
      }
      #expect(again != digest)
      let last = try await session(path) { await $0.world.digest }
      #expect(last == again)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test("restored anchors meet those of other peers")
  func meets() async throws {
    try await TestSessions.withFolder { folder in
      let path = folder.appending(path: "world.journal").path
      let lamp = try await session(path) { try await $0.place(Anchor(name: "lamp")) }
      try await session(path) { alice in
        try await Session.withSession(as: TestSessions.identity("bob"), configuration: TestSessions.configuration()) {
          bob in
          _ = try await alice.peers.invite(bob.address)
          let name = try await bob.first { event -> String? in
            if case .anchorAdded(let anchor, _) = event, anchor.id == lamp { anchor.name } else { nil }
          }
          #expect(name == "lamp")
          try await bob.world.rename(lamp, to: "bob's lamp")
          _ = try await alice.first { event -> Bool? in
            if case .anchorUpdated(let anchor, .remote) = event, anchor.name == "bob's lamp" { true } else { nil }
          }
        }
      }
      let names = try await session(path) { await $0.world.anchors.map(\.name) }
      #expect(names == ["bob's lamp"])
    }
  }

  @Test("a journal cut at any byte of its log opens, and holds a state the session was in")
  func cut() async throws {
    try await TestSessions.withFolder { folder in
      let path = folder.appending(path: "world.journal").path
      let copy = folder.appending(path: "copy.journal").path
      // The files of the running session: what a crash leaves behind.
      let (database, log) = try await session(path) { session in
        for number in 1...8 { try await Self.place(number, in: session, path) }
        return try (Data(contentsOf: URL(filePath: path)), Data(contentsOf: URL(filePath: path + "-wal")))
      }
      var found: Set<Int> = []
      for length in Array(stride(from: 0, to: log.count, by: max(1, log.count / 60))) + [log.count] {
        for suffix in ["", "-wal"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
        try TestSessions.write(database, privatelyTo: copy)
        try log.prefix(length).write(to: URL(filePath: copy + "-wal"))
        let names = try await session(copy) { await $0.world.anchors.map(\.name).sorted() }
        #expect(names == (0..<names.count).map { "anchor \($0 + 1)" }, "at byte \(length)")
        found.insert(names.count)
      }
      // The last transaction may have been copied while it was written.
      #expect(found.contains(0) && (found.max() ?? 0) >= 4 && found.count > 3)
    }
  }

  /// Places an anchor and returns once the log on the disk has grown.
  private static func place(_ number: Int, in session: Session, _ path: String) async throws {
    let size = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
    try await session.place(Anchor(name: "anchor \(number)"))
    try await until { try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int != size }
  }

  @Test("what is no journal, and a journal in use, are refused with what to do")
  func refusals() async throws {
    try await TestSessions.withFolder { folder in
      let path = folder.appending(path: "world.journal").path
      let text = "not a database, but long enough to be taken for one by a careless reader"
      try TestSessions.write(Data(text.utf8), privatelyTo: path)
      let damaged = await #expect(throws: SessionError.self) { try await session(path) { _ in } }
      #expect(damaged?.code == .corruptData && damaged?.message.contains("move it away") == true)
      let good = folder.appending(path: "good.journal").path
      try await session(good) { _ in
        let used = await #expect(throws: SessionError.self) { try await session(good) { _ in } }
        #expect(used?.code == .io && used?.message.contains("in use") == true)
      }
      let nowhere = await #expect(throws: SessionError.self) {
        try await session(folder.appending(path: "no/such/folder").path) { _ in }
      }
      #expect(nowhere?.code == .io)
    }
  }
}
