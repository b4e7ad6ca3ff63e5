/// An HTTP/1.1 request (RFC 9112).
package struct HTTPRequest: Equatable, Sendable {
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
  }

  /// The value of a field that occurs at most once; nil when it is missing.
  package func field(_ name: String) -> String? {
    fields.first { $0.name == name }?.value
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

/// Reads one request from bytes as they come, within fixed bounds.
package struct HTTPRequestReader: Sendable {
  /// The longest request line and header (bytes).
  package static let headerLimit = 8 * 1024
  /// The longest body (bytes), but where ``init(bodyLimit:)`` says otherwise.
  static let usualBodyLimit = 64 * 1024

  /// The longest body of a request, of which the header is known (bytes).
  package typealias BodyLimit = @Sendable (HTTPRequest) -> Int

  private let bodyLimit: BodyLimit
  private var buffer: [UInt8] = []
  private var head: (method: String, path: String, fields: [HTTPRequest.Field], end: Int, bodySize: Int)?

  /// Reads a request whose body `bodyLimit` bounds; it is asked once the header is here, with an empty body.
  package init(bodyLimit: @escaping BodyLimit) {
    self.bodyLimit = bodyLimit
  }

  /// Reads a request whose body has the usual limit.
  package init() {
    self.init { _ in Self.usualBodyLimit }
  }

  /// Whether the header is here and its body is allowed.
  package var isInBody: Bool { head != nil }

  /// Takes more bytes and gives the request once it is whole; bytes after it are ignored.
  package mutating func append(_ bytes: some Collection<UInt8>) throws(HTTPFailure) -> HTTPRequest? {
    buffer += bytes
    if head == nil { try readHead() }
    guard let head, buffer.count - head.end >= head.bodySize else { return nil }
    let body = Array(buffer[head.end..<head.end + head.bodySize])
    return HTTPRequest(method: head.method, path: head.path, fields: head.fields, body: body)
  }

  private mutating func readHead() throws(HTTPFailure) {
    let prefix = buffer.prefix(Self.headerLimit)
    guard let end = prefix.indices.dropLast(3).first(where: { prefix[$0...].starts(with: [13, 10, 13, 10]) }) else {
      if buffer.count >= Self.headerLimit { throw HTTPFailure(431, "the header is too long") }
      return
    }
    guard let text = String(validating: prefix[..<end], as: UTF8.self) else {
      throw HTTPFailure(400, "the header is not text")
    }
    var lines = Self.lines(of: text)[...]
    let (method, path) = try Self.requestLine(lines.popFirst() ?? "")
    let fields = try lines.map(Self.field)
    let limit = bodyLimit(HTTPRequest(method: method, path: path, fields: fields, body: []))
    head = (method, path, fields, end + 4, try Self.bodySize(fields, limit))
  }

  private static func lines(of text: String) -> [Substring] {
    // Swift takes carriage return and line feed for one character.
    text.split(separator: "\r\n", omittingEmptySubsequences: false)
  }

  private static func requestLine(_ line: Substring) throws(HTTPFailure) -> (method: String, path: String) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, isToken(words[0]), words[1].hasPrefix("/") else {
      throw HTTPFailure(400, "the request line is malformed")
    }
    guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
      throw HTTPFailure(505, "this server speaks HTTP/1.1")
    }
    return (String(words[0]), String(words[1].prefix { $0 != "?" }))
  }

  private static func field(_ line: Substring) throws(HTTPFailure) -> HTTPRequest.Field {
    guard let colon = line.firstIndex(of: ":"), isToken(line[..<colon]) else {
      throw HTTPFailure(400, "a header field is malformed")
    }
    let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
    guard value.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 || $0 == "\t" }) else {
      throw HTTPFailure(400, "a header field has a control character")
    }
    let end = value.lastIndex { $0 != " " && $0 != "\t" }
    return HTTPRequest.Field(name: line[..<colon].lowercased(), value: end.map { String(value[...$0]) } ?? "")
  }

  /// Whether a word is a token of RFC 9110 §5.6.2.
  private static func isToken(_ word: Substring) -> Bool {
    !word.isEmpty
      && word.utf8.allSatisfy { byte in
        let character = Character(UnicodeScalar(byte))
        return byte < 128 && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
      }
  }

  private static func bodySize(_ fields: [HTTPRequest.Field], _ limit: Int) throws(HTTPFailure) -> Int {
    for name in ["host", "content-length", "content-type", "origin"]
    where fields.count(where: { $0.name == name }) > 1 {
      throw HTTPFailure(400, "\(name) occurs twice")
    }
    guard !fields.contains(where: { $0.name == "transfer-encoding" }) else {
      throw HTTPFailure(501, "transfer codings are not supported")
    }
    guard let text = fields.first(where: { $0.name == "content-length" })?.value else { return 0 }
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      throw HTTPFailure(400, "content-length is not a number")
    }
    guard let size = Int(text), size <= limit else { throw HTTPFailure(413, "the body is too long") }
    return size
  }
}
