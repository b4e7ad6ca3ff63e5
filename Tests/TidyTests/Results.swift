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
    #expect(page.text.contains("\n### size\n") && page.text.contains("\n### tap\n"))
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

  @Test("the plots of the repository are those of its rows, and the page shows each")
  func plots() throws {
    let text = Repository.text("Benchmarks/RESULTS.md")
    let plots = ResultsPage(text).plots
    #expect(plots.count == ResultsSubject.all.count, "a group has no subject, or a subject no rows")
    for plot in plots {
      let isDrawn = Repository.text("Benchmarks/\(plot.file)") == plot.svg
      #expect(isDrawn, "\(plot.file): run make bench with any FILTER, which draws it anew")
      #expect(text.contains("](\(plot.file))"))
    }
  }

  /// The plot of rows of one group.
  private static func plot(_ rows: [ResultsPage.Row]) throws -> ResultsPlot {
    var page = ResultsPage("")
    page.update(rows, on: "a board <2 GHz>")
    let subject = try #require(ResultsSubject.covering([rows[0].group]).first)
    return ResultsPlot(subject, of: page)
  }

  @Test("a figure is right of its baseline where it is better, and orange where it is worse")
  func sides() throws {
    var (faster, slower, used) = (Self.row("tap/1"), Self.row("tap/2"), Self.row("tap/3"))
    (faster.unit, faster.ratio) = ("MB/s raw", "4")
    (slower.unit, slower.ratio) = ("MB/s raw", "0.5")
    // Of what is used less is better.
    (used.unit, used.ratio) = ("bytes/s", "0.5")
    let plot = try Self.plot([faster, slower, used])
    #expect(plot.groups[0].lines.map(\.advantages) == [[4], [0.5], [2]])
    #expect(plot.groups[0].lines.map(\.isBehind) == [false, true, false])
    #expect(plot.counts == (3, 1))
    let baseline = plot.place(of: 1)
    #expect(plot.place(of: 4) > plot.place(of: 2) && plot.place(of: 2) > baseline && plot.place(of: 0.5) < baseline)
    #expect(
      plot.svg.matches(of: /<circle[^>]*#1a7f37/).count == 2 && plot.svg.matches(of: /<circle[^>]*#bc4c00/).count == 1)
    #expect(plot.svg.contains("1.5; raw TCP 3") && plot.svg.contains("machine A: a board &lt;2 GHz&gt;; 2026-11-01"))
  }

  @Test("figures without a baseline are bars, and many rows are one line from the worst to the best")
  func ranges() throws {
    let many = (1...20).map { index in
      var row = Self.row("tap/\(index % 2 == 0 ? "even" : "odd")/\(index)")
      (row.value, row.ratio, row.unit) = ("\(index)", "\(index)", "deliveries/s")
      return row
    }
    let lines = try Self.plot(many).groups[0].lines
    #expect(lines.map(\.label) == ["even", "odd"])
    #expect(lines[1].advantages == [1, 3, 5, 7, 9, 11, 13, 15, 17, 19])
    #expect(lines.map(\.text) == ["2× to 20× as good as raw TCP", "1× to 19× as good as raw TCP"])
    var (small, large) = (Self.row("tap/8"), Self.row("tap/16"))
    (small.value, small.ratio, small.baseline) = ("1,000", "", "")
    (large.value, large.ratio, large.baseline) = ("2,000", "", "")
    let bars = try Self.plot([small, large])
    #expect(bars.counts == (0, 0) && bars.groups[0].lines.map(\.text) == ["1,000", "2,000"])
    #expect(bars.svg.matches(of: /<rect x="250" [^>]*width="(\d+)"/).map { String($0.1) } == ["185", "370"])
    #expect(!bars.svg.contains("baseline"))
  }
}
