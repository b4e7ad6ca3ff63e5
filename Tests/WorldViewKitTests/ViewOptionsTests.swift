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
    #expect(options.peer.accept == .ask && options.peer.invite == .ask)
    #expect(options.http == PeerAddress(host: "127.0.0.1", port: 0) && options.peer.service == "sharedworld")
    #expect(throws: UsageError("missing option '--name NAME'")) { try parse() }
  }

  @Test("nobody is accepted or invited unasked, unless the command line says so")
  func policies() throws {
    #expect(try parse("--name", "vera", "--accept", "none", "--invite", "none")?.peer.accept == InvitationPolicy.none)
    #expect(try parse("--name=v", "--accept", "all")?.peer.accept == .automatic)
    let desks = (InvitationDesk(), CodeDesk())
    for (words, invitesAll) in [([], false), (["--invite", "all"], true)] {
      let line = ["--name", "v"] + words
      let options = try #require(try ViewOptions.parser.parse(line, over: ViewOptions()))
      let configuration = try options.peer.configuration(asking: desks.0, comparing: desks.1)
      let isAll = if case .all = configuration.invitations.outgoing { true } else { false }
      let asks = if case .ask = configuration.invitations.incoming { true } else { false }
      #expect(isAll == invitesAll && asks)
    }
  }

  @Test("the help names every option and exit status")
  func help() {
    for option in ViewOptions.parser.options { #expect(ViewOptions.help.text.contains("\n  \(option.name) ")) }
    #expect(ViewOptions.help.text.contains("EXIT STATUS"))
  }
}
