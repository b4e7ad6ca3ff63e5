import Foundation
import Simulator
import Testing

/// The rules as readable runs: every file of Fixtures/Transcripts is replayed.
struct TranscriptTests {
  static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures/Transcripts")

  static let names = scripts(in: directory)
  static let sessions = directory.appending(path: "Sessions")
  static let sessionNames = scripts(in: sessions)

  private static func scripts(in folder: URL) -> [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".txt") }.sorted()
  }

  @Test func thereAreTranscripts() {
    #expect(Self.names.count >= 8)
    #expect(Self.sessionNames.count >= 8)
  }

  @Test(arguments: names) func holds(name: String) throws {
    let text = try String(contentsOf: Self.directory.appending(path: name), encoding: .utf8)
    try ElectionScript(text).run()
  }

  @Test("membership and maps", arguments: sessionNames) func sessionHolds(name: String) throws {
    let text = try String(contentsOf: Self.sessions.appending(path: name), encoding: .utf8)
    try SessionScript(text).run()
  }

  @Test(arguments: [
    ("expect members 1 within 2s", "1 sees [2]"), ("expect ended 2", "2 goes on"),
    ("expect locked 1", "1 takes the session for the opposite"), ("expect anchors 1", "there are [0, 0] anchors"),
    ("expect map 1 2 within 1s", "1 lacks the map"), ("expect no-map 1", "1 has the map"),
  ])
  func aWrongExpectationOfASessionFails(line: String, message: String) throws {
    let script = try SessionScript("nodes 2\nstart all\nexpect members 1 2 within 5s\n\(line)\n")
    #expect(throws: ScriptFailure(line: 4, message: message)) { try script.run() }
  }

  @Test func aWrongExpectationFailsWithItsLine() throws {
    let script = try ElectionScript("nodes 2\nstart all\nrun 5s\nexpect host 2\n")
    #expect(throws: ScriptFailure(line: 4, message: "the host is 1")) { try script.run() }
  }

  @Test(arguments: [
    ("dance 1", "there is no command dance"), ("run soon", "soon is not a time such as 250ms or 3.5s"),
    ("cut 1+2", "1+2 is neither 1-2 nor 1>2"), ("start 3", "3 is not a number from 1 to 2"),
    ("start", "something is missing at the end"), ("crash 1 2", "too much: 2"),
  ])
  func anUnreadableLineIsRefused(line: String, message: String) {
    #expect(throws: ScriptFailure(line: 2, message: message)) { try ElectionScript("nodes 2\n\(line)") }
  }
}
