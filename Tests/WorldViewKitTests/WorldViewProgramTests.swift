import Foundation
import SharedWorld
import TestSupport
import Testing

/// The program in a process of its own.
@Suite("The contract of worldview", .endsHangs)
struct WorldViewProgramTests {
  private struct Ready: Decodable {
    let event: String
    let name: String
    let address: String
  }

  /// Starts the program on loopback, runs `body` with its first line, and ends it with `SIGTERM`.
  private static func run(
    _ options: [String], in folder: URL, _ body: (String) async throws -> Void
  ) async throws -> (status: Int32, error: String) {
    let process = Process()
    let (output, error) = (Pipe(), Pipe())
    process.executableURL = ProgramRun.products.appending(path: "worldview")
    process.arguments =
      ["--name", "vera", "--discovery", "none", "--listen", "127.0.0.1:0", "--identity", folder.path] + options
    process.standardOutput = output
    process.standardError = error
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    if !line.isEmpty {
      try await body(line)
      process.terminate()
    }
    let text = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  private static func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "worldview-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  @Test("it prints the page's address alone, shows a point cloud and ends by a signal", arguments: ["ply", "xyz"])
  func page(fileExtension: String) async throws {
    try await Self.withFolder { folder in
      let path = folder.appending(path: "cloud.\(fileExtension)")
      let lines = (0..<40).map { "\($0) \($0 * 7 % 5) 0.5\n" }.joined()
      let header =
        "ply\nformat ascii 1.0\nelement vertex 40\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
      try Data((fileExtension == "ply" ? header + lines : lines).utf8).write(to: path)
      let (status, error) = try await Self.run(["--map", path.path], in: folder) { line in
        #expect(line.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+\/#[0-9a-f]{32}\n/) != nil)
        let state = try await Browser(opening: line).get("/state")
        #expect(state.contains(#""points":40"#))
      }
      #expect(status == 128 + SIGTERM && error.isEmpty)
    }
  }

  @Test("scripts get the address in an event")
  func json() async throws {
    try await Self.withFolder { folder in
      let (status, _) = try await Self.run(["--json"], in: folder) { line in
        let ready = try JSONDecoder().decode(Ready.self, from: Data(line.utf8))
        #expect(ready.event == "ready" && ready.name == "vera")
        #expect(try await Browser(opening: ready.address).get("/state").hasPrefix("HTTP/1.1 200"))
      }
      #expect(status == 128 + SIGTERM)
    }
  }

  @Test(
    "a mistake is told on standard error, with the statuses of the other programs",
    arguments: [
      (["--invite", "some"], 2, "worldview: --invite: 'some' is not one of all, ask, none\nTry: worldview --help\n"),
      (["--map", "/nowhere"], 4, "worldview: cannot read /nowhere: No such file or directory\n"),
      (["--http", "192.0.2.1:1"], 4, "worldview: cannot listen on 192.0.2.1:1: Cannot assign requested address\n"),
    ])
  func mistakes(options: [String], status: Int32, message: String) async throws {
    try await Self.withFolder { folder in
      let result = try await Self.run(options, in: folder) { Issue.record("it began with \($0)") }
      #expect(result == (status, message))
    }
  }
}
