import Testing
import WorldViewKit

@Suite("HTTP access")
struct HTTPAccessTests {
  /// A request with these fields, each `NAME: VALUE`.
  private static func request(_ method: String, _ fields: [String]) -> HTTPRequest {
    HTTPRequest(
      method: method, path: "/",
      fields: fields.map { field in
        let halves = field.split(separator: ": ", maxSplits: 1).map(String.init)
        return HTTPRequest.Field(halves[0], halves[1])
      })
  }

  @Test(
    "only the page itself is served",
    arguments: [
      (["Host: 127.0.0.1:81"], nil), (["Host: localhost:81"], nil), (["Host: [::1]:81"], nil),
      (["Host: 127.0.0.1:81", "Origin: http://127.0.0.1:81"], nil), (["Host: 127.0.0.1:82"], 403), (["X: y"], 403),
      (["Host: rebound.example:81"], 403), (["Host: 127.0.0.1.example:81"], 403), (["Host: localhost"], 403),
      (["Host: 127.0.0.1:81", "Origin: http://other"], 403), (["Host: 127.0.0.1:81", "Origin: null"], 403),
    ] as [([String], Int?)])
  func access(fields: [String], status: Int?) throws {
    let request = Self.request("GET", fields)
    #expect(Self.status { () throws(HTTPFailure) in try HTTPAccess(port: 81).check(request) } == status)
  }

  @Test(
    "over TLS the page's own origin and usual port are others",
    arguments: [
      (443, ["Host: 192.0.2.7"], nil), (80, ["Host: 192.0.2.7"], 403),
      (443, ["Host: 192.0.2.7", "Origin: https://192.0.2.7"], nil),
      (443, ["Host: 192.0.2.7", "Origin: http://192.0.2.7"], 403),
    ] as [(UInt16, [String], Int?)])
  func secureAccess(port: UInt16, fields: [String], status: Int?) throws {
    let request = Self.request("GET", fields)
    let access = HTTPAccess(port: port, isSecure: true)
    #expect(Self.status { () throws(HTTPFailure) in try access.check(request) } == status)
  }

  @Test(
    "this machine's own name opens the page, another's does not",
    arguments: [
      ("den.local:81", nil), ("Den.Local:81", nil), ("den:81", nil), ("other.local:81", 403),
      ("den.local.example:81", 403),
      ("local:81", 403),
    ] as [(String, Int?)])
  func machineName(host: String, status: Int?) throws {
    let request = Self.request("GET", ["Host: \(host)"])
    let access = HTTPAccess(port: 81, machine: "Den")
    #expect(Self.status { () throws(HTTPFailure) in try access.check(request) } == status)
  }

  @Test(
    "what changes something must be JSON or a file, which no other site can send unasked",
    arguments: [
      ("application/json", nil), ("application/json; charset=utf-8", nil), ("application/octet-stream", nil),
      ("text/plain", 415),
    ]
      as [(String, Int?)])
  func contentType(type: String, status: Int?) throws {
    let request = Self.request("POST", ["Host: 127.0.0.1:81", "Content-Type: \(type)"])
    #expect(Self.status { () throws(HTTPFailure) in try HTTPAccess(port: 81).check(request) } == status)
  }

  private static func status(_ body: () throws(HTTPFailure) -> Void) -> Int? {
    do throws(HTTPFailure) {
      try body()
      return nil
    } catch {
      return error.status
    }
  }
}
