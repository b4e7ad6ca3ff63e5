import Testing
import WorldViewKit

@Suite("HTTP request")
struct HTTPRequestTests {
  static func read(_ text: String) throws(HTTPFailure) -> HTTPRequest? {
    var reader = HTTPRequestReader()
    return try reader.append(Array(text.utf8))
  }

  @Test("a request is whole at its last byte, however it is cut")
  func byteByByte() throws {
    let text = "POST /tap?x=1 HTTP/1.1\r\nHost: [::1]:80\r\nContent-Length: 2\r\nX-Blank: \t \r\n\r\n{}"
    var reader = HTTPRequestReader()
    for byte in text.utf8.dropLast() { #expect(try reader.append([byte]) == nil) }
    let request = try #require(try reader.append(Array("}".utf8)))
    #expect(request.method == "POST")
    #expect(request.path == "/tap")
    #expect(request.field("host") == "[::1]:80")
    #expect(request.field("x-blank")?.isEmpty == true)
    #expect(request.body == Array("{}".utf8))
  }

  @Test(
    "a malformed request is refused",
    arguments: [
      ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.1\r\n\r\n", 400), ("G(T / HTTP/1.1\r\n\r\n", 400),
      ("GET http://a/ HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 505),
      ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA: 1\r\n folded\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA: \u{1}\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400), ("POST / HTTP/1.1\r\nContent-Length: \r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nContent-Length: 65537\r\n\r\n", 413),
      ("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
      ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
    ])
  func malformed(text: String, status: Int) {
    let failure = #expect(throws: HTTPFailure.self) { try Self.read(text) }
    #expect(failure?.status == status)
  }

  @Test("a header that has no end is refused at the limit")
  func endless() throws {
    let start = "GET / HTTP/1.1\r\nA: "
    let fits = start + String(repeating: "x", count: HTTPRequestReader.headerLimit - start.utf8.count - 4) + "\r\n\r\n"
    #expect(try Self.read(fits) != nil)
    let failure = #expect(throws: HTTPFailure.self) { try Self.read("x" + fits) }
    #expect(failure?.status == 431)
  }

  @Test(
    "only the page itself is served",
    arguments: [
      ("Host: 127.0.0.1:81", nil), ("Host: localhost:81", nil), ("Host: [::1]:81", nil),
      ("Host: 127.0.0.1:81\r\nOrigin: http://127.0.0.1:81", nil), ("Host: 127.0.0.1:82", 403), ("X: y", 403),
      ("Host: rebound.example:81", 403), ("Host: 127.0.0.1.example:81", 403), ("Host: localhost", 403),
      ("Host: 127.0.0.1:81\r\nOrigin: http://other", 403), ("Host: 127.0.0.1:81\r\nOrigin: null", 403),
    ] as [(String, Int?)])
  func access(fields: String, status: Int?) throws {
    let request = try #require(try Self.read("GET / HTTP/1.1\r\n\(fields)\r\n\r\n"))
    #expect(Self.status { () throws(HTTPFailure) in try HTTPAccess(port: 81).check(request) } == status)
  }

  @Test(
    "this machine's own name opens the page, another's does not",
    arguments: [
      ("den.local:81", nil), ("Den.Local:81", nil), ("den:81", nil), ("other.local:81", 403),
      ("den.local.example:81", 403),
      ("local:81", 403),
    ] as [(String, Int?)])
  func machineName(host: String, status: Int?) throws {
    let request = try #require(try Self.read("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n"))
    let access = HTTPAccess(port: 81, machine: "Den")
    #expect(Self.status { () throws(HTTPFailure) in try access.check(request) } == status)
  }

  @Test("the limit of a body follows from the request's header")
  func bodyLimit() throws {
    var reader = HTTPRequestReader { $0.path == "/load" ? 100_000 : 0 }
    #expect(try reader.append(Array("POST /load HTTP/1.1\r\nContent-Length: 100000\r\n\r\n".utf8)) == nil)
    #expect(reader.isInBody)
    for (path, size) in [("/load", 100_001), ("/other", 1)] {
      var reader = HTTPRequestReader { $0.path == "/load" ? 100_000 : 0 }
      let failure = #expect(throws: HTTPFailure.self) {
        try reader.append(Array("POST \(path) HTTP/1.1\r\nContent-Length: \(size)\r\n\r\n".utf8))
      }
      #expect(failure?.status == 413)
    }
  }

  @Test(
    "what changes something must be JSON or a file, which no other site can send unasked",
    arguments: [
      ("application/json", nil), ("application/json; charset=utf-8", nil), ("application/octet-stream", nil),
      ("text/plain", 415),
    ]
      as [(String, Int?)])
  func contentType(type: String, status: Int?) throws {
    let request = try #require(
      try Self.read("POST / HTTP/1.1\r\nHost: 127.0.0.1:81\r\nContent-Type: \(type)\r\n\r\n"))
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
