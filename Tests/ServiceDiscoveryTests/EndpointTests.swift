import Testing

@testable import ServiceDiscovery

@Suite struct EndpointTests {
  @Test(arguments: [
    "192.0.2.1:4000", "[2001:db8::1]:65535", "[fe80::1%2]:4000", "[::1]:1", "[::ffff:192.0.2.1]:80",
  ])
  func printsWhatItReads(text: String) throws {
    let endpoint = try ResolvedEndpoint(parsing: text)
    #expect(endpoint.description == text)
    #expect(try ResolvedEndpoint(parsing: endpoint.description) == endpoint)
  }

  @Test func keepsTheScopeOfLinkLocalAddressesOnly() throws {
    #expect(try ResolvedEndpoint(parsing: "[fe80::1%7]:1").scopeID == 7)
    #expect(try ResolvedEndpoint(parsing: "[2001:db8::1%7]:1").description == "[2001:db8::1]:1")
    #expect(ResolvedEndpoint(address: [10, 0, 0, 1], port: 1, scopeID: 7)?.scopeID == 0)
  }

  @Test func takesInterfaceNamesAsScope() throws {
    #expect(try ResolvedEndpoint(parsing: "[fe80::1%lo]:1").scopeID == 1)
    #expect(throws: DiscoveryError.self) { try ResolvedEndpoint(parsing: "[fe80::1%no-such-if]:1") }
    #expect(throws: DiscoveryError.self) { try ResolvedEndpoint(parsing: "[fe80::1%0]:1") }
  }

  @Test func knowsItsReach() throws {
    #expect(try ResolvedEndpoint(parsing: "127.0.0.2:1").isLoopback)
    #expect(try ResolvedEndpoint(parsing: "[::1]:1").isLoopback)
    #expect(try ResolvedEndpoint(parsing: "169.254.1.1:1").isLinkLocal)
    #expect(try ResolvedEndpoint(parsing: "[febf::1%1]:1").isLinkLocal)
    let routable = try ResolvedEndpoint(parsing: "[fec0::1]:1")
    #expect(!routable.isLinkLocal && !routable.isLoopback)
  }

  @Test func hasFourOrSixteenBytes() {
    for count in 0...17 {
      let endpoint = ResolvedEndpoint(address: [UInt8](repeating: 1, count: count), port: 1)
      #expect((endpoint != nil) == (count == 4 || count == 16))
    }
  }

  @Test func tellsNamesFromAddresses() throws {
    #expect(try StaticAddress(parsing: "kitchen.example:4000") == .named(host: "kitchen.example", port: 4000))
    #expect(try StaticAddress(parsing: "1.2.3.4:5") == .numeric(try ResolvedEndpoint(parsing: "1.2.3.4:5")))
    #expect(throws: DiscoveryError.self) { try ResolvedEndpoint(parsing: "kitchen:4000") }
  }

  @Test(arguments: [
    "", ":", ":4000", "host", "host:", "host:0", "host:65536", "host:-1", "host:+1", "host:4 ", "host:４", "::1:4000",
    "[::1]", "[::1]4000", "[]:1", "[host]:1", "[1.2.3.4]:1", "[::1:4000", "::1]:4000", "ho st:1", "hö:1", "host\0:1",
    "[::1\0]:1", String(repeating: "a", count: 254) + ":1",
  ])
  func refusesWhatIsNoAddress(text: String) {
    #expect(throws: DiscoveryError.self) { try StaticAddress(parsing: text) }
  }

  @Test func looksNamesUp() async throws {
    let endpoints = try await StaticAddress(parsing: "localhost:4000").endpoints()
    #expect(!endpoints.isEmpty)
    #expect(endpoints.allSatisfy { $0.isLoopback && $0.port == 4000 })
    #expect(Set(endpoints).count == endpoints.count)
    let numeric = try StaticAddress(parsing: "192.0.2.1:4000")
    #expect(try await numeric.endpoints().map(\.description) == ["192.0.2.1:4000"])
  }

  @Test func saysWhichNameIsUnknown() async throws {
    // A label of 64 characters cannot exist, so that no name server is asked.
    let host = String(repeating: "a", count: 64) + ".invalid"
    let address = try StaticAddress(parsing: "\(host):4000")
    let error = await #expect(throws: DiscoveryError.self) { try await address.endpoints() }
    guard case .unknownHost(host, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
