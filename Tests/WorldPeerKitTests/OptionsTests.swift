import SharedWorld
import Testing

@testable import WorldPeerKit

@Suite("The command line")
struct OptionsTests {
  @Test("every option of the contract is read")
  func everything() throws {
    let line = """
      --name kitchen --service demo --map room.worldmap --accept all --invite none --discovery embedded \
      --listen 127.0.0.1:4711 --connect lab:1 --connect [fe80::1%eth0]:2 --identity /tmp/id --journal j \
      --state k --json --script s
      """
    let options = try #require(try Options(arguments: line.split(separator: " ").map(String.init)))
    var expected = Options()
    expected.name = "kitchen"
    expected.service = "demo"
    expected.map = "room.worldmap"
    expected.accept = .all
    expected.invite = Options.Policy.none
    expected.discovery = .embedded
    expected.listen = try Endpoint(argument: "127.0.0.1:4711")
    expected.connect = [try Endpoint(argument: "lab:1"), try Endpoint(argument: "[fe80::1%eth0]:2")]
    expected.identity = "/tmp/id"
    expected.journal = "j"
    expected.state = "k"
    expected.json = true
    expected.script = "s"
    #expect(options == expected)
  }

  @Test("a value can be attached, and may then begin with dashes")
  func attached() throws {
    #expect(try Options(arguments: ["--name=--x="])?.name == "--x=")
  }

  @Test(
    "a mistake is named",
    arguments: [
      ([], "--name NAME is missing"),
      (["--name"], "--name needs a value: --name NAME"),
      (["--name", "--json"], "--name needs a value: --name NAME"),
      (["--name", "a", "--name", "b"], "--name is given twice"),
      (["--nmae", "a"], "there is no option --nmae; --name is meant?"),
      (["--frobnicate"], "there is no option --frobnicate"),
      (["kitchen"], "'kitchen' is not an option"),
      (["--json=yes"], "--json takes no value"),
      (["--accept", "maybe"], "--accept: 'maybe' is not one of all, ask, none"),
      (["--connect", "host"], "--connect: 'host' is not of the form HOST:PORT, or [ADDRESS]:PORT for IPv6"),
      (
        ["--connect", "host:70000"], "--connect: 'host:70000' is not of the form HOST:PORT, or [ADDRESS]:PORT for IPv6"
      ),
      (["--listen", "fe80::1:80"], "--listen: 'fe80::1:80' is not of the form HOST:PORT, or [ADDRESS]:PORT for IPv6"),
    ] as [([String], String)])
  func mistakes(arguments: [String], message: String) {
    #expect(throws: UsageError(message)) { try Options(arguments: arguments) }
  }

  @Test("help is asked for in any place, and names every option and command")
  func help() throws {
    #expect(try Options(arguments: ["--name", "a", "--help"]) == nil)
    for option in Options.parser.options { #expect(Options.help.contains("  \(option.name)")) }
    for verb in Command.verbs { #expect(Options.help.contains("  \(verb.usage)")) }
  }
}
