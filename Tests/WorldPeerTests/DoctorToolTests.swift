import PeerCLI
import TestSupport
import Testing

@testable import worldpeer

@Suite("worldpeer doctor", .endsHangs)
struct DoctorToolTests {
  private static func run(_ words: [String]) async -> (status: ExitCode, output: String, error: String) {
    let text = CapturedText()
    let status = await DoctorTool.run(words, streams: text.streams)
    return (status, text.output, text.error)
  }

  @Test("says what it looked at; the exit status and canFindPeers agree")
  func answers() async {
    let (status, output, error) = await Self.run(["--json"])
    #expect(error.isEmpty)
    #expect(output.hasPrefix("{\"canFindPeers\":\(status == .done),\"findings\":[{\"subject\":\"interfaces\","))
    #expect(status == .done || status == .negative)
  }

  @Test("a service type that cannot be is a wrong command line")
  func service() async {
    let (status, output, error) = await Self.run(["--service", "a_b"])
    #expect(output.isEmpty && error.contains("a_b"))
    #expect(status != .done && status != .negative)
  }
}
