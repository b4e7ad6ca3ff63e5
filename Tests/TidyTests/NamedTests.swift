import Foundation
import Testing

/// A page shows its promises by tests: each test that it names exists.
@Suite("Tests that pages name")
struct NamedTests {
  private static let files = Repository.files.filter { $0.path.hasPrefix("Tests/") || $0.path.hasPrefix("Bindings/") }
  /// The files of tests by the structures that they declare.
  private static let suites: [Substring: [SourceFile]] = {
    var found: [Substring: [SourceFile]] = [:]
    for file in Repository.swift where file.path.hasPrefix("Tests/") {
      let words = file.text.split { $0 == " " || $0 == "\n" || $0 == ":" }
      for (word, name) in zip(words, words.dropFirst()) where word == "struct" { found[name, default: []].append(file) }
    }
    return found
  }()

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

  /// The first words of the commands that show a known issue.
  private static let tools = [
    ".ci/", "docker", "Fuzzing/", "grep", "kill", "make", "mdns_noise.py", "printf", "Scripts/", "soak", "swift",
    "systemctl", "trials", "worldmap", "worldpeer", "worldview",
  ]

  @Test("every known issue has the command, the test or the program that shows it")
  func issues() {
    let entries = Self.entries(of: Repository.text("KNOWN-ISSUES.md"))
    #expect(entries.count > 30)
    report(
      entries.filter { !Self.isShown($0.text) }.map {
        Finding(path: "KNOWN-ISSUES.md", line: $0.line, advice: "name the command or the test that shows it")
      })
  }

  @Test("an entry ends with its list, and its code may go over lines")
  func entries() {
    let entries = Self.entries(of: "x\n- a `make\n  b`.\n- c `d`\n\ne `make f`\n- g (`HTests.i`)\n")
    #expect(entries.map(\.line) == [2, 4, 7])
    #expect(entries.map { Self.isShown($0.text) } == [true, false, true])
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
    suites[suite, default: []].contains { file in
      file.text.contains("func \(name)(") || file.text.contains("func `\(name)")
    }
  }

  /// Whether there is a suite or a target, a test, or a file of this name.
  private static func exists(_ name: Substring) -> Bool {
    if name.hasSuffix(".py") { return files.contains { $0.path.hasSuffix("/\(name)") } }
    let parts = name.split(separator: ".", maxSplits: 1)
    if parts.count == 2 { return isTest(parts[0], parts[1]) }
    return suites[name] != nil || files.contains { $0.path.hasPrefix("Tests/\(name)/") }
  }

  private static func entries(of page: String) -> [(text: String, line: Int)] {
    var entries: [(text: String, line: Int)] = []
    var isInside = false
    for (number, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("- ") {
        entries.append((String(line), number + 1))
        isInside = true
      } else if line.hasPrefix("  "), isInside {
        entries[entries.count - 1].text += line.dropFirst()
      } else {
        isInside = false
      }
    }
    return entries
  }

  private static func isShown(_ entry: String) -> Bool {
    let parts = entry.split(separator: "`", omittingEmptySubsequences: false)
    return parts.indices.contains { at in
      !at.isMultiple(of: 2) && (name(in: parts[at]) != nil || tools.contains { parts[at].hasPrefix($0) })
    }
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
struct WebPageTests {
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
