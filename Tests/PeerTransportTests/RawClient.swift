import COpenSSL
import Dispatch
import Glibc
import PeerProtocol
import PeerTransport

/// A plain blocking socket to a listener, for clients that misbehave; every wait ends after ten seconds.
final class RawClient: @unchecked Sendable {
  let descriptor: Int32
  private var wasReset = false

  /// A socket that is not connected yet.
  init() {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    // Longer than any time the listener gives here, five times over: its clock is slower in a sanitized build.
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  /// A socket connected to `port` of this machine.
  convenience init(port: UInt16) {
    self.init()
    // A listener may reset a connection before the client has even returned from making it.
    wasReset = !connect(port: port) && errno == ECONNRESET
  }

  /// A socket connected to `port` of this machine, from one of the addresses of its loopback network.
  convenience init(port: UInt16, from source: UInt32) {
    self.init()
    take(source)
    wasReset = !connect(port: port) && errno == ECONNRESET
  }

  deinit {
    close(descriptor)
  }

  private func take(_ source: UInt32) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = source.bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = bind(descriptor, $0, size) }
    }
  }

  /// Takes a port of the loopback address, at which nobody listens then; nil when the system gives none.
  func takePort() -> UInt16? {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bare in
        bind(descriptor, bare, size) == 0 && getsockname(descriptor, bare, &size) == 0
      }
    } ? UInt16(bigEndian: address.sin_port) : nil
  }

  @discardableResult
  func connect(port: UInt16) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) == 0 }
    }
  }

  /// Begins so many connections, and waits for none.
  static func flood(port: UInt16, _ count: Int) {
    for _ in 0..<count {
      let client = RawClient()
      _ = fcntl(client.descriptor, F_SETFL, O_NONBLOCK)
      client.connect(port: port)
    }
  }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// Waits for bytes; how many came, not more than the buffer has room for.
  func receive(into buffer: inout [UInt8]) -> Int { recv(descriptor, &buffer, buffer.count, 0) }

  /// Whether the listener closed or reset the connection; it may send something first, such as an alert.
  func isEnded() -> Bool {
    if wasReset { return true }
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count > 0 { continue }
      return count == 0 || errno == ECONNRESET
    }
  }

  /// Sends one byte every few milliseconds until the listener has enough; returns how many it took.
  func dribble(_ bytes: [UInt8]) -> Int {
    for (index, byte) in bytes.enumerated() {
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if Glibc.poll(&poll, 1, 10) > 0 || !send([byte]) { return index }
    }
    return bytes.count
  }

  /// Closes with a reset instead of an end.
  func reset() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    // The number stays taken, so that nobody else's descriptor is closed later in its place.
    let null = open("/dev/null", O_RDONLY)
    dup2(null, descriptor)
    close(null)
  }
}

extension UInt64 {
  /// A day (nanoseconds): longer than any machine takes for a test.
  static let day: UInt64 = 86_400_000_000_000
}

/// What a TLS client of another make shows.
struct RawTLS {
  var lowest = TLS1_3_VERSION
  var highest = TLS1_3_VERSION
  var key: Key? = .ed25519
  /// Copies of the certificate sent behind the first.
  var extraCertificates = 0
  /// How many entries the certificate's name has, about 80 bytes each.
  var nameEntries = 0

  enum Key {
    case ed25519
    case rsa
  }

  /// What became of the connection.
  enum Outcome: Equatable {
    /// The handshake failed, or the first read brought an alert or the end.
    case refused
    /// The listener sent its closing message.
    case closedInOrder
  }

  /// Shakes hands with the listener, runs `body` and reads until something happens; `source` is an address of this machine.
  func run(
    port: UInt16, from source: UInt32 = 0x7f00_0001, _ body: (OpaquePointer, RawClient) -> Void = { _, _ in }
  ) -> Outcome {
    // OpenSSL's own socket layer writes without MSG_NOSIGNAL.
    signal(SIGPIPE, SIG_IGN)
    let context = SSL_CTX_new(TLS_client_method())!
    defer { SSL_CTX_free(context) }
    _ = sw_ctx_set_protocol(context, lowest, highest)
    if let key { install(key, in: context) }
    let ssl = SSL_new(context)!
    defer { SSL_free(ssl) }
    // Not before: to make an RSA key may take longer than a listener waits for the first byte.
    let client = RawClient(port: port, from: source)
    SSL_set_fd(ssl, client.descriptor)
    guard SSL_connect(ssl) == 1 else { return .refused }
    body(ssl, client)
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = SSL_read(ssl, &buffer, 64)
    return SSL_get_error(ssl, count) == SSL_ERROR_ZERO_RETURN ? .closedInOrder : .refused
  }

  private func install(_ kind: Key, in context: OpaquePointer) {
    let maker = EVP_PKEY_CTX_new_id(kind == .rsa ? EVP_PKEY_RSA : EVP_PKEY_ED25519, nil)
    var key: OpaquePointer?
    EVP_PKEY_keygen_init(maker)
    EVP_PKEY_keygen(maker, &key)
    EVP_PKEY_CTX_free(maker)
    let certificate = X509_new()!
    X509_set_version(certificate, 2)
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0)
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86_400)
    let entry = String(repeating: "x", count: 60)
    for _ in 0..<nameEntries { _ = sw_name_add(X509_get_subject_name(certificate), "OU", entry) }
    X509_set_pubkey(certificate, key)
    X509_sign(certificate, key, kind == .rsa ? EVP_sha256() : nil)
    let chain = OPENSSL_sk_new_null()
    for _ in 0..<extraCertificates { OPENSSL_sk_push(chain, UnsafeRawPointer(certificate)) }
    SSL_CTX_use_cert_and_key(context, certificate, key, chain, 1)
    OPENSSL_sk_free(chain)
    X509_free(certificate)
    EVP_PKEY_free(key)
  }
}

/// Runs blocking work away from the threads that tests share.
func blocking<R: Sendable>(_ work: @escaping @Sendable () -> R) async -> R {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(returning: work()) }
  }
}
