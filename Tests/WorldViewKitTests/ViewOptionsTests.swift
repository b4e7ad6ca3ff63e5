import PeerCLI
import SharedWorld
import Testing
import WorldViewKit

@Suite("Command line of worldview")
struct ViewOptionsTests {
  private func parse(_ arguments: String...) throws -> ViewOptions? {
    try ViewOptions.parser.parse(arguments, over: ViewOptions())
  }

  @Test("everything has a default but for the name")
  func defaults() throws {
    let options = try #require(try parse("--name", "vera"))
    #expect(options.peer.accept == .ask && options.peer.invite == .automatic)
    #expect(options.http == PeerAddress(host: "127.0.0.1", port: 0) && options.peer.service == "sharedworld")
    #expect(throws: UsageError("missing option '--name NAME'")) { try parse() }
  }

  @Test("the page asks about invitations, and nobody can name a peer to invite")
  func policies() throws {
    #expect(try parse("--name", "vera", "--accept", "none", "--invite", "none")?.peer.accept == InvitationPolicy.none)
    #expect(try parse("--name=v", "--accept", "all")?.peer.accept == .automatic)
    #expect(throws: UsageError("--invite: 'ask' is not one of all, none")) { try parse("--name=v", "--invite", "ask") }
  }

  @Test("the help names every option and exit status")
  func help() {
    for option in ViewOptions.parser.options { #expect(ViewOptions.help.text.contains("\n  \(option.name) ")) }
    #expect(ViewOptions.help.text.contains("EXIT STATUS"))
  }
}
