import Basics
import COpenSSL
import Dispatch
import Foundation
import Glibc
import TestSupport
import Testing
import WorldViewKit

/// The page over HTTPS: its key and certificate, and the server that shows them.
@Suite("Page certificate", .endsHangs)
struct PageCertificateTests {
  private static func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "certificate-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.path())
  }

  private static func make(in folder: String, _ addresses: String...) throws -> PageCertificate {
    try PageCertificate(
      keptIn: folder, names: ["localhost", "den.local"], addresses: addresses.compactMap { SocketAddress.Host($0) })
  }

  @Test("it is kept for its user alone, and made anew for another address with the same key")
  func kept() async throws {
    try await Self.withFolder { folder in
      let first = try Self.make(in: folder, "192.0.2.7")
      #expect(first.fingerprint.wholeMatch(of: /([0-9A-F]{2}:){31}[0-9A-F]{2}/) != nil)
      let path = folder + "/page.pem"
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      #expect(try Self.make(in: folder, "192.0.2.7").fingerprint == first.fingerprint)
      let key = try Self.key(of: path)
      #expect(try Self.make(in: folder, "192.0.2.7", "2001:db8::7").fingerprint != first.fingerprint)
      #expect(try Self.key(of: path) == key)
    }
  }

  /// The block of the key in a file.
  private static func key(of path: String) throws -> String {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return String(text[..<(try #require(text.range(of: "-----BEGIN CERTIFICATE")).lowerBound)])
  }

  @Test("a browser gets it under each name and address, for as long as browsers accept")
  func shown() async throws {
    try await Self.withFolder { folder in
      let certificate = try Self.make(in: folder, "127.0.0.1", "192.0.2.7", "2001:db8::7")
      let server = try await HTTPServer(host: "127.0.0.1", port: 0, certificate: certificate)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          await server.run(bodyLimit: { _ in 0 }) { HTTPResponse(text: "secret of \($0.path)") }
        }
        let seen = try await SecureVisit.of(port: server.port, path: "/room")
        #expect(seen.answer.hasPrefix("HTTP/1.1 200") && seen.answer.hasSuffix("secret of /room"))
        #expect(seen.fingerprint == certificate.fingerprint)
        #expect(seen.names == ["localhost", "den.local", "127.0.0.1", "192.0.2.7", "2001:db8::7"])
        #expect(seen.isP256 && (300...398).contains(seen.days))
        // Who asks in the clear gets nothing of the page.
        let plain = Browser(port: server.port, key: nil)
        #expect((try? await plain.get("/room"))?.contains("secret") != true)
        group.cancelAll()
      }
    }
  }

  @Test("a stream over TLS ends when its client goes")
  func abandoned() async throws {
    try await Self.withFolder { folder in
      let server = try await HTTPServer(host: "127.0.0.1", port: 0, certificate: try Self.make(in: folder))
      let (ends, ended) = AsyncStream.makeStream(of: Void.self)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          await server.run(bodyLimit: { _ in 0 }) { _ in
            HTTPResponse(
              contentType: "text/event-stream",
              body: .stream { writer in
                defer { ended.yield() }
                // As the page's events do, which have something each second.
                while true {
                  try await writer.write(":\n\n")
                  try await Task.sleep(for: .milliseconds(20))
                }
              })
          }
        }
        _ = try await SecureVisit.of(port: server.port, path: "/events", until: ":\n\n")
        for await _ in ends { break }
        group.cancelAll()
      }
    }
  }
}

/// One request over TLS and what it showed.
private struct SecureVisit: Sendable {
  let answer: String
  let fingerprint: String
  /// Those of a few that the certificate has.
  let names: [String]
  let isP256: Bool
  /// For how long the certificate is valid (days).
  let days: Int

  /// Asks for a path on loopback, on a thread of its own, and reads up to a text or the end.
  static func of(port: UInt16, path: String, until mark: String? = nil) async throws -> SecureVisit {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try SecureVisit(port: port, path: path, until: mark) })
      }
    }
  }

  private init(port: UInt16, path: String, until mark: String?) throws {
    let context = SSL_CTX_new(TLS_client_method())
    defer { SSL_CTX_free(context) }
    let connection = try Connection(port: port, "")
    let ssl = SSL_new(context)
    defer { SSL_free(ssl) }
    SSL_set_fd(ssl, connection.descriptor)
    guard SSL_connect(ssl) == 1, let certificate = SSL_get1_peer_certificate(ssl) else { throw Browser.Refusal() }
    defer { X509_free(certificate) }
    let request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n".utf8)
    SSL_write(ssl, request, Int32(request.count))
    var (said, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
    while true {
      let count = SSL_read(ssl, &chunk, Int32(chunk.count))
      if count <= 0 { break }
      said += chunk[..<Int(count)]
      if let mark, String(decoding: said, as: UTF8.self).contains(mark) { break }
    }
    answer = String(decoding: said, as: UTF8.self)
    var (digest, size) = ([UInt8](repeating: 0, count: 32), UInt32(32))
    X509_digest(certificate, EVP_sha256(), &digest, &size)
    fingerprint = digest.map { String(format: "%02X", $0) }.joined(separator: ":")
    names =
      ["localhost", "den.local", "other.local"].filter { X509_check_host(certificate, $0, 0, 0, nil) == 1 }
      + ["127.0.0.1", "192.0.2.7", "192.0.2.8", "2001:db8::7"].filter { X509_check_ip_asc(certificate, $0, 0) == 1 }
    isP256 =
      EVP_PKEY_get_id(X509_get0_pubkey(certificate)) == EVP_PKEY_EC
      && EVP_PKEY_get_bits(X509_get0_pubkey(certificate)) == 256
    var (whole, seconds) = (Int32(0), Int32(0))
    ASN1_TIME_diff(&whole, &seconds, X509_get0_notBefore(certificate), X509_get0_notAfter(certificate))
    days = Int(whole)
  }
}
