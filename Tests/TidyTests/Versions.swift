import Foundation
import TestSupport
import Testing

/// The version has one address, `Sources/SharedWorld/Version.swift`; the others are compared with it.
@Suite("The version")
struct Versions {
  private static let version =
    Repository.text("Sources/SharedWorld/Version.swift")
    .firstMatch(of: #/version = "(\d+\.\d+\.\d+)"/#).map { String($0.1) } ?? ""

  @Test("every place says the version of Session.version")
  func places() throws {
    #expect(Repository.text("Bindings/python/pyproject.toml").contains("\nversion = \"\(Self.version)\"\n"))
    let first = Repository.text("CHANGELOG.md").firstMatch(of: #/\n## \[(\d[^\]]*)\]\n/#)?.1
    #expect(first == Substring(Self.version), "CHANGELOG.md begins with another release")
    let shown = Pages.all.flatMap { page in page.text.matches(of: #/from: "([\d.]+)"/#).map { (page.path, $0.1) } }
    #expect(!shown.isEmpty, "no page shows how to depend on a release")
    for (path, version) in shown { #expect(version == Self.version, "\(path) depends on \(version)") }
  }

  @Test("packages and releases take it from Scripts/version.sh, which reads it there")
  func scripts() async throws {
    let printed = try await ProgramRun(of: Repository.root.appending(path: "Scripts/version.sh").path, [])
    #expect(printed == ProgramRun(status: 0, text: "\(Self.version)\n"))
    for script in ["dist", "dist-check", "install", "release", "release-app"] {
      #expect(Repository.text("Scripts/\(script).sh").contains("$(Scripts/version.sh)"), "Scripts/\(script).sh")
    }
  }

  @Test("the oldest compiler that is named is the one that the build asks for")
  func compilers() throws {
    let asked = try #require(Repository.text("Scripts/require-swift.sh").firstMatch(of: #/\noldest=([\d.]+)\n/#)).1
    for page in Pages.all {
      for match in page.text.matches(of: #/Swift (\d[\d.]*\d) or newer/#) {
        #expect(match.1 == asked, "\(page.path) asks for Swift \(match.1)")
      }
    }
  }
}

/// Scripts/release.sh, in a repository of its own that has what the script reads.
@Suite("The script of a release")
struct Releases {
  private static let version = "4.5.6"
  private static let changes =
    "# Changelog\n\n## [Unreleased]\n\n## [4.5.6]\n\nThe new one.\n\n## [4.5.5]\n\nAn old one.\n"
  private let folder = FileManager.default.temporaryDirectory.appending(path: "release-\(UUID())")

  @Test("a dry run shows the notes of this version alone, and makes nothing")
  func notes() async throws {
    try await inRepository { run in
      let shown = try await run("Scripts/release.sh --dry-run && git tag && git status --porcelain")
      #expect(shown.status == 0)
      #expect(shown.text.hasPrefix("The new one.\nwould make: "))
      #expect(shown.text.split(separator: "\n").count == 2)
    }
  }

  @Test("the tag carries the notes, and is signed only with a key")
  func tag() async throws {
    try await inRepository { run in
      let made = try await run("Scripts/release.sh && git tag --list --format='%(objecttype) %(contents)' 4.5.6")
      #expect(made.status == 0, "\(made.text)")
      #expect(made.text.contains("tag The new one."))
      #expect(try await run("cat dist-out/NOTES.md").text == "The new one.\n")
      #expect(try await run("git tag -d 4.5.6 && git config user.signingkey 0").status == 0)
      #expect(try await run("Scripts/release.sh --dry-run").text.contains("(git tag --sign)"))
    }
  }

  @Test(
    "it refuses what is no state to release",
    arguments: [
      ("touch new", "not committed"), ("git tag 4.5.6", "the tag 4.5.6 exists"),
      ("sed -i 's/4.5.6/4.5.7/' Sources/SharedWorld/Version.swift; git commit -qam x", "no section [4.5.7]"),
      ("sed -i 's/^## .Unreleased.$/&\\n\\n- More./' CHANGELOG.md; git commit -qam x", "changes under Unreleased"),
    ])
  func refused(_ change: String, _ reason: String) async throws {
    try await inRepository { run in
      #expect(try await run(change).status == 0)
      let refused = try await run("Scripts/release.sh --dry-run")
      #expect(refused.status == 1 && refused.text.hasPrefix("error: ") && refused.text.contains(reason))
    }
  }

  private func inRepository(_ body: ((String) async throws -> ProgramRun) async throws -> Void) async throws {
    let path = folder.path
    let run = { (command: String) async throws -> ProgramRun in
      try await ProgramRun(of: "/bin/bash", ["-c", "cd \(path) && { \(command); }"])
    }
    for part in ["Scripts", "Sources/SharedWorld"] {
      try FileManager.default.createDirectory(at: folder.appending(path: part), withIntermediateDirectories: true)
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    for script in ["release", "version"] {
      try FileManager.default.copyItem(
        at: Repository.root.appending(path: "Scripts/\(script).sh"),
        to: folder.appending(path: "Scripts/\(script).sh"))
    }
    let files = [
      ("CHANGELOG.md", Self.changes), ("Makefile", "dist:\n\t@mkdir -p dist-out\n"), (".gitignore", "/dist-out/\n"),
      ("Sources/SharedWorld/Version.swift", "  public static let version = \"\(Self.version)\"\n"),
    ]
    for (name, text) in files { try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8) }
    let setUp = "git init -q && git config user.name A && git config user.email a@b && git add . && git commit -qm a"
    let repository = try await run(setUp)
    #expect(repository.status == 0, "\(repository.text)")
    try await body(run)
  }
}
