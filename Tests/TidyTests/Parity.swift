import Testing

/// The page of parity, and that of promises: one is kept where a test shows it.
@Suite("The page of parity")
struct Parity {
  /// A row of a table: the features of others, ours, and the test.
  private struct Row {
    let path: String
    let line: Int
    let names: [Substring]
    let proof: Substring
  }

  private static let promises = "Documentation/promises.md"
  private static let rows = ["Documentation/parity.md", promises].flatMap {
    rows(of: Repository.text($0), path: $0)
  }
  /// What a row says that has no test yet.
  private static let open: Set<Substring> = ["not there", "no test"]
  /// Every name that a library declares.
  private static let declared: Set<Substring> = {
    let programs: Set = ["worldpeer", "worldview", "worldmap", "soak", "trials", "Simulator", "AlignmentTrials"]
    let libraries = Repository.swift.filter { file in file.module.map { !programs.contains($0) } == true }
    return Set(libraries.flatMap { declarations(in: $0.code) })
  }()

  @Test("every test that it names exists")
  func proofs() {
    #expect(Self.rows.count { $0.path != Self.promises } > 80)
    #expect(Self.rows.count { $0.path == Self.promises } > 10)
    report(
      Self.rows.filter { !Self.open.contains($0.proof) && !Self.isTest($0.proof) }.map {
        Finding(path: $0.path, line: $0.line, advice: "there is no test \($0.proof): name the one that shows it")
      })
  }

  @Test("every name of the API is declared")
  func names() {
    report(
      Self.rows.flatMap { row in
        row.names.flatMap { $0.split(separator: ".") }.filter { !Self.declared.contains($0) }.map {
          Finding(path: row.path, line: row.line, advice: "nothing is called \($0): name what it is called now")
        }
      })
  }

  @Test("rows, tests and declarations are read as they are written")
  func read() throws {
    let page = "| a | b | c |\n|---|---|---|\n| x `y` | `A.b`, c `D` | `T.e` |\n| z | | not there |\n"
    let rows = Self.rows(of: page, path: "x.md")
    #expect(rows.map(\.line) == [3, 4] && rows.map(\.proof) == ["T.e", "not there"])
    #expect(rows.map(\.names) == [["A.b", "D"], []])
    let code = "public enum A { case one, two\n  static func f() {}\n  let (a, b) = x\n  indirect case `in`(B)"
    #expect(Self.declarations(in: code).isSuperset(of: ["A", "one", "f", "in"]))
    #expect(Self.isTest("Parity.read") && Self.isTest("CaptureTests.a good map"))
    #expect(!Self.isTest("Parity.rea") && !Self.isTest("CaptureTests.read") && !Self.isTest("Parity"))
  }

  /// The rows of all tables but their heads; in the first column are the names of others.
  private static func rows(of page: String, path: String) -> [Row] {
    var rows: [Row] = []
    var isBody = false
    for (number, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard line.hasPrefix("|") else {
        isBody = false
        continue
      }
      defer { if line.hasPrefix("|---") { isBody = true } }
      let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
      guard isBody, cells.count == 3 else { continue }
      rows.append(
        Row(path: path, line: number + 1, names: quoted(cells[1]), proof: quoted(cells[2]).first ?? trimmed(cells[2])))
    }
    return rows
  }

  private static func quoted(_ text: Substring) -> [Substring] {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false)
    return parts.indices.filter { $0 % 2 == 1 }.map { parts[$0] }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return text
  }

  /// Whether a file with the suite has the function, or one whose name in words begins so.
  private static func isTest(_ name: Substring) -> Bool {
    let parts = name.split(separator: ".", maxSplits: 1)
    guard parts.count == 2 else { return false }
    return NamedTests.isTest(parts[0], parts[1])
  }

  private static func declarations(in code: String) -> Set<Substring> {
    let pattern = /\b(?:func|var|let|case|struct|enum|class|actor|protocol|typealias)\s+`?(\w+)/
    return Set(code.matches(of: pattern).map(\.1))
  }
}
