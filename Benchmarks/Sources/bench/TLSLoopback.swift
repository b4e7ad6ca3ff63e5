import COpenSSL
import Foundation
import Glibc

/// The ceiling for anything encrypted: OpenSSL's TLS 1.3 on blocking sockets through loopback, records of 16 KiB.
///
/// One thread writes, one reads; the cipher is the one the project prefers. Nothing is verified, kept or parsed.
enum TLSLoopback {
  private static let recordSize = 16 * 1024

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Bytes a second from one thread to another when `bytes` are sent.
  static func bytesPerSecond(bytes: Int) throws -> Double {
    let sockets = try RawTCP.pair()
    defer { for socket in [sockets.sender, sockets.receiver] { close(socket) } }
    let context = try makeContext()
    defer { SSL_CTX_free(context) }
    let (sender, receiver) = (SSL_new(context), SSL_new(context))
    defer { for end in [sender, receiver] { SSL_free(end) } }
    SSL_set_fd(sender, sockets.sender)
    SSL_set_fd(receiver, sockets.receiver)
    let rounds = bytes / recordSize
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) let reader = receiver
    let thread = Thread {
      SSL_accept(reader)
      drain(reader, rounds * recordSize)
      done.signal()
    }
    thread.start()
    guard SSL_connect(sender) == 1 else { throw Failure(description: "no TLS connection") }
    let clock = ContinuousClock()
    let start = clock.now
    let record = (0..<recordSize).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    for _ in 0..<rounds where SSL_write(sender, record, Int32(recordSize)) <= 0 {
      throw Failure(description: "SSL_write failed")
    }
    done.wait()
    return Double(rounds * recordSize) / ((clock.now - start) / .seconds(1))
  }

  private static func drain(_ end: OpaquePointer?, _ count: Int) {
    var buffer = [UInt8](repeating: 0, count: recordSize)
    var rest = count
    while rest > 0 {
      let read = SSL_read(end, &buffer, Int32(buffer.count))
      guard read > 0 else { return }
      rest -= Int(read)
    }
  }

  /// A context for both ends, with a fresh Ed25519 certificate that nobody looks at.
  private static func makeContext() throws -> OpaquePointer {
    guard let context = SSL_CTX_new(TLS_method()), let certificate = X509_new() else {
      throw Failure(description: "out of memory")
    }
    defer { X509_free(certificate) }
    var seed = [UInt8](repeating: 0, count: 32)
    RAND_bytes(&seed, 32)
    let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
    defer { EVP_PKEY_free(key) }
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0)
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600)
    X509_set_pubkey(certificate, key)
    let isReady =
      X509_sign(certificate, key, nil) > 0
      && sw_ctx_set_protocol(context, TLS1_3_VERSION, TLS1_3_VERSION) == 1
      && SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") == 1
      && SSL_CTX_use_certificate(context, certificate) == 1
      && SSL_CTX_use_PrivateKey(context, key) == 1
    guard isReady else {
      SSL_CTX_free(context)
      throw Failure(description: "TLS cannot be set up")
    }
    return context
  }
}
