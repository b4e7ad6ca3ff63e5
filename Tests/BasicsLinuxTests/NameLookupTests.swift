import Basics
import BasicsLinux
import Testing

@Suite struct NameLookupTests {
  @Test func `a name has each of its addresses once, with the port`() async throws {
    let addresses = try await NameLookup.addresses(of: "localhost", port: 4000)
    #expect(!addresses.isEmpty)
    #expect(addresses.allSatisfy { $0.host.isLoopback && $0.port == 4000 })
    #expect(Set(addresses).count == addresses.count)
  }

  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1:7"), ("2001:db8::1", "[2001:db8::1]:7"), ("fe80::1%3", "[fe80::1%3]:7"),
    ("fe80::1%lo", "[fe80::1%1]:7"), ("2001:db8::1%lo", "[2001:db8::1]:7"), ("::ffff:192.0.2.1", "192.0.2.1:7"),
  ])
  func `an address is its own answer; its scope may be the name of an interface`(
    host: String, address: String
  ) async throws {
    #expect(try await NameLookup.addresses(of: host, port: 7).map(\.description) == [address])
  }

  @Test(arguments: [
    "", "ho st", "hö", "host\0", "::1\0", "::g", "1::2::3", "fe80::1%no-such-if", "fe80::1%0", "fe80::1%",
    "fe80::1%lo\0",
    "host%lo", "[::1]", "host:80", String(repeating: "a", count: 254),
  ])
  func `a text that cannot name a host is refused without asking anybody`(host: String) async {
    let failure = await #expect(throws: NameLookupFailure.self) {
      try await NameLookup.addresses(of: host, port: 7)
    }
    guard case .invalid(host, _) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test func `the failure says which name is unknown`() async {
    // A label of 64 characters cannot exist, so that no name server is asked.
    let host = String(repeating: "a", count: 64) + ".invalid"
    let failure = await #expect(throws: NameLookupFailure.self) {
      try await NameLookup.addresses(of: host, port: 4000)
    }
    guard case .unknown(host, _) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(failure?.description.contains("'\(host)' cannot be resolved") == true)
  }
}
