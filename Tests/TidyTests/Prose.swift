import Testing

/// The words of pages and comments (CONTRIBUTING, "How prose reads"), as far as a machine can judge them.
@Suite("Words that a reader need not guess")
struct Prose {
  /// Each is written in two parts, so that this file passes its own rule.
  static let banned: [(phrase: String, advice: String)] = [
    ("for e" + "ver", "say how long: permanently, without a limit, until the end of the session"),
    ("an" + "ew", "say what happens: restart, again, start over"),
    ("in v" + "ain", "say what fails"),
    ("worth its " + "while", "name the threshold"),
    ("all the " + "same", "leave it out, or say nevertheless"),
    ("by a " + "lie", "name the forged record or message"),
    ("who" + "ever", "name the actor"),
    ("for " + "good", "say how long: permanently, for the life of the process"),
    ("takes " + "note", "records"),
    ("come " + "about", "happen"),
  ]

  @Test("no page holds a banned phrase")
  func pages() {
    report(Pages.all.flatMap { Self.findings(in: Self.lines(of: $0.text), path: $0.path) })
  }

  @Test("no comment holds a banned phrase")
  func comments() {
    report(Repository.swift.flatMap { Self.findings(in: Self.comments(in: $0.text, code: $0.code), path: $0.path) })
  }

  @Test("whole words are compared, in any case and over the blanks of a list")
  func compared() {
    let phrase = "For e" + "ver and for every, " + "an" + "ew and canew"
    #expect(Self.findings(in: ["x", Substring(phrase)], path: "x.md").map(\.line) == [2, 2])
  }

  @Test("a comment is what stands behind the code of a line, a string is not")
  func found() {
    let text = "let a = \"b // c\" // d\n/// e\nf()\n"
    let comments = Self.comments(in: text, code: Scrubber.code(of: text))
    #expect(comments == ["// d", "/// e", "", ""])
  }

  private static func lines(of text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The comment of each line, empty where there is none.
  private static func comments(in text: String, code: String) -> [Substring] {
    zip(lines(of: text), lines(of: code)).map { line, code in
      // The scrubber blanks byte by byte: behind the last byte of code only strings and a comment are left.
      let used = code.utf8.reversed().drop { $0 == UInt8(ascii: " ") }.count
      let rest = Substring(line.utf8.dropFirst(used))
      let mark = rest.ranges(of: "//").first { rest[..<$0.lowerBound].count { $0 == "\"" }.isMultiple(of: 2) }
      return mark.map { rest[$0.lowerBound...] } ?? ""
    }
  }

  private static func findings(in lines: [Substring], path: String) -> [Finding] {
    lines.enumerated().filter { !$0.element.isEmpty }.flatMap { number, line in
      let text = line.lowercased()
      return banned.filter { holds(text, $0.phrase) }.map {
        Finding(path: path, line: number + 1, advice: "“\($0.phrase)”: \($0.advice)")
      }
    }
  }

  /// Whether `text`, in lower case, holds a phrase between the bounds of words.
  private static func holds(_ text: String, _ phrase: String) -> Bool {
    // Without a regular expression, which takes half a minute for all comments.
    text.contains(phrase)
      && text.ranges(of: phrase).contains { range in
        let before = text[..<range.lowerBound].last
        let after = text[range.upperBound...].first
        return before?.isLetter != true && after?.isLetter != true
      }
  }
}
