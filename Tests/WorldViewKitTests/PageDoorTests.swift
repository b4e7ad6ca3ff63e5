import Basics
import Testing
import WorldViewKit

@Suite("Page door")
struct PageDoorTests {
  @Test(
    "an address for all networks is printed as one that a browser opens",
    arguments: [
      ("0.0.0.0", ["192.0.2.7"], "192.0.2.7"), ("::", ["2001:db8::7", "192.0.2.7"], "192.0.2.7"),
      ("::", ["fe80::1%2", "2001:db8::7"], "2001:db8::7"), ("::", ["fe80::1%2"], "::1"), ("::", [], "::1"),
      ("0.0.0.0", ["2001:db8::7"], "127.0.0.1"),
    ])
  func reachable(host: String, own: [String], printed: String) {
    #expect(PageDoor.reachable(host, among: own.compactMap { SocketAddress.Host($0) }) == printed)
  }
}
