import Basics
import Testing

@testable import ServiceDiscovery

@Suite struct ServiceSourcesTests {
  private static let lamp = SocketAddress.Host.ipv4(1)
  private static let stranger = SocketAddress.Host.ipv4(2)

  @Test func whoToldFirstOfAServiceIsItsSourceUntilItIsGone() throws {
    var sources = ServiceSources(room: 2)
    let service = try instance("lamp")
    sources.add(service, of: Self.lamp)
    sources.add(service, of: Self.stranger)
    #expect(sources[service] == Self.lamp)
    sources.remove(service)
    #expect(sources[service] == nil)
    sources.add(service, of: Self.stranger)
    #expect(sources[service] == Self.stranger)
  }

  @Test func aNetworkOfAddressesIsOneMachineAndThoseOfALinkAreNot() {
    let global = (1...2).map { SocketAddress.Host.ipv6(high: 0x2001_0DB8 << 32, low: $0, scope: 0) }
    let local = (1...2).map { SocketAddress.Host.ipv6(high: 0xFE80 << 48, low: $0, scope: 3) }
    #expect(Set(global.map(\.machine)).count == 1)
    #expect(Set(local.map(\.machine)).count == 2)
    #expect(Self.lamp.machine != Self.stranger.machine)
  }

  @Test func attackServicesOfOneMachineDisplaceThoseOfNoOther() throws {
    var sources = ServiceSources(room: 64)
    for number in 0..<64 { #expect(sources.add(try instance("forged\(number)"), of: Self.stranger) == []) }
    #expect(sources.add(try instance("forged64"), of: Self.stranger) == nil)
    let displaced = try #require(sources.add(try instance("lamp"), of: Self.lamp))
    #expect(displaced.count == 1 && displaced.allSatisfy { $0.name.hasPrefix("forged") && sources[$0] == nil })
    #expect(try sources[instance("lamp")] == Self.lamp)
    // Both have half of it then, and neither displaces the other.
    for number in 0..<64 { sources.add(try instance("lamp\(number)"), of: Self.lamp) }
    let left = try (0..<64).count { try sources[instance("forged\($0)")] != nil }
    #expect((31...33).contains(left))
  }
}
