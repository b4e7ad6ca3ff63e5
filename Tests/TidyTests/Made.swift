import Foundation
import Testing

/// Files that a script makes are as it makes them.
@Suite("Files that scripts make")
struct Made {
  private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// The ctypes side of the Python package is what the C header gives, which is the description of the interface.
  @Test("Python's side of the C interface", .enabled(if: python != nil, "python3 is missing"))
  func pythonInterface() async throws {
    let (status, text) = try await Self.run("Scripts/python-abi.py", "--check")
    #expect(status == 0, "\(text)")
  }

  /// The golden vectors are made from the pages of the protocol, by no code of the program.
  @Test(
    "the golden vectors", .enabled(if: python != nil, "python3 is missing"),
    arguments: ["envelopes", "frames", "streams"])
  func vectors(_ name: String) async throws {
    let path = "Fixtures/Wire/\(name)"
    let isMade = try await Self.run("\(path).py") == (0, Repository.text("\(path).txt"))
    #expect(isMade, "\(path).txt is another one: \(path).py > \(path).txt")
  }

  /// Runs a script of the repository.
  private static func run(_ path: String, _ words: String...) async throws -> (status: Int32, text: String) {
    // On a thread of its own: one that waits here would be missing to the tests beside this one.
    try await withCheckedThrowingContinuation { done in
      Thread.detachNewThread {
        done.resume(with: Result { try wait(for: [Repository.root.appending(path: path).path()] + words) })
      }
    }
  }

  private static func wait(for words: [String]) throws -> (status: Int32, text: String) {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: try #require(python))
    process.arguments = words
    (process.standardOutput, process.standardError) = (pipe, pipe)
    try process.run()
    let text = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }
}
