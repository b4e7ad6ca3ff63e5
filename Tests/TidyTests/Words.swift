import Testing

@Suite("Words that do not stay")
struct Words {
  /// Each is written in two parts, so that this file passes its own rule.
  static let banned: [(word: String, advice: String)] = [
    ("TO" + "DO", "do it now, or open an issue"),
    ("FIX" + "ME", "do it now, or open an issue"),
    ("../" + "shared", "write the knowledge down here: the repository stands alone"),
    ("/work/" + "shared", "write the knowledge down here: the repository stands alone"),
  ]

  @Test("no written file holds them")
  func words() {
    report(
      Repository.written.flatMap { file in
        file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { number, line in
          Self.banned.filter { line.contains($0.word) }.map {
            Finding(path: file.path, line: number + 1, advice: "\($0.word): \($0.advice)")
          }
        }
      })
  }

  @Test("the tree is really read")
  func tree() {
    #expect(Repository.swift.contains { $0.path == "Tests/TidyTests/Words.swift" })
    #expect(Repository.written.contains { $0.path == "Makefile" })
    #expect(!Repository.files.contains { $0.path.contains(".build/") })
  }
}
