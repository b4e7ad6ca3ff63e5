import Testing

@testable import ServiceDiscovery

@Suite struct RecordDataTests {
  private let host: [UInt8] = [4] + Array("host".utf8) + [5] + Array("local".utf8) + [0]

  @Test func readsALocation() {
    let location = ServiceLocation(parsing: [0, 1, 0, 2, 0x0F, 0xA0] + host)
    #expect(location?.host == "host.local")
    #expect(location?.port == 4000)
  }

  @Test func refusesEveryPartOfALocation() {
    let whole = [0, 0, 0, 0, 0x0F, 0xA0] + host
    for length in 0..<whole.count { #expect(ServiceLocation(parsing: Array(whole.prefix(length))) == nil) }
    #expect(ServiceLocation(parsing: whole + [0]) == nil)
  }

  @Test(arguments: [
    [0, 0, 0, 0, 0, 0, 1, 0x61, 0],  // port 0
    [0, 0, 0, 0, 1, 1, 0],  // the root
    [0, 0, 0, 0, 1, 1, 0xC0, 0x0C],  // a compression pointer
    [0, 0, 0, 0, 1, 1, 2, 0x61, 0],  // a name without an end, whose last label ends with a zero
    [0, 0, 0, 0, 1, 1, 64] + [UInt8](repeating: 0x61, count: 64) + [0],  // a label that is too long
    [0, 0, 0, 0, 1, 1] + [UInt8](repeating: 1, count: 256) + [0],  // a name that is too long
  ])
  func refusesBadLocations(data: [UInt8]) {
    #expect(ServiceLocation(parsing: data) == nil)
  }

  @Test func escapesSpecialBytesInLabels() {
    let name = DomainName.escaped(labels: [5, 0x61, 0x2E, 0x5C, 0x20, 0xFF, 1, 0x62, 0])
    #expect(name == "a\\.\\\\\\032\\255.b")
  }
}
