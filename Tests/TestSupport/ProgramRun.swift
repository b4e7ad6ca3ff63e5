package import Foundation
import Glibc

/// A program that a test ran to its end: how it ended and what it wrote, errors included.
package struct ProgramRun: Equatable, Sendable {
  package let status: Int32
  package let text: String

  package init(status: Int32, text: String) {
    (self.status, self.text) = (status, text)
  }

  /// The folder of the tests, where the package's programs and libraries were built too.
  package static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

  /// Runs a program, found by its path or on PATH, and waits for its end; one that hangs is ended after ten minutes with status 124.
  package init(of program: String, _ arguments: [String]) async throws {
    self = try await onOwnThread { try Self.wait(for: program, arguments) }
  }

  private static func wait(for program: String, _ arguments: [String]) throws -> Self {
    // A program has the signal mask of the thread that starts it, and the threads that tests share block signals: a program
    // that waits for SIGTERM would never end.
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/timeout")
    process.arguments = ["--kill-after=5", "600", program] + arguments
    (process.standardOutput, process.standardError) = (pipe, pipe)
    try process.run()
    let text = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Self(status: process.terminationStatus, text: String(decoding: text, as: UTF8.self))
  }
}
