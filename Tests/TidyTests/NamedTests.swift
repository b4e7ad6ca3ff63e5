import Foundation
import Testing

/// A page shows its promises by tests: each test that it names exists.
@Suite("Tests that pages name")
struct NamedTests {
  private static let files = Repository.files.filter { $0.path.hasPrefix("Tests/") || $0.path.hasPrefix("Bindings/") }
  private static let swift = Repository.swift.filter { $0.path.hasPrefix("Tests/") }

  @Test("every suite, test, file of tests and filter that a page names exists")
  func exist() {
    let pages = Pages.all.filter { !Pages.unbounded.contains($0.path) }
    let named = pages.flatMap { page in Self.named(in: page.text).map { (page: page, name: $0.name, line: $0.line) } }
    #expect(named.count { $0.page.path == "SECURITY.md" } > 40)
    let unknown = Set(named.map(\.name)).filter { !Self.exists($0) }
    report(
      named.filter { unknown.contains($0.name) }.map {
        Finding(path: $0.page.path, line: $0.line, advice: "there is no test \($0.name): name the one that shows it")
      })
  }

  @Test("names are read from code in pages, filters from commands")
  func read() {
    let page = "`ATests`, BTests `CTests.d e` `FTests.swift`\n`test_g.py` `swift test --filter HTests` `Tests/I`\n"
    #expect(Self.named(in: page).map(\.name) == ["ATests", "CTests.d e", "test_g.py", "HTests"])
    #expect(Self.named(in: page).map(\.line) == [1, 1, 2, 2])
    #expect(Self.exists("NamedTests.read") && Self.exists("TidyTests") && Self.exists("test_vectors.py"))
    #expect(!Self.exists("NamedTests.rea") && !Self.exists("NoTests") && !Self.exists("test_nothing.py"))
  }

  /// Whether a file with the suite has the function, or one whose name in words begins so.
  static func isTest(_ suite: Substring, _ name: Substring) -> Bool {
    swift.contains { file in
      file.text.contains("struct \(suite) ")
        && (file.text.contains("func \(name)(") || file.text.contains("func `\(name)"))
    }
  }

  /// Whether there is a suite or a target, a test, or a file of this name.
  private static func exists(_ name: Substring) -> Bool {
    if name.hasSuffix(".py") { return files.contains { $0.path.hasSuffix("/\(name)") } }
    let parts = name.split(separator: ".", maxSplits: 1)
    if parts.count == 2 { return isTest(parts[0], parts[1]) }
    return files.contains { $0.path.hasPrefix("Tests/\(name)/") }
      || swift.contains { $0.text.contains("struct \(name) ") }
  }

  private static func named(in page: String) -> [(name: Substring, line: Int)] {
    page.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { number, line in
      // Every second part of a line lies between two marks of code.
      let parts = line.split(separator: "`", omittingEmptySubsequences: false)
      return parts.indices.filter { !$0.isMultiple(of: 2) }.compactMap { name(in: parts[$0]) }.map { ($0, number + 1) }
    }
  }

  /// The test that a piece of code in a page names.
  private static func name(in code: Substring) -> Substring? {
    let filter = "swift test --filter "
    if code.hasPrefix(filter) { return code.dropFirst(filter.count) }
    if code.hasPrefix("test_"), code.hasSuffix(".py") { return code }
    let suite = code.prefix { $0 != "." }
    let isSuite = suite.hasSuffix("Tests") && suite.allSatisfy { $0.isLetter || $0.isNumber } && suite.count > 5
    return isSuite && !code.hasSuffix(".swift") ? code : nil
  }
}

/// The page of worldview shows what peers wrote as text.
@Suite("The page of worldview")
struct WebPage {
  private static let setters = [
    "innerHTML", "outerHTML", "insertAdjacentHTML", "setHTML", "document.write", "DOMParser",
    "createContextualFragment", "eval(", "new Function",
  ]

  @Test("nothing in it turns text into markup or code")
  func markup() {
    let files = Repository.files.filter { $0.path.hasPrefix("Sources/worldview/Page/") && !$0.path.hasSuffix(".css") }
    #expect(files.count > 5)
    report(
      files.flatMap { file in
        file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { number, line in
          Self.setters.filter { line.contains($0) }.map {
            Finding(path: file.path, line: number + 1, advice: "\($0): set textContent, or make elements")
          }
        }
      })
  }
}
