import Testing

@testable import worldmap

@Suite struct ArgumentsTests {
  private let options = [Option("--size", "WxH", ""), Option("--list", "N,N", ""), Option("--json", nil, "")]

  @Test func `options and operands in any order`() throws {
    let arguments = try Arguments(
      ["a", "--size", "3x4", "--json", "-", "-1.5", "--list=1,2", "--", "--json"], options: options)
    #expect(arguments.operands == ["a", "-", "-1.5", "--json"])
    #expect(arguments["--size"] == "3x4" && arguments.has("--json"))
    #expect(try arguments.list("--list", count: 2) == [1, 2])
    #expect(try arguments.list("--none", count: 2) == nil)
  }

  @Test(arguments: [
    (["--sizes", "1"], "there is no option --sizes; did you mean --size?"), (["--zzz"], "there is no option --zzz"),
    (["--size"], "--size WxH: the value is missing"), (["--json=1"], "--json takes no value"),
    (["--json", "--json"], "--json is given twice"),
  ])
  func `mistakes are named`(words: [String], message: String) {
    let failure = #expect(throws: Failure.self) { try Arguments(words, options: options) }
    #expect(failure?.message == message && failure?.code == .usage)
  }

  @Test(arguments: ["1", "1,2,3", "1,x", "1,", "1,nan", ""])
  func `lists have their count of finite numbers`(text: String) throws {
    let arguments = try Arguments(["--list", text], options: options)
    #expect(throws: Failure.self) { try arguments.list("--list", count: 2) }
  }

  @Test func `numbers have a range`() throws {
    let arguments = try Arguments(["--size", "7"], options: options)
    #expect(try arguments.number("--size", in: 0...7) == 7)
    #expect(throws: Failure.self) { try arguments.number("--size", in: 0...6) }
    #expect(throws: Failure.self) { try Arguments(["--size", "x"], options: options).number("--size", in: 0...6) }
  }

  @Test func `text for people and scripts`() {
    #expect([0, 999, 1_000, 1_234_567].map(Text.count) == ["0", "999", "1,000", "1,234,567"])
    #expect([0, 1.00075, -0.0001, -2.5].map { Text.decimal($0) } == ["0.000", "1.001", "0.000", "-2.500"])
    #expect([12, 20_000, 12_300_000].map(Text.bytes) == ["12 bytes", "20.0 kB", "12.3 MB"])
  }
}
