import SharedWorld
import Testing

@testable import PeerCLI

@Suite("The console")
struct ConsoleTests {
  private static let joined = Report("joined", ["name": "bob"], ["\("→", .good) \("bob", .name) joined"])

  @Test("a report is a line, an event with its time, or an object alone")
  func formats() {
    let paper = Paper()
    for (format, start) in [
      (Console.Format.text, "→ bob joined\n"), (.events, #"{"event":"joined","t":"#), (.answer, #"{"name":"bob"}"#),
    ] {
      Console("tool", format, streams: paper.streams()).say(Self.joined)
      let text = paper.take().output
      #expect(text.hasPrefix(start) && text.hasSuffix("\n"))
    }
  }

  @Test("colour is for a terminal only")
  func color() {
    let paper = Paper()
    var streams = paper.streams()
    streams.hasColor = true
    Console("tool", .text, streams: streams).say(Self.joined)
    #expect(paper.take().output == "\u{1b}[32m→\u{1b}[0m \u{1b}[1mbob\u{1b}[0m joined\n")
  }

  @Test("a report without lines writes none")
  func silent() {
    let paper = Paper()
    Console("tool", .text, streams: paper.streams()).say(Report("status"))
    #expect(paper.take().output.isEmpty)
  }

  @Test("a confirmation is for the person who typed, and for scripts")
  func confirmations() {
    let paper = Paper()
    let ok = Report("answer", [:], ["ok"], display: .confirmation)
    Console("tool", .text, streams: paper.streams()).say(ok)
    #expect(paper.take().output.isEmpty)
    var typed = paper.streams()
    typed.inputIsTerminal = true
    let console = Console("tool", .text, streams: typed)
    console.echo("peers")
    console.say(ok)
    #expect(paper.take().output == "ok\n")
    Console("tool", .text, isScripted: true, streams: typed).echo("peers")
    #expect(paper.take().output == "› peers\n")
    Console("tool", .events, streams: paper.streams()).say(ok)
    #expect(paper.take().output.hasPrefix(#"{"event":"answer""#))
  }

  @Test("a log goes to standard error, to a user who types above the line, and to scripts as an event")
  func log() {
    let paper = Paper()
    Console("tool", .text, streams: paper.streams()).log(Self.joined)
    #expect(paper.take() == ("", "→ bob joined\n"))
    var typed = paper.streams()
    typed.inputIsTerminal = true
    Console("tool", .text, streams: typed).log(Self.joined)
    #expect(paper.take() == ("→ bob joined\n", ""))
    Console("tool", .events, streams: typed).log(Self.joined)
    #expect(paper.take().output.hasPrefix(#"{"event":"joined""#))
  }

  @Test("of progress a reader gets some and the last; on a terminal the next line takes the bar away")
  func progress() {
    let paper = Paper()
    func step(_ number: Int) -> Report {
      Report("progress", [:], ["\(number)"], display: .progress(isLast: number == 3))
    }
    let log = Console("tool", .text, streams: paper.streams())
    for number in 1...3 { log.say(step(number)) }
    #expect(paper.take().output == "1\n3\n")
    var streams = paper.streams()
    streams.outputIsTerminal = true
    let terminal = Console("tool", .text, streams: streams)
    terminal.say(step(1))
    terminal.say(step(3))
    #expect(paper.take().output == "1\r\u{1b}[K3\n")
  }

  @Test("a failure that ends a program is told on standard error, to scripts as an object too, and gives the status")
  func ends() {
    let paper = Paper()
    let failure = ProgramFailure.damaged("a.ply: \u{1b}[2Jno points")
    #expect(Console("tool", .text, streams: paper.streams()).end(failure) == .damaged)
    #expect(paper.take() == ("", "tool: a.ply: \u{fffd}[2Jno points\n"))
    #expect(Console("tool", command: "info", .answer, streams: paper.streams()).end(UsageError("what?")) == .usage)
    let (output, error) = paper.take()
    #expect(output == #"{"error":"what?","code":"bad-command","exitCode":2}"# + "\n")
    #expect(error == "tool: what?\nTry: tool info --help\n")
    let console = Console("tool", .events, streams: paper.streams())
    #expect(console.end(SessionError(.addressInUse, "taken")) == .io)
    #expect(paper.take().output.hasSuffix(#""code":"address-in-use","message":"taken","command":null}"# + "\n"))
    #expect(console.end(SessionError(.ended, "over")) == .session)
    #expect(console.end(SessionError(.corruptIdentity, "bad")) == .damaged)
  }

  @Test("a full output is told at the end")
  func full() {
    let paper = Paper()
    let console = Console("tool", .text, streams: paper.streams(isFull: true))
    #expect(console.checked(.done) == .done)
    console.say(Self.joined)
    #expect(console.checked(.done) == .io && paper.take().error == "tool: cannot write to standard output\n")
  }

  @Test("the command line ends a program that was asked for help or misunderstood")
  func read() throws {
    let paper = Paper()
    let parser = ArgumentParser<Int>([])
    let console = Console("tool", .text, streams: paper.streams())
    let help = HelpPage("tool", "x", usage: "")
    #expect(try parser.read([], over: 7, help: help, on: console) == 7)
    #expect(throws: Finished(status: .done)) { try parser.read(["--help"], over: 7, help: help, on: console) }
    #expect(paper.take() == (help.text, ""))
    #expect(throws: Finished(status: .done)) { try parser.read(["--version"], over: 7, help: help, on: console) }
    #expect(paper.take() == ("tool \(Session.version)\n", ""))
    #expect(throws: Finished(status: .usage)) {
      try parser.read(["--", "--version"], over: 7, help: help, on: console)
    }
    #expect(paper.take().error.hasPrefix("tool: unexpected argument '--version'"))
    #expect(throws: Finished(status: .usage)) { try parser.read(["x"], over: 7, help: help, on: console) }
    #expect(paper.take() == ("", "tool: unexpected argument 'x'\nTry: tool --help\n"))
  }
}

/// The bar of work that takes long.
@Suite("Progress")
struct ProgressTests {
  @Test("the bar goes on while one step takes long")
  func bar() {
    let paper = Paper()
    let line = ProgressLine(write: paper.streams().error)
    line.show("reading a", 0.3)
    #expect(line.draw(after: .milliseconds(399)) && paper.take().error.isEmpty)
    #expect(line.draw(after: .milliseconds(400)))
    let first = paper.take().error
    #expect(first.contains("reading a  ━━━━━━━━─") && first.hasSuffix(" 30 %, 0 s"))
    #expect(line.draw(after: .seconds(2)) && paper.take().error.hasSuffix(" 30 %, 2 s"))
    line.show("writing b", 7)
    #expect(line.draw(after: .seconds(3)) && paper.take().error.hasSuffix(" 100 %, 3 s"))
    line.finish()
    #expect(paper.take().error == "\r\u{1b}[2K")
    #expect(!line.draw(after: .seconds(4)) && paper.take().error.isEmpty)
  }

  @Test("short work shows no bar")
  func short() {
    let paper = Paper()
    let line = ProgressLine(write: paper.streams().error)
    line.show("reading a", 0)
    line.finish()
    #expect(!line.draw(after: .seconds(1)) && paper.take().error.isEmpty)
  }

  @Test("each thing that moves is shown once a second, and no number of things is remembered without end")
  func movements() {
    var movements = Movements()
    #expect(movements.admits("lamp", at: 0) && movements.admits("door", at: 0.5))
    #expect(!movements.admits("lamp", at: 0.9) && movements.admits("lamp", at: 1))
    #expect(!movements.admits("door", at: 1.4) && movements.admits("door", at: 1.5))
    for number in 0..<300 { _ = movements.admits("\(number)", at: 2) }
    #expect(!movements.admits("300", at: 2) && movements.admits("300", at: 3))
  }

  @Test("a throttle admits the first, then one an interval, and what matters")
  func throttle() {
    var throttle = Throttle(interval: 1)
    var admitted: [Bool] = []
    for time in [0, 0.5, 0.9, 1, 1.5] { admitted.append(throttle.admits(at: time)) }
    admitted.append(throttle.admits(at: 1.6, always: true))
    #expect(admitted == [true, false, false, true, false, true])
  }
}
