import Basics
import Testing

@Suite struct SocketAddressTests {
  @Test(arguments: [
    "127.0.0.1:80", "0.0.0.0:0", "255.255.255.255:65535", "[::]:0", "[::1]:443", "[2001:db8::1]:7", "[fe80::1%3]:80",
    "[1:2:3:4:5:6:7:8]:9", "[1:0:2::3]:1", "[::2:0:0:3:0]:1", "[1::]:1", "[0:1:2:3:4:5:6:7]:1", "[1::3:0:0:8]:1",
  ])
  func `the text form survives a round trip`(text: String) throws {
    let address = try #require(SocketAddress(text))
    #expect(address.description == text)
    #expect(SocketAddress(bytes: address.bytes, port: address.port, scope: address.scope) == address)
  }

  @Test(arguments: [
    "", ":", "1.2.3.4", "1.2.3.4:", "1.2.3.4:65536", "1.2.3.4:-1", "1.2.3.4:+1", "01.2.3.4:1", "1.2.3:1", "1.2.3.256:1",
    "1.2.3.4.5:1", "::1:80", "[::1]", "[]:1", "[1.2.3.4]:1", "[1:2:3:4:5:6:7]:1", "[1:2:3:4:5:6:7:8:9]:1",
    "[1::2::3]:1", "[:1:2:3:4:5:6:7]:1", "[12345::]:1", "[g::]:1", "[1:2:3:4:5:6:7:8::]:1", "[fe80::1%]:1",
    "[fe80::1%eth0]:1", "[fe80::1%0]:1", "[1.2.3.4::]:1", "[:::]:1", "[+1::]:1", "localhost:80", "1.2.3.4 :1", "é:1",
  ])
  func `anything else is refused`(text: String) {
    #expect(SocketAddress(text) == nil)
  }

  @Test func `a mapped IPv4 address becomes the IPv4 address`() {
    #expect(SocketAddress("[::ffff:192.0.2.1]:5")?.description == "192.0.2.1:5")
    #expect(SocketAddress(bytes: Array(repeating: 0, count: 10) + [255, 255, 192, 0, 2, 1], port: 5)?.bytes.count == 4)
    #expect(SocketAddress(bytes: [1, 2, 3], port: 5) == nil)
  }

  @Test func `the scope of link-local addresses alone is kept`() throws {
    #expect(SocketAddress("[fe80::1%7]:1")?.scope == 7)
    #expect(SocketAddress("[febf::1%7]:1")?.scope == 7)
    #expect(SocketAddress("[2001:db8::1%7]:1")?.description == "[2001:db8::1]:1")
    #expect(SocketAddress(bytes: [10, 0, 0, 1], port: 1, scope: 7)?.scope == 0)
  }

  @Test func `an address knows how far it reaches`() throws {
    let hosts = try ["127.0.0.2", "::1", "169.254.1.1", "febf::1", "fec0::1", "10.0.0.1", "::", "169.253.1.1"].map {
      try #require(SocketAddress.Host($0))
    }
    #expect(hosts.map(\.isLoopback) == [true, true, false, false, false, false, false, false])
    #expect(hosts.map(\.isLinkLocal) == [false, false, true, true, false, false, false, false])
  }

  @Test func `an address has four or sixteen bytes`() {
    for count in 0...17 {
      let address = SocketAddress(bytes: [UInt8](repeating: 1, count: count), port: 1)
      #expect(address?.bytes == (count == 4 || count == 16 ? [UInt8](repeating: 1, count: count) : nil))
    }
  }

  @Test(arguments: [
    [], ["[::1]:1", "[::2]:1"], ["192.0.2.1:1", "192.0.2.2:1", "192.0.2.3:1", "[::1]:1"],
    ["[::1]:1", "192.0.2.1:1", "192.0.2.2:1"],
  ])
  func `families take turns, in their own order`(texts: [String]) throws {
    let addresses = try texts.map { try #require(SocketAddress($0)) }
    let turned = addresses.byTurns
    #expect(turned.sorted() == addresses.sorted() && turned.first == addresses.first)
    for isIPv6 in [false, true] {
      #expect(
        turned.filter { $0.description.hasPrefix("[") == isIPv6 }
          == addresses.filter { $0.description.hasPrefix("[") == isIPv6 })
    }
    let fewer = [false, true].map { isIPv6 in texts.count { $0.hasPrefix("[") == isIPv6 } }.min() ?? 0
    let flags = turned.prefix(2 * fewer).map { $0.description.hasPrefix("[") }
    #expect(zip(flags, flags.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test func `addresses order by their bytes, then by port`() throws {
    let texts = [
      "[::1]:9", "127.0.0.1:1", "127.0.0.1:2", "192.0.2.1:1", "[2001:db8::1]:1", "[fe80::1%2]:1", "[fe80::1%3]:1",
    ]
    let addresses = try texts.map { try #require(SocketAddress($0)) }
    #expect(addresses.reversed().sorted() == addresses)
  }
}
