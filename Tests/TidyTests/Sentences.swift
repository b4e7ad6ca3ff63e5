import Testing

/// Sentences name their subject: none of a module's comments, and none of a page, begins with a bare question word.
@Suite("Sentences that name their subject")
struct Sentences {
  private static let bare: Set<Substring> = ["Who", "What", "Who" + "ever", "Whom"]

  /// A line of prose; one that begins a block begins a sentence.
  private struct Line {
    let text: Substring
    let number: Int
    let beginsBlock: Bool
  }

  @Test("no sentence of a module's comments does without")
  func comments() {
    let files = Repository.swift.filter { $0.module != nil }
    #expect(files.count > 500)
    report(files.flatMap { Self.findings(in: Self.comments(in: $0.text), path: $0.path) })
  }

  @Test("no sentence of a page does without")
  func pages() {
    let pages = Pages.all.filter { !Pages.unbounded.contains($0.path) }
    report(pages.flatMap { Self.findings(in: Self.prose(of: $0.text), path: $0.path) })
  }

  @Test("sentences go over lines, end with their block, and may be questions; headings, tables and code have none")
  func found() {
    let code = """
      /// Who writes. The author, what a day
      /// has. What comes
      /// last (a map.) What is it? Nothing.
      ///   - x: What is written.
      // MARK: What is here
      let a = "/// What" // What
      // What
      """
    #expect(Self.findings(in: Self.comments(in: code), path: "x").map(\.line) == [1, 2, 4, 7])
    let start = "# Who\n| What |\n**Why.** What is.\n- a: what\n- Who\n```\nWhat\n```\n"
    let page = start + "1. Is it? Who knows. What?\n\n**What.** It is.\n"
    #expect(Self.findings(in: Self.prose(of: page), path: "x").map(\.line) == [3, 5, 9])
  }

  private static func lines(of text: String) -> some Collection<(offset: Int, element: Substring)> {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { $0 }
  }

  /// The comments of a file that have lines of their own; an item of a list begins behind the name of its parameter.
  private static func comments(in text: String) -> [Line] {
    var found: [Line] = []
    var marker: Substring = ""
    var isCode = false
    for (number, line) in lines(of: text) {
      let comment = line.drop { $0 == " " }
      let mark = comment.prefix { $0 == "/" }
      var words = comment.dropFirst(mark.count).drop { $0 == " " }
      if words.hasPrefix("```") { isCode.toggle() }
      guard (2...3).contains(mark.count), !words.isEmpty, !words.hasPrefix("MARK:"), !words.hasPrefix("```"), !isCode
      else {
        marker = ""
        continue
      }
      let isItem = words.hasPrefix("- ")
      if isItem, let colon = words.firstIndex(of: ":") { words = words[colon...].dropFirst() }
      found.append(Line(text: words, number: number + 1, beginsBlock: isItem || marker != mark))
      marker = mark
    }
    return found
  }

  /// The paragraphs and the items of lists of a page.
  private static func prose(of page: String) -> [Line] {
    var found: [Line] = []
    var (isCode, isBehindGap) = (false, true)
    for (number, line) in lines(of: page) {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("```") { isCode.toggle() }
      guard !isCode, let first = text.first, !["#", "|", "`"].contains(first) || !isBehindGap && first == "`" else {
        isBehindGap = true
        continue
      }
      let mark = text.prefix { $0 != " " }
      let isItem = mark == "-" || mark == "*" || mark.last == "." && mark.dropLast().allSatisfy(\.isNumber)
      let words = isItem ? text.dropFirst(mark.count) : text
      found.append(Line(text: words, number: number + 1, beginsBlock: isItem || isBehindGap))
      isBehindGap = false
    }
    return found
  }

  /// The sentences that begin with a bare question word and do not end as questions.
  private static func findings(in lines: [Line], path: String) -> [Finding] {
    var findings: [Finding] = []
    var open: Finding?
    var isBegun = false
    func close() {
      if let open { findings.append(open) }
      open = nil
    }
    for line in lines {
      if line.beginsBlock {
        close()
        isBegun = false
      }
      for word in line.text.split(separator: " ") {
        // A bold word begins the heading of a paragraph.
        let bareWord = word.hasPrefix("**") ? "" : word.drop { "*(_“".contains($0) }
        if !isBegun, bare.contains(bareWord) {
          open = Finding(path: path, line: line.number, advice: "begins with \(bareWord): name the subject")
        }
        let end = word.last { !"*)_”".contains($0) }
        isBegun = end != "." && end != "!" && end != "?"
        if end == "?" { open = nil } else if !isBegun { close() }
      }
    }
    close()
    return findings
  }
}
