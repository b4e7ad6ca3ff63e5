import Foundation
import Testing

/// The program in a process of its own.
@Suite struct OutputTests {
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
