import Foundation
import TestSupport
import Testing

/// The program in a process of its own.
@Suite struct OutputTests {
  @Test func `a full output is told`() async throws {
    let run = try await ProgramRun(of: "/bin/sh", ["-c", "exec \"$0\" --help >/dev/full", MemoryTests.tool.path])
    #expect(run == ProgramRun(status: 4, text: "worldmap: cannot write to standard output\n"))
  }
}
