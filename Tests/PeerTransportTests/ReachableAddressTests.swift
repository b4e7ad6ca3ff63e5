import Basics
import Testing

@testable import PeerTransport

@Suite struct ReachableAddressTests {
  @Test func `who listens on every address of IPv4 tells of none of IPv6`() throws {
    let ipv4 = try #require(SocketAddress("0.0.0.0:4711")).reachable
    #expect(!ipv4.isEmpty && ipv4.allSatisfy { $0.bytes.count == 4 && $0.port == 4711 })
    let all = try #require(SocketAddress("[::]:4711")).reachable
    #expect(Set(all).isSuperset(of: ipv4))
    let one = try #require(SocketAddress("[2001:db8::1]:4711"))
    #expect(one.reachable == [one])
  }
}
