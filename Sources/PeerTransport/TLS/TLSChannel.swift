import Basics
import COpenSSL
package import WorldModel

/// One end of a TLS connection over two buffers, without a socket.
///
/// OpenSSL on a socket would call `send` and `recv` itself: it could not stop at a high watermark, share one write with
/// other frames, or compute a handshake on another thread. Its memory buffers (`BIO_s_mem`) give the bytes to us, but
/// grow without a limit: a peer that asks for new keys again and again and never reads makes OpenSSL answer into them
/// until the process dies. So `sw_pipe` stands in their place. It reads from the buffer that `recv` has filled, without
/// a copy, and writes into one of ``outputCapacity`` bytes; when that is full, the connection fails.
///
/// Received bytes are lent with ``lend(_:)`` and decrypted into the caller's buffer; what must be sent collects in
/// ``output``, at most ``outputCapacity`` bytes. A thrown failure is final: send what ``output`` holds (the alert) and
/// drop the channel. Records that were decrypted before a fault are delivered first: they are the peer's, and may say
/// why.
///
/// Nothing in a certificate is believed but its key, which must have signed this handshake; `TLSContext` sets the rules
/// of TLS. Documentation/transport.md has them.
package final class TLSChannel {
  /// Which side of the handshake this is.
  package enum Role: Sendable {
    /// The side that connected.
    case dialer
    /// The side that accepted.
    case listener
  }

  /// The most plaintext in a record (bytes, RFC 8446 §5.1).
  package static let recordSize = 16 * 1024
  /// Room for encrypted bytes waiting for the socket.
  package static let outputCapacity = 64 * 1024
  /// An upper bound for the bytes that a record adds to its plaintext.
  private static let recordOverhead = 256

  /// The peer, known once the handshake is over.
  package private(set) var peer: PeerID?
  /// Updates of keys that a peer may send on one connection: at 2²⁴ records each, more than any connection lives for.
  static let keyUpdateLimit: Int32 = 16

  /// Whether the peer sent close_notify.
  private(set) var isClosedByPeer = false

  private let context: TLSContext
  private let handle: OpaquePointer
  private let pipe: UnsafeMutablePointer<sw_pipe>
  private var postponed: TransportFailure?
  /// Received bytes that the last step of ``shakeHands(over:)`` has left for ``decrypt(into:)``, or why it failed.
  var step = Result<[UInt8], TransportFailure>.success([])

  private nonisolated(unsafe) static let method = sw_pipe_method()

  /// A channel that has not begun its handshake.
  package init(context: TLSContext, role: Role) throws(TransportFailure) {
    guard let handle = SSL_new(context.handle) else { throw .openSSL("out of memory") }
    guard let bio = BIO_new(Self.method) else {
      SSL_free(handle)
      throw .openSSL("out of memory")
    }
    self.context = context
    self.handle = handle
    pipe = .allocate(capacity: 1)
    let output = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.outputCapacity)
    pipe.initialize(
      to: sw_pipe(
        in: nil, in_count: 0, out: output, out_count: 0, out_capacity: Self.outputCapacity, key_updates: 0,
        key_update_limit: Self.keyUpdateLimit))
    sw_pipe_watch(pipe, handle)
    BIO_set_data(bio, pipe)
    BIO_set_init(bio, 1)
    SSL_set_bio(handle, bio, bio)
    if role == .dialer { SSL_set_connect_state(handle) } else { SSL_set_accept_state(handle) }
  }

  deinit {
    SSL_free(handle)
    pipe.pointee.out.deallocate()
    pipe.deallocate()
  }

  /// Lends received bytes; they must stay valid until every call of ``decrypt(into:)`` on them returned or
  /// ``endLoan()``.
  func lend(_ bytes: UnsafeRawBufferPointer) {
    assert(pipe.pointee.in == nil, "bytes are lent while others are")
    pipe.pointee.in = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    pipe.pointee.in_count = bytes.count
  }

  /// Forgets the lent bytes.
  func endLoan() {
    pipe.pointee.in = nil
    pipe.pointee.in_count = 0
  }

  /// Goes on with the handshake; true once it is over and ``peer`` is known.
  func handshake() throws(TransportFailure) -> Bool {
    if peer != nil { return true }
    ERR_clear_error()
    let result = SSL_do_handshake(handle)
    guard result == 1 else {
      if SSL_get_error(handle, result) == SSL_ERROR_WANT_READ { return false }
      throw failure()
    }
    guard let certificate = SSL_get0_peer_certificate(handle), let key = X509_get0_pubkey(certificate) else {
      throw .refused(.missing)
    }
    peer = TLSIdentity.peerID(ofKey: TLSIdentity.publicKey(of: key))
    return true
  }

  /// Goes on with the handshake, perhaps on another thread, and keeps what came of it as ``step``.
  func shakeHands(over bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      lend(bytes)
      defer { endLoan() }
      do throws(TransportFailure) {
        _ = try handshake()
        step = .success(Array(bytes.suffix(pipe.pointee.in_count)))
      } catch {
        step = .failure(error)
      }
    }
  }

  /// Whether ``decrypt(into:)`` may give bytes or a failure; a needless call costs as much as a small message.
  var mayHaveMore: Bool { postponed != nil || pipe.pointee.in_count > 0 || SSL_has_pending(handle) != 0 }

  /// Decrypts lent bytes until `buffer` has no room for another record or all are used; 0 when more must arrive.
  func decrypt(into buffer: UnsafeMutableRawBufferPointer) throws(TransportFailure) -> Int {
    if let postponed { throw postponed }
    var filled = 0
    while buffer.count - filled >= Self.recordSize, !isClosedByPeer {
      clearErrors()
      var count = 0
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let result = SSL_read_ex(handle, room.baseAddress, room.count, &count)
      filled += count
      if result == 1 {
        if !mayHaveMore { break }
        continue
      }
      let error = SSL_get_error(handle, result)
      if error == SSL_ERROR_WANT_READ { break }
      if error == SSL_ERROR_ZERO_RETURN {
        isClosedByPeer = true
        break
      }
      // Deliver what was decrypted before the fault; the next call reports it.
      postponed = failure()
      break
    }
    if filled == 0, let postponed { throw postponed }
    return filled
  }

  /// Whether ``output`` has room for another full record.
  var hasRoom: Bool {
    pipe.pointee.out_capacity - pipe.pointee.out_count >= Self.recordSize + Self.recordOverhead
  }

  /// Encrypts at most one record of `bytes` into ``output`` and returns how many bytes it consumed; 0 without room.
  func encrypt(_ bytes: UnsafeRawBufferPointer) throws(TransportFailure) -> Int {
    guard hasRoom, !bytes.isEmpty else { return 0 }
    clearErrors()
    var count = 0
    let result = SSL_write_ex(handle, bytes.baseAddress, min(bytes.count, Self.recordSize), &count)
    guard result == 1 else { throw failure() }
    return count
  }

  /// Says that nothing more will be encrypted (a `close_notify` alert).
  package func finish() {
    ERR_clear_error()
    SSL_shutdown(handle)
    ERR_clear_error()
  }

  /// The encrypted bytes that wait for the socket.
  package var output: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: pipe.pointee.out, count: pipe.pointee.out_count)
  }

  /// Removes the first `count` bytes of ``output`` after the socket took them.
  func consumeOutput(_ count: Int) {
    assert(count <= pipe.pointee.out_count, "the socket took more than there was")
    let rest = pipe.pointee.out_count - count
    if rest > 0 { memmove(pipe.pointee.out, pipe.pointee.out + count, rest) }
    pipe.pointee.out_count = rest
  }

  /// Keying material bound to this connection (RFC 8446 §7.5); `label` begins with `EXPORTER-sharedworld`.
  package func exportKeyingMaterial(
    label: String, context: [UInt8] = [], count: Int = 32
  ) throws(TransportFailure) -> [UInt8] {
    var material = [UInt8](repeating: 0, count: count)
    let result = SSL_export_keying_material(
      handle, &material, count, label, label.utf8.count, context, context.count, 1)
    guard result == 1 else { throw .openSSL("no keying material yet") }
    return material
  }

  /// Forgets failures of earlier calls; to clear an empty list costs three times the look.
  private func clearErrors() {
    if ERR_peek_error() != 0 { ERR_clear_error() }
  }

  private func failure() -> TransportFailure {
    guard pipe.pointee.key_updates <= Self.keyUpdateLimit else { return .tls("the peer changed its keys too often") }
    switch Int32(truncatingIfNeeded: SSL_get_verify_result(handle)) {
    case X509_V_ERR_CERT_REJECTED: return .refused(.ownIdentity)
    case X509_V_ERR_CERT_CHAIN_TOO_LONG: return .refused(.chainTooLong)
    case X509_V_ERR_UNSUPPORTED_SIGNATURE_ALGORITHM: return .refused(.notEd25519)
    default: break
    }
    switch sw_error_reason(ERR_peek_error()) {
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: return .refused(.missing)
    case SSL_R_EXCESSIVE_MESSAGE_SIZE: return .refused(.chainTooLong)
    default: return .openSSL("the connection failed")
    }
  }
}
