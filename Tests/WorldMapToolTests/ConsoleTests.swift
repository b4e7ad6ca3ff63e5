import Foundation
import Synchronization
import Testing

@testable import worldmap

/// What the tool says on its standard streams.
@Suite struct ConsoleTests {
  /// What was written.
  private final class Paper: Sendable {
    private let text = Mutex("")

    func write(_ more: String) { text.withLock { $0 += more } }

    /// What was written since the last call.
    func take() -> String {
      text.withLock { text in
        defer { text = "" }
        return text
      }
    }
  }

  @Test func `the progress bar goes on while one step takes long`() {
    let paper = Paper()
    let line = ProgressLine { paper.write($0) }
    line.show("reading a", 0.3)
    #expect(line.draw(after: .milliseconds(399)) && paper.take().isEmpty)
    #expect(line.draw(after: .milliseconds(400)))
    let first = paper.take()
    #expect(first.contains("reading a █████████░") && first.hasSuffix(" 30 %, 0 s"))
    #expect(line.draw(after: .seconds(2)) && paper.take().hasSuffix(" 30 %, 2 s"))
    line.show("writing b", 7)
    #expect(line.draw(after: .seconds(3)) && paper.take().hasSuffix(" 100 %, 3 s"))
    line.finish()
    #expect(paper.take() == "\r\u{1b}[2K")
    #expect(!line.draw(after: .seconds(4)) && paper.take().isEmpty)
  }

  @Test func `short work shows no bar`() {
    let paper = Paper()
    let line = ProgressLine { paper.write($0) }
    line.show("reading a", 0)
    line.finish()
    #expect(!line.draw(after: .seconds(1)) && paper.take().isEmpty)
  }

  @Test func `a full output is told`() throws {
    let tool = Process()
    tool.executableURL = MemoryTests.tool
    tool.arguments = ["--help"]
    tool.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
    let error = Pipe()
    tool.standardError = error
    try tool.run()
    let text = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    tool.waitUntilExit()
    #expect(tool.terminationStatus == 4 && text == "worldmap: cannot write to standard output\n")
  }
}
