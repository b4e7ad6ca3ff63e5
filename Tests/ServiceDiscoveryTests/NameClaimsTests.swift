import Basics
import Testing

@testable import ServiceDiscovery

@Suite("Names that two machines claim")
struct NameClaimsTests {
  private static let kitchen: SocketAddress.Host = .ipv4(0x0A4D_0001)

  private static func claims() -> NameClaims {
    NameClaims(of: .test, hostName: "kitchen", own: [kitchen])
  }

  private static func label(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

  /// A response with one record.
  private static func response(_ owner: [UInt8], _ type: RecordType, _ data: [UInt8], lifetime: UInt8 = 120) -> [UInt8]
  {
    [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0] + owner
      + [0, UInt8(type.rawValue), 0x80, 1, 0, 0, 0, lifetime, 0, UInt8(data.count)] + data
  }

  private static func service(_ name: String, host: String, port: UInt8 = 9, lifetime: UInt8 = 120) throws -> [UInt8] {
    let location: [UInt8] = [0, 0, 0, 0, 0, port] + label(host) + label("local") + [0]
    return response(try instance(name).labels, .service, location, lifetime: lifetime)
  }

  private static func host(_ name: String, _ address: [UInt8]) -> [UInt8] {
    response(label(name) + label("local") + [0], .address, address)
  }

  @Test("a service that is told of with two hosts or two ports is contested")
  func services() throws {
    var claims = Self.claims()
    claims.note(try Self.service("lamp", host: "one"))
    claims.note(try Self.service("lamp", host: "ONE"))
    claims.note(try Self.service("chair", host: "two"))
    #expect(claims.contested.isEmpty)
    claims.note(try Self.service("lamp", host: "two"))
    #expect(claims.contested == ["lamp"])
    claims.note(try Self.service("chair", host: "two", port: 10))
    #expect(claims.contested == ["lamp", "chair"])
  }

  @Test("a withdrawn record claims nothing")
  func withdrawal() throws {
    var claims = Self.claims()
    claims.note(try Self.service("lamp", host: "one"))
    claims.note(try Self.service("lamp", host: "two", lifetime: 0))
    #expect(claims.contested.isEmpty)
  }

  @Test("this machine's host name with an address of another machine is contested, with its own address it is not")
  func hosts() {
    var claims = Self.claims()
    claims.note(Self.host("kitchen", [0x0A, 0x4D, 0, 1]))
    claims.note(Self.host("porch", [0x0A, 0x4D, 0, 2]))
    #expect(claims.contested.isEmpty)
    claims.note(Self.host("Kitchen", [0x0A, 0x4D, 0, 2]))
    #expect(claims.contested == ["kitchen.local"])
  }

  @Test("of forged services 256 are remembered")
  func bound() throws {
    var claims = Self.claims()
    for number in 0...256 { claims.note(try Self.service("forged\(number)", host: "one")) }
    claims.note(try Self.service("forged256", host: "two"))
    #expect(claims.contested.isEmpty)
    claims.note(try Self.service("forged255", host: "two"))
    #expect(claims.contested == ["forged255"])
  }
}
