import SharedWorld
import Testing

@testable import PeerCLI

@Suite("The argument parser")
struct ArgumentParserTests {
  /// A command line with an option of each kind.
  struct Line: Equatable {
    enum Color: String, CaseIterable { case red, green }

    var name = ""
    var address: PeerAddress?
    var listen = PeerAddress(host: "::", port: 0)
    var connect: [PeerAddress] = []
    var color = Color.red
    var other: Color?
    var count: Int?
    var box: [Float]?
    var isFast = false
    var input = ""
    var output = ""
  }

  static var parser: ArgumentParser<Line> {
    ArgumentParser(
      [
        .required("--name", "NAME", \.name, help: "h"), .optional("--address", "HOST:PORT", \.address, help: "h"),
        .value("--listen", "HOST:PORT", \.listen, help: "h"), .list("--connect", "HOST:PORT", \.connect, help: "h"),
        .choice("--color", \.color, among: Line.Color.allCases, help: "h"),
        .choice("--other", \.other, among: [.green], help: "h"),
        .number("--count", "N", \.count, in: 1...7, help: "h"), .numbers("--box", "X,Y,Z", \.box, help: "h"),
        .flag("--fast", \.isFast, help: "h"), .json("h"),
      ], operands: [.word("INPUT", \.input), .word("OUTPUT", \.output)])
  }

  private func parse(_ line: String) throws -> Line? {
    try Self.parser.parse(line.split(separator: " ").map(String.init), over: Line())
  }

  @Test("options of every kind come in any order among the operands")
  func everything() throws {
    let line = try parse(
      "--fast in --name=kitchen --address lab:1 --listen [fe80::1%eth0]:2 --connect a:1 --connect b:2 -1.5 "
        + "--color green --other green --count 7 --box -1,0,2.5 --json")
    var expected = Line(name: "kitchen", color: .green, other: .green, count: 7, box: [-1, 0, 2.5], isFast: true)
    expected.address = PeerAddress(host: "lab", port: 1)
    expected.listen = PeerAddress(host: "fe80::1%eth0", port: 2)
    expected.connect = [PeerAddress(host: "a", port: 1), PeerAddress(host: "b", port: 2)]
    // A negative number is a word like any other.
    (expected.input, expected.output) = ("in", "-1.5")
    #expect(line == expected)
  }

  @Test("an attached value may begin with dashes, and after two dashes everything is an operand")
  func dashes() throws {
    #expect(try parse("--name=--x= a b")?.name == "--x=")
    let line = try #require(try parse("--name n -- - --help"))
    #expect((line.input, line.output) == ("-", "--help"))
  }

  @Test("help is asked for in any place", arguments: ["--help", "-h", "--bogus x --help", "--name n a b c d -h"])
  func help(line: String) throws {
    #expect(try parse(line) == nil)
  }

  @Test(
    "a mistake is named, with what to do",
    arguments: [
      ("a b", "missing option '--name NAME'"), ("--name", "option '--name' needs a value: --name NAME"),
      ("--name --fast", "option '--name' needs a value: --name NAME"),
      ("--name a --name b", "option '--name' is given twice; give it once"),
      ("--nmae a", "unknown option '--nmae'; did you mean '--name'?"),
      ("--frobnicate", "unknown option '--frobnicate'"),
      ("-x", "unknown option '-x'"), ("--fast=yes", "option '--fast' takes no value; leave out what follows the '='"),
      ("--color blue", "--color: 'blue' is not one of red, green"),
      ("--color gren", "--color: 'gren' is not one of red, green; did you mean 'green'?"),
      ("--other red", "--other: 'red' is not one of green"),
      ("--count 8", "--count: '8' is not a number from 1 to 7"),
      ("--count x", "--count: 'x' is not a number from 1 to 7"),
      ("--box 1,2", "--box: '1,2' is not 3 numbers with commas between them: X,Y,Z"),
      (
        "--listen fe80::1:80",
        "--listen: 'fe80::1:80' is not an address and a port; write HOST:PORT, or [ADDRESS]:PORT for IPv6"
      ),
      ("--name n", "missing argument INPUT"), ("--name n a", "missing argument OUTPUT"),
      ("--name n a b c", "unexpected argument 'c'"),
      ("--name n a b fast", "unexpected argument 'fast'; did you mean '--fast'?"),
      ("a b kitchen", "unexpected argument 'kitchen'; did you mean '--name kitchen'?"),
    ])
  func mistakes(line: String, message: String) {
    #expect(throws: UsageError(message)) { try parse(line) }
  }

  @Test(
    "lists have their count of finite numbers", arguments: ["1", "1,2,3,4", "1,x,3", "1,2,", "1,nan,3", "", "1 2 3"])
  func lists(word: String) {
    #expect(throws: UsageError.self) { try Self.parser.parse(["--name=n", "--box=\(word)", "a", "b"], over: Line()) }
  }

  @Test(
    "a hint resembles what was typed",
    arguments: [
      ("piers", "peers"), ("ivnite", "invite"), ("INVITE", "invite"), ("--peers", "peers"), ("decl", "decline"),
      ("invi", "invite"), ("qu", "quit"), ("q", nil), ("x", nil), ("hello", nil), ("", nil), ("tip", "tap"),
      ("pip", nil),
    ])
  func hints(word: String, meant: String?) {
    let known = ["peers", "invite", "decline", "tap", "quit", "redo"]
    #expect(suggestion(for: word, among: known) == (meant.map { "; did you mean '\($0)'?" } ?? ""))
  }
}

@Suite("Pages of help")
struct HelpPageTests {
  @Test("a page fits a terminal of 80 columns, and its columns are aligned")
  func layout() {
    let long = Array(repeating: "word", count: 40).joined(separator: " ")
    var page = HelpPage("tool", long, usage: "FILE")
    page.add("OPTIONS", long, [("--a", "b"), ("--much-longer-than-a-form NAME", long), ("--name NAME", long)])
    let lines = page.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= 80 } && lines.first == "usage: tool FILE")
    #expect(lines.contains("  --a          b"))
    #expect(lines.contains("  --much-longer-than-a-form NAME"))
    #expect(lines.count { $0.hasPrefix("               word") } == 7)
    #expect(lines.contains { $0.hasPrefix("  --name NAME  word word") })
  }

  @Test("an exit status means the same in every program")
  func statuses() {
    var page = HelpPage("tool", "x", usage: "")
    page.addExitCodes(negative: "no", hasSession: true)
    for status: ExitCode in [.done, .negative, .usage, .damaged, .io, .session, .signaled(2)] {
      #expect(page.text.contains("\n  \(status.number) "))
    }
    #expect(ExitCode.signaled(15).number == 143 && page.text.contains("143"))
  }
}
