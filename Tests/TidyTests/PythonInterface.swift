import Foundation
import Testing

/// The ctypes side of the Python package is what the C header gives, which is the description of the interface.
@Suite("Python's side of the C interface")
struct PythonInterface {
  static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test("it is as Scripts/python-abi.py makes it", .enabled(if: python != nil, "python3 is missing"))
  func isMade() async throws {
    let words = [Repository.root.appending(path: "Scripts/python-abi.py").path(), "--check"]
    // On a thread of its own: one that waits here would be missing to the tests beside this one.
    let (status, text) = try await withCheckedThrowingContinuation { done in
      Thread.detachNewThread { done.resume(with: Result { try Self.run(words) }) }
    }
    #expect(status == 0, "\(text)")
  }

  private static func run(_ words: [String]) throws -> (status: Int32, text: String) {
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
