import COpenSSL
import WorldModel

/// The one TLS configuration of this project: version 1.3 only, both sides with an Ed25519 certificate, X25519 only.
///
/// No tickets, no session cache, no early data (RFC 8446). A peer's certificate is refused unless it is a single
/// Ed25519 certificate of somebody else; its name, dates and signature say nothing and are not looked at: the key
/// proves itself by signing the handshake.
package final class TLSContext {
  /// The largest certificate message accepted (bytes).
  static let chainLimit = 4096

  let identity: TLSIdentity
  let handle: OpaquePointer

  /// The bytes of the own public key, which no peer may show.
  private let ownKey: [UInt8]

  /// A context for `identity`, good for both dialling and accepting.
  package init(identity: TLSIdentity) throws(TransportFailure) {
    guard let handle = SSL_CTX_new(TLS_method()) else { throw .openSSL("out of memory") }
    self.identity = identity
    self.handle = handle
    ownKey = identity.publicKey
    sw_ctx_set_cache_off(handle)
    sw_ctx_set_chain_limit(handle, Self.chainLimit)
    sw_ctx_set_stream_mode(handle)
    sw_ctx_set_plain_options(handle)
    SSL_CTX_set_verify(handle, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    let isReady =
      sw_ctx_set_protocol(handle, TLS1_3_VERSION, TLS1_3_VERSION) == 1
      && sw_ctx_set_groups(handle, "X25519") == 1
      && sw_ctx_set_signatures(handle, "ed25519") == 1
      && SSL_CTX_set_ciphersuites(handle, "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256") == 1
      && SSL_CTX_set_num_tickets(handle, 0) == 1
      && SSL_CTX_use_certificate(handle, identity.certificate) == 1
      && SSL_CTX_use_PrivateKey(handle, identity.key) == 1
    guard isReady else { throw .openSSL("cannot configure TLS") }
    // The context outlives every handshake that may call back: each channel keeps it.
    SSL_CTX_set_cert_verify_callback(
      handle, { store, context in TLSContext.verify(store, context) }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    SSL_CTX_free(handle)
  }

  private static func verify(_ store: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let store, let context else { return 0 }
    let problem = Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().problem(with: store)
    X509_STORE_CTX_set_error(store, problem)
    return problem == X509_V_OK ? 1 : 0
  }

  /// The verification code that stands for a certificate problem, or `X509_V_OK`.
  func problem(with store: OpaquePointer) -> Int32 {
    guard sw_chain_count(store) == 1 else { return X509_V_ERR_CERT_CHAIN_TOO_LONG }
    guard let certificate = X509_STORE_CTX_get0_cert(store), let key = X509_get0_pubkey(certificate),
      EVP_PKEY_get_id(key) == EVP_PKEY_ED25519
    else { return X509_V_ERR_UNSUPPORTED_SIGNATURE_ALGORITHM }
    return TLSIdentity.publicKey(of: key) == ownKey ? X509_V_ERR_CERT_REJECTED : X509_V_OK
  }
}
