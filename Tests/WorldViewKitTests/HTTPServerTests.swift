import Synchronization
import TestSupport
import Testing
import WorldViewKit

/// The server on loopback, asked byte by byte.
@Suite("HTTP server", .endsHangs)
struct HTTPServerTests {
  /// Says what it was asked.
  private static let echo: HTTPServer.Handler = { request in
    let fields = request.fields.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
    return HTTPResponse(
      text: "\(request.method) \(request.path) \(fields) \(String(decoding: request.body, as: UTF8.self))")
  }

  private static func run(
    patience: Duration = .seconds(10), bodyLimit: @escaping HTTPRequest.BodyLimit = { _ in 65536 },
    trusts: @escaping @Sendable (HTTPRequest) -> Bool = { _ in false },
    _ handler: @escaping HTTPServer.Handler = echo, _ body: (Browser) async throws -> Void
  ) async throws {
    let server = try await HTTPServer(host: "127.0.0.1", port: 0, patience: patience)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await server.run(bodyLimit: bodyLimit, trusts: trusts, handler) }
      try await body(Browser(port: server.port, key: nil))
      group.cancelAll()
    }
  }

  /// The status of the answer to a request, whose `HOST` is replaced by a good one; nil when the connection ends without.
  private static func status(_ text: String, _ browser: Browser) async throws -> Int? {
    let text = text.replacing("HOST", with: "Host: 127.0.0.1:\(browser.port)\r\nConnection: close")
    return Int(try await browser.send(text).dropFirst("HTTP/1.1 ".count).prefix(3))
  }

  @Test("a request is whole at its last byte, however it is cut")
  func byteByByte() async throws {
    try await Self.run { browser in
      let text =
        "POST /tap?x=1 HTTP/1.1\r\nHost: localhost:\(browser.port)\r\nContent-Type: application/json\r\n"
        + "Connection: close\r\nContent-Length: 2\r\nX-Blank: \t \r\n\r\n{}"
      let connection = try browser.connect("")
      for byte in text.utf8 { try connection.send([byte]) }
      let answer = try await connection.text(until: nil)
      #expect(answer.hasPrefix("HTTP/1.1 200"))
      #expect(answer.contains("\r\n\r\nPOST /tap host=localhost:\(browser.port);content-type=application/json;"))
      #expect(answer.contains("x-blank=") && answer.hasSuffix(" {}"))
    }
  }

  @Test("one connection serves many requests")
  func keptAlive() async throws {
    try await Self.run { browser in
      let connection = try browser.connect("GET /one HTTP/1.1\r\nHost: 127.0.0.1:\(browser.port)\r\n\r\n")
      _ = try await connection.text(until: "GET /one")
      try connection.send(Array("GET /two HTTP/1.1\r\nHost: 127.0.0.1:\(browser.port)\r\n\r\n".utf8))
      _ = try await connection.text(until: "GET /two")
    }
  }

  @Test(
    "a malformed request is refused",
    arguments: [
      ("nonsense\r\n\r\n", nil), ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.1\r\n\r\n", 400),
      ("G(T / HTTP/1.1\r\n\r\n", 400), ("GET http://a/ HTTP/1.1\r\nHOST\r\n\r\n", 400),
      ("GET / HTTP/2.0\r\n\r\n", 505), ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHOST\r\nHost: b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHOST\r\nA: \u{1}\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHOST\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHOST\r\nContent-Length: -1\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHOST\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
      ("POST / HTTP/1.1\r\nHOST\r\nContent-Length: 1048577\r\n\r\n", 413),
      ("POST / HTTP/1.1\r\nHOST\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
      ("POST / HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
      ("POST / HTTP/1.1\r\nHOST\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
      ("GET / HTTP/1.1\r\nHost: rebound.example\r\n\r\n", 403),
    ] as [(String, Int?)])
  func malformed(text: String, status: Int?) async throws {
    try await Self.run { browser in
      let found = try await Self.status(text, browser)
      #expect(found == status)
    }
  }

  @Test("a header that has no end is refused")
  func endless() async throws {
    try await Self.run { browser in
      let connection = try browser.connect("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(browser.port)\r\nA: ")
      // The server ends the connection, which a write or the read meets.
      let answer = try? await {
        for _ in 0..<16 { try connection.send([UInt8](repeating: UInt8(ascii: "x"), count: 4096)) }
        return try await connection.text(until: nil)
      }()
      #expect(answer?.hasPrefix("HTTP/1.1 200") != true)
      #expect(try await Self.status("GET / HTTP/1.1\r\nHOST\r\n\r\n", browser) == 200)
    }
  }

  @Test("the limit of a body follows from the request's header")
  func bodyLimit() async throws {
    try await Self.run(bodyLimit: { $0.path == "/load" ? 100_000 : 0 }) { browser in
      for (path, size, status) in [("/load", 100_000, 200), ("/load", 100_001, 413), ("/other", 1, 413)] {
        let head = "POST \(path) HTTP/1.1\r\nHOST\r\nContent-Type: application/json\r\nContent-Length: \(size)\r\n\r\n"
        let found = try await Self.status(head + String(repeating: "x", count: size), browser)
        #expect(found == status)
      }
    }
  }

  @Test("a client that sends its header byte by byte is gone after the server's patience")
  func trickle() async throws {
    try await Self.run(patience: .milliseconds(300)) { browser in
      let connection = try browser.connect("GET / HTTP/1.1\r\nA: ")
      // A byte for every read of the clock: the server's library alone would wait without a limit.
      let start = ContinuousClock.now
      await #expect(throws: Browser.Refusal.self) {
        while start.duration(to: .now) < .seconds(60) {
          try connection.send([UInt8(ascii: "x")])
          try await Task.sleep(for: .milliseconds(20))
        }
      }
    }
  }

  @Test("four hundred slow strangers delay nobody, and end nobody who is known")
  func strangers() async throws {
    // If the slow ones kept their places for as long as the server is patient, this would end by the limit of all tests.
    try await Self.run(patience: .seconds(3600), trusts: { $0.field("authorization") == "me" }) { browser in
      let known = "GET /known HTTP/1.1\r\nHost: 127.0.0.1:\(browser.port)\r\nAuthorization: me\r\n\r\n"
      let friend = try browser.connect(known)
      _ = try await friend.text(until: "GET /known")
      // Halves of headers.
      let slow = try (0..<400).map { number in
        try browser.connect(number % 2 == 0 ? "GET / HTTP/1.1\r\nA: " : "POST / HTTP/1.1\r\nHost: localhost")
      }
      for path in ["/first", "/second"] {
        #expect(try await browser.get(path).contains("GET \(path)"))
      }
      try friend.send(Array(known.utf8))
      _ = try await friend.text(until: "GET /known")
      withExtendedLifetime(slow) {}
    }
  }

  @Test("the strangers that are ended are the oldest")
  func oldest() async throws {
    try await Self.run(patience: .seconds(3600)) { browser in
      let waiting = try (0..<HTTPServer.strangerLimit).map { _ in try browser.connect("GET / HTTP/1.1\r\n") }
      let latest = try browser.connect("GET /latest HTTP/1.1\r\n")
      #expect(try await waiting[0].text(until: nil).isEmpty)
      for connection in [waiting[1], latest] {
        try connection.send(Array("Host: 127.0.0.1:\(browser.port)\r\nConnection: close\r\n\r\n".utf8))
        #expect(try await connection.text(until: nil).hasPrefix("HTTP/1.1 200"))
      }
    }
  }

  @Test("a stream ends when its client goes")
  func abandoned() async throws {
    let (ends, ended) = AsyncStream.makeStream(of: Void.self)
    try await Self.run({ _ in
      HTTPResponse(
        contentType: "text/plain",
        body: .stream { writer in
          try await writer.write("begun")
          // Nothing is ever new.
          for await _ in AsyncStream<Void>.makeStream().stream {}
          ended.yield()
        })
    }) { browser in
      let connection = try browser.connect("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(browser.port)\r\n\r\n")
      _ = try await connection.text(until: "begun")
      connection.end()
      for await _ in ends { break }
    }
  }

  @Test("a client that does not read is gone after the server's patience, and holds little until then")
  func slowReader() async throws {
    let (ends, ended) = AsyncStream.makeStream(of: Int.self)
    let part = String(repeating: "x", count: 1 << 20)
    try await Self.run(
      patience: .seconds(1),
      { _ in
        HTTPResponse(
          contentType: "text/plain",
          body: .stream { writer in
            var parts = 0
            do {
              while parts < 1000 {
                try await writer.write(part)
                parts += 1
              }
            } catch {}
            ended.yield(parts)
          })
      }
    ) { browser in
      let connection = try browser.connect("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(browser.port)\r\n\r\n")
      for await parts in ends {
        // What the system's buffers hold, and one part that waits.
        #expect(parts < 32)
        break
      }
      connection.end()
    }
  }

  @Test("what was asked before the server stops is answered")
  func stopping() async throws {
    let server = try await HTTPServer(host: "127.0.0.1", port: 0)
    let (asked, ask) = AsyncStream.makeStream(of: Void.self)
    let answer = try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await server.run(bodyLimit: { _ in 0 }) { _ in
          ask.yield()
          // Until the server's task is cancelled.
          for await _ in AsyncStream<Void>.makeStream().stream {}
          return HTTPResponse(text: "the last word")
        }
      }
      let connection = try Connection(
        port: server.port, "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
      for await _ in asked { break }
      group.cancelAll()
      return try await connection.text(until: nil)
    }
    #expect(answer.hasSuffix("the last word"))
  }
}
