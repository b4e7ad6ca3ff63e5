import Testing

@Suite("Code in the documentation is compiled")
struct Snippets {
  /// The lines of code of each file that may be quoted: the snippets, which the package builds, and the C programs of the
  /// tests.
  private static let compiled = Repository.files.filter { file in
    ["Snippets/", "Tests/CSharedWorldTests/C/", "Tests/Embedding/"].contains { file.path.hasPrefix($0) }
  }.map { lines(of: $0.text) }

  @Test("every block of Swift or C in a page is part of a file that is compiled")
  func blocks() {
    report(
      Pages.all.flatMap { page in
        Self.blocks(in: page.text).compactMap { block -> Finding? in
          let wanted = Self.lines(of: block.code)
          if Self.compiled.contains(where: { Self.contains($0, wanted) }) { return nil }
          return Finding(path: page.path, line: block.line, advice: "no snippet has this code: add it to Snippets/")
        }
      })
  }

  @Test("a block is found where it begins, and compared without indentation")
  func compared() throws {
    let blocks = Self.blocks(in: "a\n```swift\nlet x = 1\n\nf(x)\n```\n```sh\nls\n```\n```c\nint x;\n```\n")
    let block = try #require(blocks.first)
    #expect(blocks.map(\.line) == [3, 11])
    #expect(Self.contains(["import A", "let x = 1", "f(x)"], Self.lines(of: block.code)))
    #expect(!Self.contains(["let x = 1", "g(x)"], Self.lines(of: block.code)))
    #expect(Self.lines(of: "  a\n// snippet.end\n  b") == ["a", "b"])
  }

  /// The blocks of Swift and C in a page, each with the line of the page where it begins.
  private static func blocks(in page: String) -> [(code: String, line: Int)] {
    var blocks: [(code: String, line: Int)] = []
    var isInside = false
    for (number, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line == "```swift" || line == "```c" {
        blocks.append(("", number + 2))
        isInside = true
      } else if line.hasPrefix("```") {
        isInside = false
      } else if isInside {
        blocks[blocks.count - 1].code += line + "\n"
      }
    }
    return blocks
  }

  /// What the compiler sees of each line, without indentation.
  private static func lines(of code: String) -> [Substring] {
    code.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty && !$0.hasPrefix("// snippet.") }
  }

  private static func contains(_ lines: [Substring], _ part: [Substring]) -> Bool {
    lines.indices.contains { lines[$0...].starts(with: part) }
  }
}
