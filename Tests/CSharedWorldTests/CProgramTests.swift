import Foundation
import TestSupport
import Testing

/// The C interface as a C program sees it: the installed header, the built library, a C compiler.
@Suite("C program", .endsHangs)
struct CProgramTests {
  static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let headers = package.appending(path: "Sources/CSharedWorldHeaders/include").path()

  static func compiler(_ name: String) -> String? {
    ["/usr/bin/\(name)", "/usr/local/bin/\(name)"].first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  @Test(
    "a C program of two sessions finds what the header promises",
    .enabled(if: compiler("gcc") != nil, "gcc is missing"),
    arguments: Tier.some([
      ("two_peers", "maps, anchors, drags, ownership, a lock and a journal"), ("codes", "codes that users compare"),
      ("rooms", "rooms with codes, and signals that end them"),
      ("trust", "new passcodes, passcodes in files and known peers"),
      ("signals", "signals reach its own threads alone"), ("operations", "operations that do not wait, and handles"),
      ("waits", "threads that wait for the ends of operations"),
      ("objects", "messages in all modes, groups, objects and requests"), ("resources", "files and bytes"),
      ("streams", "streams of bytes by their descriptors"),
      ("frames", "frames and how they line up"), ("contents", "kinds, payloads, interest and hit-tests"),
      ("edits", "edits that are acknowledged or taken back, owners, and statistics"),
      ("joins", "the origin of what was placed before a join"),
      ("roles", "creators' sessions and the log"), ("snapshots", "views for loops that draw"),
      ("starts", "starts and diagnoses that do not wait, and ends after which nothing is to be waited for"),
      ("discovery", "announcements, policies, known peers and a diagnosis"),
    ]))
  func program(name: String, subject: String) async throws {
    let ran = try await Self.output(of: name)
    #expect(ran == ProgramRun(status: 0, text: "ok\n"), "\(subject)")
  }

  @Test("a program that only shares maps links no library for pictures")
  func links() throws {
    let library = try Data(contentsOf: ProgramRun.products.appending(path: "libCSharedWorld.so"))
    // The names of needed libraries stand in the file as they are.
    #expect(library.range(of: Data("libzstd.so".utf8)) != nil)
    #expect(library.range(of: Data("libz.so".utf8)) == nil)
  }

  @Test(
    "the samples of the documentation compile", .enabled(if: compiler("gcc") != nil, "gcc is missing"),
    arguments: ["sample", "first_program"])
  func sample(name: String) async throws {
    let source = Self.package.appending(path: "Tests/CSharedWorldTests/C/\(name).c").path()
    let compiled = try await ProgramRun(
      of: try #require(Self.compiler("gcc")),
      ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I\(Self.headers)", source])
    #expect(compiled == ProgramRun(status: 0, text: ""))
  }

  @Test("the header and each of its parts is C++ too", .enabled(if: compiler("g++") != nil, "g++ is missing"))
  func headerIsCPlusPlus() async throws {
    let parts = try FileManager.default.contentsOfDirectory(atPath: "\(Self.headers)/sharedworld")
    #expect(parts.count > 10)
    let main = try String(contentsOfFile: "\(Self.headers)/sharedworld.h", encoding: .utf8)
    for part in parts {
      #expect(main.contains("#include \"sharedworld/\(part)\"\n"), "sharedworld.h does not include \(part)")
    }
    let files = ["sharedworld.h"] + parts.map { "sharedworld/\($0)" }
    for (name, language) in [("g++", ["-std=c++17", "-xc++"]), ("gcc", ["-std=c11", "-xc"])] {
      let compiled = try await ProgramRun(
        of: try #require(Self.compiler(name)),
        ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"] + language
          + files.map { "\(Self.headers)/\($0)" })
      #expect(compiled == ProgramRun(status: 0, text: ""))
    }
  }

  /// Compiles a program of the folder C, runs it with an empty folder, and returns what it printed.
  private static func output(of name: String) async throws -> ProgramRun {
    let library = ProgramRun.products.appending(path: "libCSharedWorld.so").path()
    try #require(FileManager.default.fileExists(atPath: library), "build the product CSharedWorld first")
    let folder = FileManager.default.temporaryDirectory.appending(path: "sharedworld-c-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: name).path()
    let source = package.appending(path: "Tests/CSharedWorldTests/C/\(name).c").path()
    let compiled = try await ProgramRun(
      of: try #require(compiler("gcc")),
      [
        "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-pthread",
        "-I\(headers)", source,
        library, "-lm", "-Wl,-rpath,\(ProgramRun.products.path())", "-o", program,
      ])
    #expect(compiled == ProgramRun(status: 0, text: ""))
    return try await ProgramRun(of: program, [folder.path()])
  }

  /// Compiles a program that needs the header alone, runs it and returns what it printed.
  static func output(ofSource text: String) async throws -> ProgramRun {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sharedworld-c-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "program.c").path(), program = folder.appending(path: "program").path()
    try text.write(toFile: source, atomically: true, encoding: .utf8)
    let compiled = try await ProgramRun(
      of: try #require(compiler("gcc")), ["-std=c11", "-Wall", "-Werror", "-I\(headers)", source, "-o", program])
    #expect(compiled == ProgramRun(status: 0, text: ""))
    return try await ProgramRun(of: program, [])
  }
}
