import PeerCLI

/// An answer to a request.
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
  /// Whether the connection ends with it: after a refusal nothing that follows is believed.
  let isLast: Bool

  package init(status: Int = 200, contentType: String, body: Body, isLast: Bool = false) {
    self.status = status
    self.contentType = contentType
    self.body = body
    self.isLast = isLast
  }

  /// Text such as JSON.
  package init(status: Int = 200, contentType: String = "application/json", text: String, isLast: Bool = false) {
    self.init(status: status, contentType: contentType, body: .bytes(Array(text.utf8)), isLast: isLast)
  }

  /// A failure as JSON: `{"error": …}`.
  package init(_ failure: HTTPFailure, isLast: Bool = false) {
    self.init(
      status: failure.status, text: JSON.object(["error": .string(failure.message)]).text, isLast: isLast)
  }

  /// The header fields but for those that the library writes.
  ///
  /// The page runs only what this server sent it, and no other page may hold or read what is here.
  var fields: [(name: String, value: String)] {
    [
      ("Content-Type", contentType), ("Cache-Control", "no-store"),
      (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
          + "form-action 'none'; frame-ancestors 'none'"
      ),
      ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ] + (isLast ? [("Connection", "close")] : [])
  }
}
