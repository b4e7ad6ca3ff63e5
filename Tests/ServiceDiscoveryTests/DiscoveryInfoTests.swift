import Testing

@testable import ServiceDiscovery

@Suite struct DiscoveryInfoTests {
  @Test func encodesInOrderWithLengths() throws {
    let info = try DiscoveryInfo([("v", [0x31]), ("Room", [0, 255])])
    #expect(info.encoded == [3] + Array("v=1".utf8) + [7] + Array("room=".utf8) + [0, 255])
    #expect(DiscoveryInfo(parsing: info.encoded) == info)
    #expect(info.keys == ["v", "room"])
  }

  @Test func encodesNothingAsOneZeroByte() {
    #expect(DiscoveryInfo().encoded == [0])
    #expect(DiscoveryInfo(parsing: [0]) == DiscoveryInfo())
  }

  @Test func findsKeysInAnyCase() throws {
    let info = try DiscoveryInfo([("auth", Array("sas".utf8))])
    #expect(info["AUTH"] == Array("sas".utf8))
    #expect(info["aut"] == nil)
  }

  @Test func refusesKeysThatDNSCannotCarry() {
    for key in ["", "tenletters", "a=b", "ä", "tab\t"] {
      #expect(throws: DiscoveryError.self, "key \(key)") { try DiscoveryInfo([(key, [])]) }
    }
    #expect(throws: DiscoveryError.self) { try DiscoveryInfo([("v", []), ("V", [])]) }
  }

  @Test func keepsTheLimits() throws {
    #expect(try DiscoveryInfo([("k", [UInt8](repeating: 1, count: 253))]).encoded.count == 256)
    #expect(throws: DiscoveryError.self) { try DiscoveryInfo([("k", [UInt8](repeating: 1, count: 254))]) }
    let full = [("a", [UInt8](repeating: 1, count: 197)), ("b", [UInt8](repeating: 1, count: 197))]
    #expect(try DiscoveryInfo(full).encoded.count == DiscoveryInfo.maximumLength)
    #expect(throws: DiscoveryError.self) { try DiscoveryInfo(full + [("c", [])]) }
  }

  // Fault 14: whatever arrives is parsed per RFC 6763 §6 or ignored.

  @Test func readsNothingFromNothing() {
    #expect(DiscoveryInfo(parsing: []) == DiscoveryInfo())
    #expect(DiscoveryInfo(parsing: [0, 0, 0]) == DiscoveryInfo())
  }

  @Test func ignoresStringsWithoutAKey() {
    #expect(DiscoveryInfo(parsing: [2] + Array("=x".utf8) + [1] + Array("=".utf8)) == DiscoveryInfo())
  }

  @Test func letsTheFirstOfEqualKeysWin() {
    let info = DiscoveryInfo(parsing: [3] + Array("k=1".utf8) + [3] + Array("K=2".utf8) + [1] + Array("k".utf8))
    #expect(info["k"] == Array("1".utf8))
    #expect(info.keys == ["k"])
  }

  @Test func tellsNoValueFromAnEmptyOneOnTheWire() {
    let flag = DiscoveryInfo(parsing: [1] + Array("f".utf8))
    let empty = DiscoveryInfo(parsing: [2] + Array("f=".utf8))
    #expect(flag["f"] == [] && empty["f"] == [])
    #expect(flag != empty)
    #expect(flag.encoded == [1, 0x66] && empty.encoded == [2, 0x66, 0x3D])
  }

  @Test func keepsValuesThatAreNotText() {
    let info = DiscoveryInfo(parsing: [5] + Array("k=".utf8) + [0xFF, 0x3D, 0x00])
    #expect(info["k"] == [0xFF, 0x3D, 0x00])
  }

  @Test func ignoresKeysThatAreNotText() {
    let info = DiscoveryInfo(parsing: [3, 0xC3, 0x28, 0x3D] + [3] + Array("a=b".utf8))
    #expect(info.keys == ["a"])
  }

  @Test func endsAtAStringThatIsCutShort() {
    let info = DiscoveryInfo(parsing: [3] + Array("a=b".utf8) + [9] + Array("c=d".utf8))
    #expect(info.keys == ["a"])
  }

  @Test func readsAFloodOfBytesQuicklyAndOnlyTheFirstKeys() {
    var bytes: [UInt8] = []
    for index in 0..<16_000 { bytes += [4] + Array(String(index, radix: 36).utf8.prefix(4)).padded() }
    #expect(bytes.count > 65_000)
    #expect(DiscoveryInfo(parsing: bytes).keys.count == DiscoveryInfo.maximumReceivedKeys)
  }
}

extension [UInt8] {
  fileprivate func padded() -> [UInt8] { self + [UInt8](repeating: 0x7A, count: 4 - count) }
}
