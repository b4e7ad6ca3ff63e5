import SharedWorld
import Testing
import WorldPeerKit
import WorldViewKit

@Suite("Command line of worldview")
struct ViewOptionsTests {
  @Test("everything has a default but for the name")
  func defaults() throws {
    let options = try #require(try ViewOptions(arguments: ["--name", "vera"]))
    #expect(options.accept == .all)
    #expect(options.invite == .all)
    #expect(options.http == nil)
    #expect(options.configuration.service == "sharedworld")
    #expect(throws: UsageError.self) { try ViewOptions(arguments: []) }
    #expect(try ViewOptions(arguments: ["--help"]) == nil)
  }

  @Test("both policies are read", arguments: ViewOptions.Policy.allCases)
  func policy(policy: ViewOptions.Policy) throws {
    let options = try #require(try ViewOptions(arguments: ["--name", "vera", "--accept", policy.rawValue]))
    #expect(options.accept == policy)
  }

  @Test("the help names every option")
  func help() {
    for option in ["--name", "--service", "--map", "--connect", "--discovery", "--http", "--identity", "--listen"] {
      #expect(ViewOptions.help.contains(option + " "))
    }
  }
}
