import Dispatch
import Foundation
import Glibc
import Testing

/// Sends bytes to a server on loopback and reads what it answers.
struct Browser: Sendable {
  let port: UInt16
  /// What it shows with each request; nil for a browser that did not open the printed address.
  let key: String?
  /// Which member it is, where it is one of its own.
  var device: String?

  /// A browser that shows this key.
  init(port: UInt16, key: String?) {
    (self.port, self.key) = (port, key)
  }

  /// A browser that opens an address such as `http://127.0.0.1:4711/#token`.
  init(opening address: String) async throws {
    let url = try #require(URL(string: address.trimmingCharacters(in: .whitespacesAndNewlines)))
    let stranger = Browser(port: UInt16(try #require(url.port)), key: nil)
    self.init(port: stranger.port, key: Self.key(in: try await stranger.open(url.fragment() ?? "")))
  }

  /// The same browser as a member of its own, whose key follows from a secret.
  func joining(as name: String, secret: Character) async throws -> Browser {
    let body = #"{"secret":"\#(String(repeating: secret, count: 64))","name":"\#(name)"}"#
    let answer = try await post("/device", body)
    var member = self
    member.device = try #require(answer.firstMatch(of: /"device":"([0-9a-f]{32})"/), "\(answer)").output.1.description
    return member
  }

  /// Shows a token, and gives what the server says.
  func open(_ token: String) async throws -> String { try await post("/open", #"{"token":"\#(token)"}"#) }

  /// The key in the server's answer to a token.
  static func key(in answer: String) -> String? {
    answer.firstMatch(of: /"key":"([0-9a-f]+)"/).map { String($0.output.1) }
  }

  func get(_ path: String) async throws -> String { try await send(request(path)) }

  /// A request for `path`.
  func request(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(proof)\r\n" }

  func post(_ path: String, _ json: String) async throws -> String {
    let fields = "Host: localhost:\(port)\r\nContent-Type: application/json\r\nContent-Length: \(json.utf8.count)"
    return try await send("POST \(path) HTTP/1.1\r\n\(proof)\(fields)\r\n\r\n\(json)")
  }

  /// Sends a file with its extension.
  func upload(_ path: String, _ text: String, type: String) async throws -> String {
    let fields = "Host: localhost:\(port)\r\nContent-Type: application/octet-stream\r\nX-File-Type: \(type)\r\n"
    return try await send("POST \(path) HTTP/1.1\r\n\(proof)\(fields)Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
  }

  /// The same of a file that is no text.
  func upload(_ path: String, _ bytes: [UInt8], type: String) async throws -> String {
    let fields = "Host: localhost:\(port)\r\nContent-Type: application/octet-stream\r\nX-File-Type: \(type)\r\n"
    let connection = try connect(
      "POST \(path) HTTP/1.1\r\n\(proof)\(fields)Content-Length: \(bytes.count)\r\n\r\n")
    try connection.send(bytes)
    return try await connection.text(until: nil)
  }

  /// The key, and that one answer is enough.
  private var proof: String {
    [key.map { "Authorization: Bearer \($0)" }, device.map { "X-Device: \($0)" }, "Connection: close"]
      .compactMap(\.self).map { $0 + "\r\n" }.joined()
  }

  func send(_ text: String) async throws -> String {
    try await connect(text).text(until: nil)
  }

  func connect(_ text: String) throws -> Connection { try Connection(port: port, text) }

  /// The system refused.
  struct Refusal: Error {
    let number = errno
  }
}

/// One connection, read on a thread of its own.
final class Connection: Sendable {
  let descriptor: Int32

  init(port: UInt16, _ text: String) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let connected = withUnsafeBytes(of: &address) { bytes in
      connect(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    guard connected == 0 else { throw Browser.Refusal() }
    try send(Array(text.utf8))
  }

  /// Sends more.
  func send(_ bytes: [UInt8]) throws {
    guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw Browser.Refusal()
    }
  }

  deinit {
    close(descriptor)
  }

  /// Says that nothing more comes.
  func end() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// What the server says, up to a text or its end.
  func text(until mark: String?) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { [self] in
        var said: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
          let count = recv(descriptor, &chunk, chunk.count, 0)
          if count < 0 { return continuation.resume(throwing: Browser.Refusal()) }
          said += chunk[..<count]
          let text = String(decoding: said, as: UTF8.self)
          if count == 0 || mark.map(text.contains) == true { return continuation.resume(returning: text) }
        }
      }
    }
  }
}
