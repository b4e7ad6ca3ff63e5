import Foundation
import Glibc
import SharedWorld
import TestSupport
import Testing
import WorldModel

/// A folder that is removed when the test is over.
private final class Scratch {
  let path: String

  init() {
    var template = Array((NSTemporaryDirectory() + "/sharedworld-test-XXXXXX").utf8CString)
    mkdtemp(&template)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func files() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  func mode(_ name: String) -> mode_t {
    var info = stat()
    return stat("\(path)/\(name)", &info) == 0 ? info.st_mode & 0o7777 : 0
  }

  func read(_ name: String) -> [UInt8] {
    let file = open("\(path)/\(name)", O_RDONLY)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(file, &bytes, bytes.count)
    return Array(bytes.prefix(max(count, 0)))
  }

  func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o600) {
    let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    Glibc.write(file, bytes, bytes.count)
    fchmod(file, mode)
  }
}

@Suite(.endsHangs) struct IdentityTests {
  private let scratch = Scratch()

  private func failure(_ name: String = "kitchen", in directory: String? = nil) -> SessionError? {
    do {
      _ = try PeerIdentity.loadOrCreate(named: name, in: directory ?? scratch.path)
      return nil
    } catch {
      return error
    }
  }

  @Test("an identity for the moment is in no file, and another one each time")
  func temporary() throws {
    let one = try PeerIdentity.temporary(named: "ada")
    #expect(try PeerIdentity.temporary(named: "ada").peerID != one.peerID && one.name == "ada")
    let error = #expect(throws: SessionError.self) { try PeerIdentity.temporary(named: "a\nb") }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `the second call gives the same peer`() throws {
    let first = try PeerIdentity.loadOrCreate(named: "kitchen", in: scratch.path)
    let second = try PeerIdentity.loadOrCreate(named: "kitchen", in: scratch.path)
    let other = try PeerIdentity.loadOrCreate(named: "hall", in: scratch.path)
    #expect(first.peerID == second.peerID)
    #expect(first.name == "kitchen")
    #expect(first.peerID != other.peerID)
    #expect(scratch.files() == [".lock", "identity-hall.pem", "identity-kitchen.pem"])
  }

  @Test func `folders and files belong to the owner alone`() throws {
    let nested = scratch.path + "/a/b"
    _ = try PeerIdentity.loadOrCreate(named: "kitchen", in: nested)
    #expect(["a", "a/b", "a/b/identity-kitchen.pem"].map(scratch.mode) == [0o700, 0o700, 0o600])
  }

  @Test func `callers at the same time agree on one identity`() async throws {
    let path = scratch.path
    let ids = try await withThrowingTaskGroup(of: PeerID.self) { group in
      for _ in 0..<32 {
        group.addTask { try PeerIdentity.loadOrCreate(named: "kitchen", in: path).peerID }
      }
      return try await group.reduce(into: Set<PeerID>()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
  }

  @Test func `who waited for the lock takes what the other one made`() async throws {
    let other = Scratch()
    let made = try PeerIdentity.loadOrCreate(named: "kitchen", in: other.path).peerID
    let lock = open(scratch.path + "/.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    flock(lock, LOCK_EX)
    let path = scratch.path
    async let found = PeerIdentity.loadOrCreate(named: "kitchen", in: path).peerID
    var info = stat()
    fstat(lock, &info)
    // The kernel lists who is blocked on a lock behind an arrow, with the file's number.
    try await until { isBlocked(on: info.st_ino) }
    scratch.write(other.read("identity-kitchen.pem"), to: "identity-kitchen.pem")
    // Closing is not enough where a child of another test has the file too, and that child may wait for this thread.
    flock(lock, LOCK_UN)
    close(lock)
    #expect(try await found == made)
  }

  private func isBlocked(on file: ino_t) -> Bool {
    let locks = (try? String(contentsOfFile: "/proc/locks", encoding: .utf8)) ?? ""
    return locks.split(separator: "\n").contains { $0.contains("->") && $0.contains(":\(file) ") }
  }

  @Test func `a damaged file is refused and left alone`() throws {
    _ = try PeerIdentity.loadOrCreate(named: "kitchen", in: scratch.path)
    let whole = scratch.read("identity-kitchen.pem")
    for damaged in [[], Array(whole.prefix(60)), Array(whole.prefix(300)), Array("nonsense".utf8)] {
      scratch.write(damaged, to: "identity-kitchen.pem")
      let error = try #require(failure())
      #expect(error.code == .corruptIdentity)
      let path = "\(scratch.path)/identity-kitchen.pem"
      #expect(error.message.contains("mv '\(path)' '\(path).damaged'"))
      #expect(scratch.read("identity-kitchen.pem") == damaged)
    }
    scratch.write([UInt8](repeating: 10, count: 20_000), to: "identity-kitchen.pem")
    #expect(failure()?.code == .corruptIdentity)
    scratch.write(whole, to: "identity-kitchen.pem")
    #expect(failure() == nil)
  }

  @Test(arguments: [0o640, 0o604, 0o660, 0o601] as [mode_t]) func `a file that others may use is refused`(mode: mode_t)
    throws
  {
    _ = try PeerIdentity.loadOrCreate(named: "kitchen", in: scratch.path)
    chmod(scratch.path + "/identity-kitchen.pem", mode)
    let error = try #require(failure())
    #expect(error.code == .insecureIdentity)
    #expect(error.message.contains("chmod 600 '\(scratch.path)/identity-kitchen.pem'"))
  }

  @Test func `a folder that others may write to is refused`() throws {
    chmod(scratch.path, 0o770)
    let error = try #require(failure())
    #expect(error.code == .insecureIdentity)
    #expect(error.message.contains("chmod 700 '\(scratch.path)'"))
    chmod(scratch.path, 0o755)
    #expect(failure() == nil, "reading the folder's list does no harm")
  }

  @Test func `a link in place of the file is not followed`() throws {
    let other = Scratch()
    _ = try PeerIdentity.loadOrCreate(named: "kitchen", in: other.path)
    symlink(other.path + "/identity-kitchen.pem", scratch.path + "/identity-kitchen.pem")
    #expect(failure()?.code == .insecureIdentity)
  }

  @Test func `a folder in place of the file, and a file in place of the folder, are refused`() {
    mkdir(scratch.path + "/identity-kitchen.pem", 0o700)
    #expect(failure()?.code == .corruptIdentity)
    scratch.write([1], to: "file")
    #expect(failure(in: scratch.path + "/file")?.code == .io)
    #expect(failure(in: scratch.path + "/file/below")?.code == .io)
  }

  @Test(arguments: ["", String(repeating: "x", count: 64), String(repeating: "ü", count: 32), "a\nb", "nul\0"])
  func `a bad name is refused`(name: String) {
    #expect(failure(name)?.code == .invalidArgument)
    #expect(scratch.files().isEmpty)
  }

  @Test func `any other name has a file of its own`() throws {
    let names = ["../up", "a/b", ".", "..", "Küche", "Ku\u{308}che", "café ☕", "~0", "kitchen", "Kitchen"]
    let ids = try names.map { try PeerIdentity.loadOrCreate(named: $0, in: scratch.path).peerID }
    // Two spellings of one text are the same name to Swift, but not the same bytes: both are kept apart.
    #expect(Set(ids).count == names.count)
    #expect(scratch.files().count == names.count + 1)
    #expect(scratch.files().allSatisfy { $0 == ".lock" || ($0.hasPrefix("identity-") && $0.hasSuffix(".pem")) })
  }

  @Test func `a draft that a crash left behind does no harm`() throws {
    scratch.write(Array("half".utf8), to: ".identity-kitchen.pem.draft", mode: 0o644)
    #expect(failure() == nil)
    #expect(scratch.files() == [".lock", "identity-kitchen.pem"])
  }
}

@Suite struct SessionErrorTests {
  @Test func `an error reads as its code, its message and its cause`() {
    struct Cause: Error, CustomStringConvertible { let description = "disk full" }
    let error = SessionError(.io, "cannot write the map", cause: Cause())
    #expect("\(error)" == "io: cannot write the map (disk full)")
    #expect("\(SessionError(.declined, "no"))" == "declined: no")
    #expect(SessionError.Code.invitationTimedOut.description == "invitation-timed-out")
  }
}
