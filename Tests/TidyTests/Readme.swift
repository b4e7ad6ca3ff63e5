import Testing

/// README.md is short, and the figures of the page of promises are those of the results.
@Suite("The front page")
struct Readme {
  private static let text = Repository.text("README.md")
  private static let page = "Documentation/promises.md"
  private static let longest = 90
  /// How far a figure may be from the results before it is corrected: they change with every run.
  private static let tolerance = 0.15

  @Test("it has at most 90 lines")
  func length() {
    #expect(Self.text.split(separator: "\n", omittingEmptySubsequences: false).count <= Self.longest + 1)
  }

  @Test("the ratios of promises are those of the results, or near them")
  func figures() {
    let results = ResultsPage(Repository.text("Benchmarks/RESULTS.md")).rows
    let rows = Repository.text(Self.page).split(separator: "\n").compactMap { line in
      line.wholeMatch(of: /\| ([\w\/-]+) \| ([\d.]+) \| .* \| `make bench FILTER=([\w-]+)` \|/)
    }
    #expect(rows.count >= 3)
    for row in rows {
      let measured = results.first { $0.name == row.1 }.flatMap { Double($0.ratio) }
      let shown = Double(row.2) ?? 0
      let isNear = measured.map { abs($0 - shown) <= Self.tolerance * $0 } ?? false
      #expect(isNear, "\(Self.page): \(row.1) is \(measured.map { "\($0)" } ?? "not measured"), not \(row.2)")
      #expect(row.1.hasPrefix(row.3), "\(Self.page): make bench FILTER=\(row.3) does not measure \(row.1)")
    }
  }
}
