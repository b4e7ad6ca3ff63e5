import Basics
import BasicsLinux
import Testing

@Suite struct InterfaceAddressTests {
  @Test func `the loopback interface is there, with its address, index and abilities`() throws {
    let loopback = try #require(InterfaceAddress.all().first { $0.host == SocketAddress.loopback(port: 0).host })
    #expect(loopback.flags.isSuperset(of: [.up, .loopback]))
    #expect(!loopback.flags.contains(.pointToPoint))
    #expect(loopback.interface == 1)
  }

  @Test func `link-local addresses of IPv6 carry the index of their interface`() {
    for address in InterfaceAddress.all() where address.host.scope != 0 {
      #expect(address.host.scope == address.interface)
    }
  }
}
