import Foundation
import Glibc
import SharedWorld
import Testing

@Suite("The file of a passcode")
struct PasscodeFileTests {
  private static func read(_ text: String, permissions: Int = 0o600) async throws -> SessionError? {
    var failure: SessionError?
    try await TestSessions.withFolder { folder in
      let path = folder.appending(path: "passcode").path()
      let isMade = FileManager.default.createFile(
        atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: permissions])
      #expect(isMade)
      do throws(SessionError) { _ = try Passcode(contentsOfFile: path) } catch { failure = error }
      if let failure { #expect(failure.message.contains(path)) }
    }
    return failure
  }

  @Test("is read without its line end", arguments: ["sesame 1", "sesame 1\n", "sesame 1\r\n"])
  func read(text: String) async throws {
    #expect(try await Self.read(text) == nil)
  }

  @Test(
    "that holds no passcode, or more than a line, is refused", arguments: ["", "12345\n", "sesame 1\n\n", "sésame 1"])
  func refused(text: String) async throws {
    #expect(try await Self.read(text)?.code == .invalidArgument)
  }

  @Test("that others may read or write is refused with the remedy", arguments: [0o640, 0o604, 0o622])
  func insecure(permissions: Int) async throws {
    let failure = try #require(try await Self.read("sesame 1", permissions: permissions))
    #expect(failure.code == .insecureIdentity && failure.message.contains("chmod 600"))
  }

  @Test("that a link leads to is read, and refused where others may read it")
  func link() async throws {
    try await TestSessions.withFolder { folder in
      let (path, link) = (folder.path + "/passcode", folder.path + "/link")
      let isMade = FileManager.default.createFile(
        atPath: path, contents: Data("sesame 1".utf8), attributes: [.posixPermissions: 0o600])
      #expect(isMade)
      #expect(symlink(path, link) == 0)
      _ = try Passcode(contentsOfFile: link)
      chmod(path, 0o644)
      let error = #expect(throws: SessionError.self) { try Passcode(contentsOfFile: link) }
      #expect(error?.code == .insecureIdentity)
    }
  }

  @Test("of another user is refused", .enabled(if: geteuid() == 0, "only root can give a file away"))
  func owner() async throws {
    try await TestSessions.withFolder { folder in
      let path = folder.path + "/passcode"
      let isMade = FileManager.default.createFile(
        atPath: path, contents: Data("sesame 1".utf8), attributes: [.posixPermissions: 0o600])
      #expect(isMade && chown(path, 65_534, 65_534) == 0)
      let error = #expect(throws: SessionError.self) { try Passcode(contentsOfFile: path) }
      #expect(error?.code == .insecureIdentity)
    }
  }

  @Test("that is not there is an error of the system")
  func missing() {
    let error = #expect(throws: SessionError.self) { try Passcode(contentsOfFile: "/nowhere/passcode") }
    #expect(error?.code == .io)
  }
}
