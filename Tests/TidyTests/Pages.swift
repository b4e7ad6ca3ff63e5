import Foundation
import Testing

/// The Markdown pages: short enough to be read, and linked to what exists.
@Suite("Pages that a reader can hold")
struct Pages {
  static let longestPage = 250
  static let longestLine = 120
  /// Pages that grow by their nature: one entry a change, one row a figure.
  static let unbounded: Set = ["CHANGELOG.md", "Benchmarks/RESULTS.md"]

  static let all = Repository.files.filter { $0.path.hasSuffix(".md") }

  @Test("no page is long or wide")
  func sizes() {
    report(Self.all.filter { !Self.unbounded.contains($0.path) }.flatMap { Self.oversize($0.text, path: $0.path) })
  }

  @Test("a page is measured in lines and characters")
  func measured() {
    let wide = String(repeating: "ü", count: 121)
    let long = String(repeating: "x\n", count: 251)
    #expect(Self.oversize("a\n\(wide.dropLast())\n\(wide)\n", path: "x.md").map(\.line) == [3])
    #expect(Self.oversize(String(long.dropFirst(2)), path: "x.md").isEmpty)
    #expect(Self.oversize(long, path: "x.md").map(\.line) == [251])
  }

  @Test("the tests that the page of traps names exist")
  func namedTests() throws {
    let page = try #require(Self.all.first { $0.path == "Documentation/discovery-traps.md" })
    let tests = Repository.files.filter { $0.path.hasPrefix("Tests/") }.map(\.text)
    let named = page.text.components(separatedBy: "Tests: ").dropFirst().flatMap { rest in
      let list = rest.components(separatedBy: ".\n")[0].components(separatedBy: "`")
      return list.indices.filter { $0 % 2 == 1 }.map { list[$0] }
    }
    #expect(named.count > 40)
    let missing = named.filter { name in
      let heads = ["func \(name)(", "func `\(name)`(", "def \(name)("]
      return !tests.contains { text in heads.contains { text.contains($0) } }
    }
    report(
      missing.map { Finding(path: page.path, line: 1, advice: "no test is called \($0): name the one that shows it") })
  }

  @Test("every link between pages leads to a file")
  func links() {
    report(
      Self.all.flatMap { page in
        Self.links(in: page.text).compactMap { link -> Finding? in
          let folder = Repository.root.appending(path: page.path).deletingLastPathComponent()
          let target = folder.appending(path: link.path).standardizedFileURL
          guard !FileManager.default.fileExists(atPath: target.path) else { return nil }
          return Finding(path: page.path, line: link.line, advice: "\(link.path) does not exist: mend the link")
        }
      })
  }

  @Test("every Swift file, and every path, that a page names exists")
  func names() {
    let names = Set(Repository.swift.map { $0.path.split(separator: "/").last ?? "" })
    report(
      Self.all.filter { !Self.unbounded.contains($0.path) }.flatMap { page in
        Self.named(in: page.text).compactMap { path, line in
          let exists =
            path.contains("/")
            ? FileManager.default.fileExists(atPath: Repository.root.appending(path: path).path) : names.contains(path)
          guard !exists else { return nil }
          return Finding(path: page.path, line: line, advice: "there is no \(path): name what has its place now")
        }
      })
  }

  @Test("a path begins with a folder of the top; a Swift file is named with or without its folder")
  func namedFiles() {
    let named = Self.named(in: "`Node/B.swift` c.swift `Sources/A/B`\n`D.swift`, `E/F`, `Sources/*`, `f.swift --g`\n")
    #expect(named.map(\.path) == ["B.swift", "Sources/A/B", "D.swift"])
    #expect(named.map(\.line) == [1, 1, 2])
  }

  @Test("links to other sites and to symbols are left alone, fragments are cut off")
  func recognized() {
    let text = "[a](b.md) [c](https://d.e/f.md)\n`[g](h.md)` <doc:I> [j](../k/l.md#m) [n](#o)\n```\n[p](q.md)\n```\n"
    #expect(Self.links(in: text).map(\.path) == ["b.md", "../k/l.md"])
    #expect(Self.links(in: text).map(\.line) == [1, 2])
  }

  /// The first line over the bound of lines, and every line that is too wide.
  private static func oversize(_ text: String, path: String) -> [Finding] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last == "" { lines.removeLast() }
    var findings = lines.enumerated().filter { $0.element.count > longestLine }.map { number, line in
      Finding(path: path, line: number + 1, advice: "\(line.count) columns, at most \(longestLine): wrap it")
    }
    if lines.count > longestPage {
      findings.append(
        Finding(
          path: path, line: longestPage + 1,
          advice: "\(lines.count) lines, at most \(longestPage): give a part of it a page of its own"))
    }
    return findings
  }

  /// The Swift files, without their folders, and the paths from the top folder that a page names in code, with their lines.
  private static func named(in text: String) -> [(path: Substring, line: Int)] {
    var found: [(path: Substring, line: Int)] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      // Every second part of a line lies between two marks of code.
      let parts = line.split(separator: "`", omittingEmptySubsequences: false)
      for part in parts.indices.filter({ !$0.isMultiple(of: 2) }).map({ parts[$0] }) {
        guard !part.contains(where: { " *…".contains($0) }) else { continue }
        if let top = part.split(separator: "/").first, part.contains("/"), House.topLevel.contains(String(top)) {
          found.append((part, number + 1))
        } else if part.hasSuffix(".swift"), let name = part.split(separator: "/").last {
          found.append((name, number + 1))
        }
      }
    }
    return found
  }

  /// The files that a page links to, relative to its folder, with their lines; those in code are examples.
  private static func links(in text: String) -> [(path: String, line: Int)] {
    var found: [(path: String, line: Int)] = []
    var isCode = false
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("```") { isCode.toggle() }
      guard !isCode else { continue }
      for match in line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s#]+)(#[^)]*)?\)/) {
        let path = String(match.1)
        if !path.contains("://") { found.append((path, number + 1)) }
      }
    }
    return found
  }
}
