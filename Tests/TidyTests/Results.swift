import Testing

@Suite("The page of results")
struct Results {
  private static let old = ResultsPage.Row(
    name: "tap/8", value: "1.5", unit: "ms", ratio: "0.5", baseline: "raw TCP 3", commit: "abc1234",
    date: "2026-11-01", machine: "")
  private static let new = ResultsPage.Row(
    name: "tap/8", value: "1.2", unit: "ms", ratio: "0.4", baseline: "raw TCP 3", commit: "def5678+",
    date: "2026-11-22", machine: "")

  private static func row(_ name: String) -> ResultsPage.Row {
    var row = old
    row.name = name
    return row
  }

  @Test("a run replaces its own rows and leaves the text of all others as it is")
  func replaced() {
    var page = ResultsPage("")
    page.update([Self.old, Self.row("tap/16")], on: "a board")
    let before = page.text
    page.update([Self.new], on: "a server")
    #expect(page.rows.map(\.name) == ["tap/8", "tap/16"])
    #expect(page.rows.map(\.commit) == ["def5678+", "abc1234"])
    #expect(page.rows.map(\.machine) == ["B", "A"])
    let kept = "| tap/16 | 1.5 | ms | 0.5 | raw TCP 3 | abc1234 | 2026-11-01 | A |"
    #expect(before.contains(kept) && page.text.contains(kept))
    #expect(page.text.contains("| B | a server |"))
    page.update([Self.old], on: "a board")
    #expect(page.machines == ["a board", "a server"])
  }

  @Test("the order of measuring does not matter, and numbers in names count by their values")
  func ordered() {
    let names = ["tap/8", "tap/100", "size/a/9", "size/a/10", "size/a", "tap/16"]
    var (page, other) = (ResultsPage(""), ResultsPage(""))
    page.update(names.map(Self.row), on: "a board")
    for name in names.reversed() { other.update([Self.row(name)], on: "a board") }
    #expect(page.text == other.text)
    #expect(page.rows.map(\.name) == ["size/a", "size/a/9", "size/a/10", "tap/8", "tap/16", "tap/100"])
    #expect(page.text.contains("\n## size\n") && page.text.contains("\n## tap\n"))
  }

  @Test("what stands below the earlier figures stays, tables and all")
  func earlier() {
    let tail = "## Earlier figures\n\n| a | b | c | d | e | f | g | h |\n\nwords\n"
    var page = ResultsPage("| A | a board |\n\n" + tail)
    #expect(page.rows.isEmpty)
    page.update([Self.old], on: "a board")
    #expect(page.text.hasSuffix("\n\n" + tail))
    #expect(ResultsPage(page.text) == page)
  }

  @Test("the page of the repository is as the benchmarks write it")
  func repository() {
    let text = Repository.text("Benchmarks/RESULTS.md")
    let page = ResultsPage(text)
    #expect(page.rows.count > 400)
    #expect(page.text == text, "run make bench with any FILTER: it rewrites the page")
    #expect(page.rows.allSatisfy { !$0.commit.isEmpty && !$0.date.isEmpty && !$0.machine.isEmpty })
    #expect(Set(page.rows.map(\.name)).count == page.rows.count)
  }
}
