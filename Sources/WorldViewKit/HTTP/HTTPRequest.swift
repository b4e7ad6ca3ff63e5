/// A request of HTTP (RFC 9110), as libmicrohttpd has read it.
package struct HTTPRequest: Equatable, Sendable {
  /// The longest body (bytes), but where a server's ``BodyLimit`` says otherwise.
  static let usualBodyLimit = 64 * 1024

  /// The longest body of a request, of which the header is known (bytes); it is asked with an empty body.
  package typealias BodyLimit = @Sendable (HTTPRequest) -> Int

  /// As it was sent, such as `GET`.
  package let method: String
  /// The path of the target without its query.
  package let path: String
  /// The fields in order, names in lower case.
  package let fields: [Field]
  /// The bytes after the header.
  package let body: [UInt8]

  /// One header field.
  package struct Field: Equatable, Sendable {
    package let name: String
    package let value: String

    /// A field; `name` in any case.
    package init(_ name: String, _ value: String) {
      (self.name, self.value) = (name.lowercased(), value)
    }
  }

  /// A request.
  package init(method: String, path: String, fields: [Field] = [], body: [UInt8] = []) {
    (self.method, self.path, self.fields, self.body) = (method, path, fields, body)
  }

  /// The value of a field that occurs at most once; nil when it is missing.
  package func field(_ name: String) -> String? {
    fields.first { $0.name == name }?.value
  }

  /// The same with the bytes after its header.
  func with(body: [UInt8]) -> HTTPRequest { HTTPRequest(method: method, path: path, fields: fields, body: body) }
}

extension HTTPRequest {
  /// Refuses a header that the library reads and this server does not: two values where one decides, and codings.
  ///
  /// - Parameter limit: The longest body (bytes).
  /// - Returns: the length of the body (bytes).
  func bodySize(limit: Int) throws(HTTPFailure) -> Int {
    guard path.hasPrefix("/") else { throw HTTPFailure(400, "the request line is malformed") }
    guard
      !fields.contains(where: { $0.value.unicodeScalars.contains { $0.value < 32 && $0 != "\t" || $0.value == 127 } })
    else { throw HTTPFailure(400, "a header field has a control character") }
    for name in ["host", "content-length", "content-type", "origin", "authorization"]
    where fields.count(where: { $0.name == name }) > 1 {
      throw HTTPFailure(400, "\(name) occurs twice")
    }
    guard field("transfer-encoding") == nil else { throw HTTPFailure(501, "transfer codings are not supported") }
    guard let text = field("content-length") else { return 0 }
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      throw HTTPFailure(400, "content-length is not a number")
    }
    guard let size = Int(text), size <= limit else { throw HTTPFailure(413, "the body is too long") }
    return size
  }
}

/// Why a request is not answered as asked: a status code of RFC 9110 §15 and a sentence.
package struct HTTPFailure: Error, Equatable, Sendable {
  package let status: Int
  package let message: String

  package init(_ status: Int, _ message: String) {
    self.status = status
    self.message = message
  }
}
