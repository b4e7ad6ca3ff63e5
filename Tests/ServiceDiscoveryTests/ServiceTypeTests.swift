import Testing

@testable import ServiceDiscovery

@Suite struct ServiceTypeTests {
  @Test(arguments: ["sharedworld", "a", "x-y-z", "0a", "a0", "abcdefghijklmno"])
  func acceptsWhatRFC6335Allows(name: String) throws {
    let type = try ServiceType(name)
    #expect(type.name == name)
    #expect(type.dnsName == "_\(name)._tcp")
  }

  @Test(arguments: [
    "", "abcdefghijklmnop", "Shared", "a_b", "a.b", "ä", "123", "-", "1-2", "-a", "a-", "a--b", "a b", "a\0",
  ])
  func refusesEverythingElse(name: String) {
    #expect(throws: DiscoveryError.self) { try ServiceType(name) }
  }

  @Test func saysWhichRuleIsBroken() {
    let error = #expect(throws: DiscoveryError.self) { try ServiceType("1234") }
    #expect(error == .invalidServiceType("1234", reason: "it needs at least one letter"))
  }
}

@Suite struct ServiceInstanceTests {
  @Test func takesNamesUpToTheLengthOfALabel() throws {
    let longest = String(repeating: "ä", count: 31) + "x"
    #expect(longest.utf8.count == 63)
    #expect(try instance(longest).name == longest)
    #expect(throws: DiscoveryError.self) { try instance(longest + "x") }
    #expect(throws: DiscoveryError.self) { try instance("") }
    #expect(throws: DiscoveryError.self) { try instance("two\nlines") }
    #expect(throws: DiscoveryError.self) { try instance("\u{7F}") }
  }

  @Test func comparesNamesByteByByte() throws {
    let composed = try instance("caf\u{E9}")
    let decomposed = try instance("cafe\u{301}")
    #expect(composed.name == decomposed.name)
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
  }

  @Test func dropsTheTrailingDotOfTheDomain() throws {
    #expect(try ServiceInstance(name: "a", type: .test, domain: "local.") == instance("a"))
  }

  @Test(arguments: [
    ("lamp", "lamp #2"), ("lamp #2", "lamp #3"), ("lamp #99", "lamp #100"), ("lamp #1", "lamp #1 #2"),
    ("lamp #x", "lamp #x #2"), ("a #2 #7", "a #2 #8"), (" #2", " #3"),
  ])
  func countsUpWhenANameIsTaken(name: String, expected: String) throws {
    #expect(try instance(name).alternative.name == expected)
  }

  @Test func shortensALongNameByWholeCharacters() throws {
    let alternative = try instance(String(repeating: "ä", count: 31)).alternative
    #expect(alternative.name == String(repeating: "ä", count: 30) + " #2")
    #expect(alternative.name.utf8.count <= ServiceInstance.maximumNameLength)
  }

  @Test func escapesTheNameOfItsRecords() throws {
    let name = try instance("a.b\\c d-é").recordName
    #expect(name == "a\\.b\\\\c\\032d-\\195\\169._test._tcp.local")
  }
}
