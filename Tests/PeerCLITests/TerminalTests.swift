import Testing

@testable import PeerCLI

@Suite("The row in which a user types")
struct InputRowTests {
  @Test("a line that fits is shown whole; the cursor counts wide characters twice and marks not at all")
  func short() {
    let row = InputRow(Array("日本e\u{301}x".unicodeScalars), position: 4, behind: 3, columns: 20)
    #expect(row.text == "日本e\u{301}x" && row.cursor == 3 + 5)
  }

  @Test("a long line is shown around the cursor, and never in the last column")
  func long() {
    let line = Array("abcdefghijklmnopqrstuvwxyz".unicodeScalars)
    let end = InputRow(line, position: 26, behind: 2, columns: 12)
    #expect(end.text == "tuvwxyz" && end.cursor == 9)
    let start = InputRow(line, position: 0, behind: 2, columns: 12)
    #expect(start.text == "abcdefghi" && start.cursor == 2)
    let wide = InputRow(Array("日本日本日本日本".unicodeScalars), position: 8, behind: 2, columns: 12)
    #expect(wide.text == "本日本" && wide.cursor == 8)
  }

  @Test("control characters, as a search in the history puts them into the line, are blanks")
  func control() {
    #expect(InputRow(Array("a\nbck:".unicodeScalars), position: 6, behind: 0, columns: 20).text == "a bck:")
  }

  @Test("widths of text", arguments: [("abc", 3), ("é", 1), ("日本", 4), ("👋", 2), ("⠿", 1), ("e\u{301}", 1), ("ｱ", 1)])
  func widths(text: String, columns: Int) {
    #expect(TextWidth.of(text) == columns)
  }

  @Test("a line in colour is cut by columns, not by bytes")
  func cut() {
    let line: Line = "\("日本", .name) x"
    #expect(line.beginning(columns: 3).text(color: true) == "\u{1b}[1m日\u{1b}[0m")
    #expect(line.beginning(columns: 6).text(color: false) == "日本 x")
  }
}

@Suite("The end of a terminal")
struct FooterTests {
  private static let clear = "\u{1b}[J"

  private func footer(columns: Int = 20, rows: Int = 24) -> Footer {
    Footer(prompt: "me› ", columns: columns, rows: rows, hasColor: false)
  }

  @Test("output goes above the line and the status, which are drawn again")
  func output() {
    var footer = footer()
    #expect(footer.printed("early\n") == "early\n", "nothing is drawn yet")
    _ = footer.edited(Array("ab".unicodeScalars), position: 1)
    _ = footer.changed(status: "2 peers")
    let drawn = "\u{1b}[?7l\rme› ab\u{1b}[K\n\r2 peers\u{1b}[K\u{1b}[A\u{1b}[?7h\r\u{1b}[5C"
    #expect(footer.drawn() == drawn)
    #expect(footer.printed("an event") == "\r\(Self.clear)an event\n\(drawn)")
    #expect(footer.changed(status: "2 peers").isEmpty, "the same status is not drawn twice")
    #expect(footer.changed(status: "3 peers") == drawn.replacing("2 peers", with: "3 peers"))
  }

  @Test("a terminal that became narrower has wrapped the row: it is erased from its first row on")
  func narrower() {
    var footer = footer(columns: 60)
    _ = footer.edited(Array(repeating: "x", count: 30), position: 30)
    _ = footer.drawn()
    #expect(footer.resized(columns: 16, rows: 24).hasPrefix("\u{1b}[2F\(Self.clear)"))
    #expect(footer.erased().hasPrefix("\r\(Self.clear)"))
    #expect(footer.erased().isEmpty && footer.resized(columns: 80, rows: 24).isEmpty, "nothing is drawn any more")
  }

  @Test("a low terminal has no status, and a narrow one cuts it off")
  func small() {
    var low = footer(rows: 3)
    _ = low.changed(status: "2 peers")
    #expect(!low.drawn().contains("peers"))
    var narrow = footer(columns: 5)
    _ = narrow.changed(status: "2 peers")
    #expect(narrow.drawn().contains("\r2 pe\u{1b}"))
  }

  @Test("the row of status has what is most important first")
  func status() {
    var status = StatusLine(name: "porch")
    #expect(status.line.text(color: false) == "porch │ 0 peers │ no host │ 0 anchors")
    (status.host, status.peers, status.anchors, status.digest) = ("kitchen", 1, 2_000, "0123456789")
    (status.isLocked, status.waiting, status.transfer) = (true, 3, "map ━━ 40 %")
    #expect(
      status.line.text(color: false)
        == "porch │ 1 peer │ host kitchen │ locked │ 3 commands waiting │ map ━━ 40 % │ 2,000 anchors │ digest 01234567"
    )
  }

  @Test("with a place of its own, progress is no line of the output")
  func progress() {
    let paper = Paper()
    var streams = paper.streams()
    (streams.outputIsTerminal, streams.inputIsTerminal) = (true, true)
    let error = streams.error
    streams.progress = { error(($0?.text(color: false) ?? "gone") + "\n") }
    let console = Console("tool", .text, streams: streams)
    console.say(Report("progress", [:], ["half"], display: .progress(isLast: false)))
    #expect(paper.take() == ("", "half\n"))
    console.say(Report("progress", [:], ["all"], display: .progress(isLast: true)))
    #expect(paper.take() == ("all\n", "gone\n"))
    console.echo("peers")
    #expect(paper.take().output == "› peers\n", "the line that was typed is in the output once it is carried out")
  }
}

@Suite("What a terminal sends")
struct KeyInputTests {
  /// The pieces of bytes that come in parts of `size`.
  private func pieces(_ bytes: [UInt8], by size: Int, pasting: Bool = false) -> [KeyInput.Piece] {
    var input = KeyInput()
    if pasting { input.beginPaste() }
    var pieces: [KeyInput.Piece] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      input.append(bytes[start..<min(start + size, bytes.count)])
      while let piece = input.next() { pieces.append(piece) }
    }
    return pieces
  }

  @Test("characters come whole, however their bytes arrive", arguments: [1, 2, 3, 100])
  func characters(size: Int) {
    let text = "aé日👋\u{1b}[A"
    #expect(pieces(Array(text.utf8), by: size) == text.unicodeScalars.map { .key($0) })
  }

  @Test("bytes that are not UTF-8 are replaced")
  func malformed() {
    #expect(
      pieces([0x80, 0x61, 0xE2, 0x61, 0xC0], by: 5) == "\u{fffd}a\u{fffd}a\u{fffd}".unicodeScalars.map { .key($0) })
  }

  @Test(
    "a paste is text up to its end mark, line by line; what it has of control characters does nothing",
    arguments: [1, 4, 100])
  func paste(size: Int) {
    let bytes = Array("a\tbé\r\u{1b}[31m\u{7}c\n\u{1b}[201~x\t".utf8)
    var text = ""
    for piece in pieces(bytes, by: size, pasting: true) {
      switch piece {
      case .key(let scalar): text += "<\(scalar == "\n" ? "LF" : scalar == "\t" ? "TAB" : String(scalar))>"
      case .pasted(let part): text += part
      }
    }
    #expect(text == "a bé<LF>[31mc<LF><x><TAB>")
  }
}

@Suite("The history of commands")
struct CommandHistoryTests {
  @Test("a command is kept unless it repeats the last one, begins with a blank, or may carry a passcode")
  func kept() {
    var history = CommandHistory(text: "peers\n\npeers\nanchors\n")
    #expect(history.lines == ["peers", "anchors"])
    let refused = [
      "", " peers", "anchors", "dial sharedworld://192.0.2.7:1/sharedworld#00.secret",
      String(repeating: "x", count: 4_097),
    ]
    for line in refused {
      let isKept = history.add(line)
      #expect(!isKept)
    }
    let areKept = (history.add("dial sharedworld://192.0.2.7:1/sharedworld#00"), history.add("peers"))
    #expect(areKept == (true, true))
    #expect(CommandHistory(text: history.text) == history)
  }

  @Test("the oldest go when there are too many")
  func bounded() {
    let history = CommandHistory(text: (0...CommandHistory.limit).map { "sleep \($0)\n" }.joined())
    #expect(history.lines.count == CommandHistory.limit && history.lines.first == "sleep 1")
  }
}

@Suite("Tab")
struct CompleterTests {
  private static let completer = Completer(usages: [
    "peers", "place NAME X Y Z [local|host|all]", "kick PEER",
    "send [--critical|--unreliable] [--group NAME] [PEER] TEXT",
    "move ANCHOR X Y Z", "wait peers N|host|map|anchors N|anchor NAME [SECONDS]", "group [join NAME|leave NAME]",
    "load FILE", "help [COMMAND]", "send-file FILE [PEER]",
  ])

  private func complete(_ line: String) -> String? {
    var words = Completer.Words()
    (words.peers, words.anchors, words.groups) = (["anna", "bo b", "it's"], ["lamp", "lamp 2", "Läuft"], ["red"])
    return Self.completer.complete(line, words) { _ in ["maps/", "my file.ply"] }.map {
      "\($0.replaced) \($0.text)|\($0.candidates.joined(separator: ","))"
    }
  }

  @Test(
    "the word at the cursor is completed by what can stand there",
    arguments: [
      ("pe", "2 peers |peers"), ("p", "1 p|peers,place"), ("kick a", "1 anna |anna"), ("kick ", "0 |anna,bo b,it's"),
      ("kick b", "1 'bo b' |bo b"), ("kick 'b", "2 'bo b' |bo b"), ("kick \"b", "2 \"bo b\" |bo b"),
      ("kick i", "1 \"it's\" |it's"), ("move l", "1 lamp|lamp,lamp 2"), ("move 'lamp ", "6 'lamp 2' |lamp 2"),
      ("move L", "1 Läuft |Läuft"), ("place a 1 2 3 h", "1 host |host"), ("wait a", "1 anchor|anchor,anchors"),
      ("group j", "1 join |join"), ("load m", "1 m|maps/,my file.ply"), ("load ma", "2 maps/|maps/"),
      ("help ki", "2 kick |kick"), ("send --c", "3 --critical |--critical"), ("send --group ", "0 red |red"),
      ("send --critical a", "1 anna |anna"), ("send-file x a", "1 anna |anna"), ("  kick\ta", "1 anna |anna"),
    ])
  func completed(line: String, expected: String) {
    #expect(complete(line) == expected)
  }

  @Test("nothing fits", arguments: ["xy", "kick z", "peers a", "place a 1 ", "# pe", "xyzzy a"])
  func nothing(line: String) {
    #expect(complete(line) == nil)
  }
}
