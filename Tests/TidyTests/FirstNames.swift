import Testing

/// The page of the first names: a newcomer is not asked to read more, and finds each of them.
@Suite("The page of the first names")
struct FirstNames {
  private static let path = "Sources/SharedWorld/SharedWorld.docc/FirstNames.md"
  /// What a newcomer may be asked to know.
  private static let most = 75

  @Test("it has few names, each once and with words, and every one is declared")
  func names() {
    let rows = Self.rows(of: Repository.text(Self.path))
    #expect(rows.count > 50 && rows.count <= Self.most)
    #expect(Set(rows.map(\.name)).count == rows.count)
    let libraries = ["SharedWorld", "WorldModel"]
    let files = Repository.swift.filter { $0.module.map(libraries.contains) == true }
    let declared = Set(files.flatMap { Self.declarations(in: $0.code) })
    report(
      rows.flatMap { row in
        Self.words(of: row.name).filter { !declared.contains($0) }.map {
          Finding(path: Self.path, line: row.line, advice: "nothing public is called \($0): name what it is called now")
        }
      })
  }

  @Test("rows, the words of a symbol and public declarations are read as they are written")
  func read() {
    let page = "text\n- ``A/b(_:to:)-swift.method``: half a line\n- ``C``\n- <doc:D>: no name\n"
    let rows = Self.rows(of: page)
    #expect(rows.map(\.name) == ["A/b(_:to:)-swift.method"] && rows.map(\.line) == [2])
    #expect(Self.words(of: rows[0].name) == ["A", "b"] && Self.words(of: "A/b-swift.property") == ["A", "b"])
    let code =
      "public actor A {\n  func hidden() {}\n  public nonisolated var b: Int { 1 }\n  case c\n  public init() {}\n}\n"
    #expect(Self.declarations(in: code) == ["A", "b", "c", "init"])
  }

  private static func rows(of page: String) -> [(line: Int, name: Substring)] {
    page.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { number, line in
      line.wholeMatch(of: /- ``(.+)``: .+/).map { (number + 1, $0.1) }
    }
  }

  /// The names that a symbol's path is made of, without arguments and without what tells namesakes apart.
  private static func words(of name: Substring) -> [Substring] {
    name.split(separator: "/").compactMap { $0.prefixMatch(of: /\w+/)?.output }
  }

  private static let introducers: Set<Substring> = [
    "func", "var", "let", "struct", "enum", "class", "actor", "protocol", "case",
  ]

  /// What is public, with the cases of enums, which are as public as those.
  ///
  /// Word by word: an expression over all files would keep the threads that other tests share for many seconds.
  private static func declarations(in code: String) -> Set<Substring> {
    var found: Set<Substring> = []
    for line in code.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.contains("public") || words.contains("case") else { continue }
      if words.contains(where: { $0.hasPrefix("init(") }) { found.insert("init") }
      guard let place = words.firstIndex(where: introducers.contains), place + 1 < words.count else { continue }
      found.insert(words[place + 1].prefix { $0 == "_" || $0.isLetter || $0.isNumber })
    }
    return found
  }
}
