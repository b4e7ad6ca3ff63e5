import Foundation
import TestSupport
import Testing

/// The binary interface of the C library against the list in `Fixtures/CInterface/interface.txt`, which compiled programs rely on.
@Suite("The C interface does not change under programs that are compiled", .endsHangs)
struct InterfaceListTests {
  /// What the header declares: functions, constants and the members of structures.
  private struct Declared {
    var functions: Set<String> = []
    var constants: [String] = []
    var structures: [(name: String, members: [String])] = []

    /// Reads header text, which is written in one style: a member or constant is the word before `;`, `[`, `=` or `,`.
    init(_ header: String) {
      let code = header.replacing(#/(?s)\/\*.*?\*\//#, with: "")
      for match in code.matches(of: #/\b(sw_\w+)\(/#) { functions.insert(String(match.1)) }
      for match in code.matches(of: #/\b(SW_\w+) = -?\d+/#) { constants.append(String(match.1)) }
      for match in code.matches(of: #/(?s)typedef struct \w+ \{(.*?)\} (\w+);/#) {
        let members = match.1.matches(of: #/(\w+)(\[\d+\])?;/#).map { String($0.1) }
        structures.append((String(match.2), members))
      }
    }

    /// A C program that prints the values, sizes and offsets, a line each.
    var program: String {
      let values = constants.map { "  printf(\"constant \($0) %d\\n\", (int)\($0));" }
      let layouts = structures.flatMap { name, members in
        ["  printf(\"structure \(name) %zu\\n\", sizeof(\(name)));"]
          + members.map {
            "  printf(\"member \(name).\($0) %zu %zu\\n\", offsetof(\(name), \($0)), sizeof(((\(name) *)0)->\($0)));"
          }
      }
      return "#include <stdio.h>\n#include \"sharedworld.h\"\nint main(void) {\n"
        + (values + layouts).joined(separator: "\n") + "\n  return 0;\n}\n"
    }
  }

  private static let list = CProgramTests.package.appending(path: "Fixtures/CInterface/interface.txt")

  private static func header() throws -> String {
    let folder = URL(filePath: CProgramTests.headers)
    let parts = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "sharedworld").path())
      .sorted()
    return try parts.map { try String(contentsOf: folder.appending(path: "sharedworld/\($0)"), encoding: .utf8) }
      .joined()
  }

  /// The lines of the list that begin with one of these words.
  private static func listed(_ words: Set<Substring>) throws -> Set<String> {
    let lines = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
    return Set(lines.filter { words.contains($0.prefix { $0 != " " }) }.map(String.init))
  }

  private static func expect(_ found: Set<String>, toBe listed: Set<String>) {
    let gone = listed.subtracting(found).sorted(), new = found.subtracting(listed).sorted()
    #expect(gone.isEmpty, "compiled programs rely on these lines of \(list.lastPathComponent): change them back")
    #expect(new.isEmpty, "add these lines to \(list.lastPathComponent)")
  }

  @Test("constants, sizes and offsets are those of the list", .enabled(if: CProgramTests.compiler("gcc") != nil))
  func layouts() async throws {
    let declared = Declared(try Self.header())
    #expect(declared.constants.count > 100 && declared.structures.contains { $0.name == "sw_event" })
    let printed = try await CProgramTests.output(ofSource: declared.program)
    #expect(printed.status == 0)
    Self.expect(
      Set(printed.text.split(separator: "\n").map(String.init)),
      toBe: try Self.listed(["constant", "structure", "member"]))
  }

  @Test(
    "the library has the functions of the list and of the header", .enabled(if: CProgramTests.compiler("nm") != nil))
  func functions() async throws {
    let library = ProgramRun.products.appending(path: "libCSharedWorld.so").path()
    let symbols = try await ProgramRun(
      of: try #require(CProgramTests.compiler("nm")), ["-D", "--defined-only", "--format=posix", library])
    let functions = Set(
      symbols.text.split(separator: "\n").map { $0.prefix { $0 != " " } }.filter { $0.hasPrefix("sw_") }.map(
        String.init))
    #expect(functions == Declared(try Self.header()).functions)
    Self.expect(Set(functions.map { "function \($0)" }), toBe: try Self.listed(["function"]))
  }

  @Test(
    "the installed library exports functions of the interface alone, under its version",
    .enabled(if: CProgramTests.compiler("gcc") != nil && CProgramTests.compiler("nm") != nil))
  func versionScript() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sharedworld-map-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "stub.c").path(), library = folder.appending(path: "stub.so").path()
    try "int sw_one(void) { return 1; }\nint other(void) { return 2; }\nint swift_x;\n".write(
      toFile: source, atomically: true, encoding: .utf8)
    let script = CProgramTests.package.appending(path: "Scripts/sharedworld.map").path()
    let linked = try await ProgramRun(
      of: try #require(CProgramTests.compiler("gcc")),
      ["-shared", "-fPIC", source, "-Wl,--version-script=\(script)", "-o", library])
    #expect(linked == ProgramRun(status: 0, text: ""))
    let symbols = try await ProgramRun(
      of: try #require(CProgramTests.compiler("nm")),
      ["-D", "--defined-only", "--extern-only", "--format=posix", library])
    let names = symbols.text.split(separator: "\n").map { $0.prefix { $0 != " " } }.filter {
      !$0.hasPrefix("SHAREDWORLD")
    }
    #expect(names == ["sw_one@@SHAREDWORLD_1"])
  }
}
