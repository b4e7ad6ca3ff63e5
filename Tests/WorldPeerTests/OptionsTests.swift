import PeerCLI
import SharedWorld
import Testing

@testable import worldpeer

@Suite("The command line of worldpeer")
struct OptionsTests {
  private func parse(_ line: String) throws -> Options? {
    try Options.parser.parse(line.split(separator: " ").map(String.init), over: Options())
  }

  @Test("every option of the contract is read")
  func everything() throws {
    let options = try parse(
      """
      --name kitchen --service demo --map room.worldmap --accept all --invite none --discovery embedded \
      --listen 127.0.0.1:4711 --connect lab:1 --connect [fe80::1%eth0]:2 --identity /tmp/id --storage d --trust pinned --passcode-file p --passcode ask \
      --journal j \
      --state k --frame 1,0,-2.5,90 --json --script s --log info
      """)
    var expected = Options()
    expected.peer.name = "kitchen"
    expected.peer.service = "demo"
    expected.peer.map = "room.worldmap"
    expected.peer.accept = .automatic
    expected.peer.invite = .none
    expected.peer.discovery = .embedded
    expected.peer.listen = PeerAddress(host: "127.0.0.1", port: 4711)
    expected.peer.connect = [
      .address(PeerAddress(host: "lab", port: 1)), .address(PeerAddress(host: "fe80::1%eth0", port: 2)),
    ]
    expected.peer.identity = "/tmp/id"
    expected.peer.storage = "d"
    expected.peer.trust = .pinned
    expected.peer.passcodeFile = "p"
    expected.peer.passcode = .ask
    expected.peer.log = .info
    expected.journal = "j"
    expected.state = "k"
    expected.frame = [1, 0, -2.5, 90]
    expected.script = "s"
    #expect(options == expected)
  }

  @Test("a peer asks its user unless told otherwise")
  func defaults() throws {
    let peer = try #require(try parse("--name a")).peer
    #expect(peer.accept == .ask && peer.invite == .ask && peer.discovery == .automatic && peer.listen == nil)
  }

  @Test("the help names every option, command and exit status")
  func help() {
    let text = Options.help.text
    for option in Options.parser.options { #expect(text.contains("\n  \(option.name)")) }
    for verb in Command.verbs { #expect(text.contains("\n  \(verb.usage)")) }
    #expect(text.contains("EXIT STATUS") && text.contains("\n  5 "))
  }
}
