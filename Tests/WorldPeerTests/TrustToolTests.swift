import Foundation
import PeerCLI
import SharedWorld
import Testing

@testable import worldpeer

@Suite("worldpeer trust")
struct TrustToolTests {
  /// What a command line prints, and its exit status.
  private static func run(_ line: String, in folder: URL) -> (status: ExitCode, output: String, error: String) {
    let text = CapturedText()
    let words = line.split(separator: " ").map(String.init) + ["--identity", folder.path()]
    let status = TrustTool.run(words, streams: text.streams)
    return (status, text.output, text.error)
  }

  private static func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "worldpeer-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private static let id = String(repeating: "b0", count: 32)

  @Test("lists what was added, removes it by its name, and gives both to scripts")
  func changes() throws {
    try Self.withFolder { folder in
      #expect(Self.run("list", in: folder) == (.done, "no peer is recorded\n", ""))
      let added = Self.run("add \(Self.id) kitchen", in: folder)
      #expect(
        added.status == .done && added.output.hasPrefix("  kitchen  since 20") && added.output.hasSuffix("  b0b0b0b0\n")
      )
      let json = Self.run("list --json", in: folder)
      #expect(json.output.hasPrefix(#"{"peers":[{"peerID":"\#(Self.id)","name":"kitchen","day":"20"#))
      let names = try PinStore(beside: folder.path()).pins().map(\.name)
      #expect(names == ["kitchen"])
      #expect(Self.run("remove kitchen", in: folder) == (.done, "no peer is recorded\n", ""))
    }
  }

  @Test(
    "says what is wrong",
    arguments: [
      ("", ExitCode.usage, "worldpeer: trust needs one of list, add and remove"),
      ("lsit", .usage, "worldpeer: trust needs one of list, add and remove; did you mean 'list'?"),
      ("remove nobody", .negative, "worldpeer: no peer 'nobody' is recorded in "),
      ("add 12 kitchen", .usage, "worldpeer: '12' is not an id of 64 hexadecimal digits"),
      ("add \(id)", .usage, "worldpeer: missing argument NAME"),
    ])
  func mistakes(line: String, status: ExitCode, message: String) throws {
    try Self.withFolder { folder in
      let result = Self.run(line, in: folder)
      #expect(result.status == status && result.error.hasPrefix(message), "\(result)")
    }
  }
}
