import SharedWorld
import Testing

@Suite("Browser and advertiser", .timeLimit(.minutes(5)))
struct BrowserTests {
  @Test("a browser finds an advertised service by its id, with the shown name made safe, and loses it when it stops")
  func findsAndLoses() async throws {
    let service = "swb-\(UInt32.random(in: 0..<100_000))"
    let advertiser = try Advertiser(service: service, port: 4711, name: "kit\u{202e}chen\n", discovery: .embedded)
    var names: [String?] = []
    for await event in try Browser(service: service, discovery: .embedded) {
      switch event {
      case .found(let candidate) where candidate.id == advertiser.id:
        names.append(candidate.name)
        advertiser.stop()
      case .lost(let candidate) where candidate.id == advertiser.id:
        #expect(names.first == "kit\u{fffd}chen\u{fffd}")
        return
      default: continue
      }
    }
    Issue.record("the browser ended before the service did")
  }

  @Test("a service type that DNS-SD does not allow is refused")
  func refusesServiceTypes() {
    for type in ["", "-a", "a--b", "has space", "far-too-long-for-a-type", "123"] {
      #expect(throws: SessionError.self) { try Browser(service: type) }
      #expect(throws: SessionError.self) { try Advertiser(service: type, port: 1) }
    }
  }
}
