import Foundation
import TestSupport
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
    let made = try await Self.run("Scripts/python-abi.py", "--check")
    #expect(made.status == 0, "\(made.text)")
  }

  /// The table of what a session can do in each language is what the sources give, so that a gap is seen.
  @Test("the page of languages", .enabled(if: python != nil, "python3 is missing"))
  func languages() async throws {
    let made = try await Self.run("Scripts/languages.py", "--check")
    #expect(made.status == 0, "\(made.text)")
  }

  /// Each function of C and each public name of Python is documented, and what the words name exists.
  @Test("the references of C and Python", .enabled(if: python != nil, "python3 is missing"))
  func references() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "references-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let made = try await Self.run("Scripts/references.py", folder.path)
    #expect(made.status == 0, "\(made.text)")
  }

  /// The golden vectors are made from the pages of the protocol, by no code of the program.
  @Test(
    "the golden vectors", .enabled(if: python != nil, "python3 is missing"),
    arguments: ["alignment", "envelopes", "frames", "streams"])
  func vectors(_ name: String) async throws {
    let path = "Fixtures/Wire/\(name)"
    let isMade = try await Self.run("\(path).py") == ProgramRun(status: 0, text: Repository.text("\(path).txt"))
    #expect(isMade, "\(path).txt is another one: \(path).py > \(path).txt")
  }

  /// Runs a script of the repository.
  private static func run(_ path: String, _ words: String...) async throws -> ProgramRun {
    try await ProgramRun(of: try #require(python), [Repository.root.appending(path: path).path()] + words)
  }
}
