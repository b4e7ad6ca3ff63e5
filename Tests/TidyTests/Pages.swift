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

  @Test("every Swift file that a page names exists")
  func names() {
    let names = Set(Repository.swift.map { $0.path.split(separator: "/").last ?? "" })
    report(
      Self.all.filter { !Self.unbounded.contains($0.path) }.flatMap { page in
        Self.named(in: page.text).compactMap { name, line in
          guard !names.contains(name) else { return nil }
          return Finding(path: page.path, line: line, advice: "no file is called \(name): name the one that has it now")
        }
      })
  }

  @Test("a file is named in code, with or without its folder; the name of a type is not a file")
  func namedFiles() {
    let named = Self.named(in: "`a/B.swift` c.swift\n`D.swift`, `E`, `f.swift --g`\n")
    #expect(named.map(\.name) == ["B.swift", "D.swift"])
    #expect(named.map(\.line) == [1, 2])
  }

  @Test("links to other sites and to symbols are left alone, fragments are cut off")
  func recognised() {
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

  /// The Swift files that a page names in code, without their folders, with their lines.
  private static func named(in text: String) -> [(name: Substring, line: Int)] {
    var found: [(name: Substring, line: Int)] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard line.contains(".swift`") else { continue }
      found += line.matches(of: /`(?:[^` ]*\/)?([^`\/ ]+\.swift)`/).map { ($0.1, number + 1) }
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
