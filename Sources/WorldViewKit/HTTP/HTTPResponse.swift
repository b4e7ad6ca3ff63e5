import PeerCLI

/// An answer to a request; the connection closes after it.
package struct HTTPResponse: Sendable {
  /// The content after the header.
  package enum Body: Sendable {
    case bytes([UInt8])
    /// Written bit by bit until the closure returns or the client is gone.
    case stream(@Sendable (HTTPWriter) async throws -> Void)
  }

  package let status: Int
  package let contentType: String
  package let body: Body

  package init(status: Int = 200, contentType: String, body: Body) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  /// Text such as JSON.
  package init(status: Int = 200, contentType: String = "application/json", text: String) {
    self.init(status: status, contentType: contentType, body: .bytes(Array(text.utf8)))
  }

  /// A failure as JSON: `{"error": …}`.
  package init(_ failure: HTTPFailure) {
    self.init(status: failure.status, text: JSON.object(["error": .string(failure.message)]).text)
  }

  /// The status line and header.
  package var head: [UInt8] {
    var lines = ["HTTP/1.1 \(status) \(Self.reasons[status] ?? "Other")", "Content-Type: \(contentType)"]
    if case .bytes(let bytes) = body { lines.append("Content-Length: \(bytes.count)") }
    lines += ["Connection: close", "Cache-Control: no-store"] + Self.protection
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// The page runs only what this server sent it, and no other page may hold or read what is here.
  private static let protection = [
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer", "Cross-Origin-Resource-Policy: same-origin",
    "Cross-Origin-Opener-Policy: same-origin",
  ]

  private static let reasons = [
    200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    408: "Request Timeout", 409: "Conflict", 413: "Content Too Large", 415: "Unsupported Media Type",
    431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
    503: "Service Unavailable", 505: "HTTP Version Not Supported",
  ]
}
