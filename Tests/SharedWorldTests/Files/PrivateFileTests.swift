import Foundation
import Glibc
import TestSupport
import Testing
import WorldModel

@testable import SharedWorld

/// Files of a session that somebody else may have prepared.
@Suite("Files of this user alone", .endsHangs)
struct PrivateFileTests {
  /// Opens the file at `path` as a session does, and gives what it says.
  private typealias Opening = @Sendable (_ path: String) async throws -> Void

  private static let openings: [(name: String, open: Opening)] = [
    ("journal", { path in try await JournalFile(path: path).close([]) }),
    (
      "state",
      { path in
        _ = try await StateFile(path: path).record(
          of: TestSessions.identity("alice").peerID, service: "swtest", within: .seconds(1))
      }
    ),
    ("lock of a state", { path in _ = try StateFile(path: path.replacing(/\.lock$/, with: "")) }),
  ]

  /// Opens a file that is to be refused.
  private static func failure(_ open: Opening, _ path: String) async -> SessionError? {
    do {
      try await open(path)
      return nil
    } catch {
      return error as? SessionError
    }
  }

  private static func withFile(_ body: (Opening, String) async throws -> Void) async throws {
    for (_, open) in openings {
      try await TestSessions.withFolder { try await body(open, $0.path + "/file.lock") }
    }
  }

  @Test("a symbolic link is not followed")
  func link() async throws {
    try await Self.withFile { open, path in
      symlink(path + ".target", path)
      #expect(await Self.failure(open, path)?.code == .insecureFile)
      #expect(access(path + ".target", F_OK) != 0, "nothing is made where the link leads")
    }
  }

  @Test("a pipe does not hold up the opening, and a folder is refused")
  func otherKinds() async throws {
    try await Self.withFile { open, path in
      #expect(mkfifo(path, 0o600) == 0)
      #expect(await Self.failure(open, path)?.code == .io)
      unlink(path)
      mkdir(path, 0o700)
      #expect(await Self.failure(open, path)?.code == .io)
    }
  }

  @Test("a file that others may read is refused, with the command that mends it", arguments: [0o640, 0o604, 0o602])
  func mode(mode: mode_t) async throws {
    try await Self.withFile { open, path in
      close(Glibc.open(path, O_CREAT | O_WRONLY, 0o600))
      chmod(path, mode)
      let error = await Self.failure(open, path)
      #expect(error?.code == .insecureFile && error?.message.contains("chmod 600 '\(path)'") == true)
    }
  }

  @Test("another user's file is refused", .enabled(if: geteuid() == 0, "only root can give a file away"))
  func owner() async throws {
    try await Self.withFile { open, path in
      close(Glibc.open(path, O_CREAT | O_WRONLY, 0o600))
      #expect(chown(path, 65_534, 65_534) == 0)
      #expect(await Self.failure(open, path)?.code == .insecureFile)
    }
  }

  @Test("a pipe in place of an identity does not hold up the start")
  func identity() async throws {
    try await TestSessions.withFolder { folder in
      mkfifo(folder.path + "/identity-a.pem", 0o600)
      let error = #expect(throws: SessionError.self) { try PeerIdentity.loadOrCreate(named: "a", in: folder.path) }
      #expect(error?.code == .corruptIdentity)
    }
  }

  @Test(
    "a journal with a trigger, a view or another table is refused",
    arguments: [
      "CREATE TRIGGER t AFTER INSERT ON record BEGIN DELETE FROM record; END", "CREATE VIEW v AS SELECT 1",
      "CREATE TABLE other(a)",
    ])
  func schema(statement: String) async throws {
    try await TestSessions.withFolder { folder in
      let path = folder.appending(path: "world.journal").path
      try await JournalFile(path: path).close([.wholeSet([1])])
      try SQLiteDatabase(path: path).execute(statement)
      let error = #expect(throws: SessionError.self) { try JournalFile(path: path) }
      #expect(error?.code == .corruptData)
    }
  }
}
