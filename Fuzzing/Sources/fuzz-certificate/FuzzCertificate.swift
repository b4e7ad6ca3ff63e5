import COpenSSL
import FuzzDriver
@testable import PeerTransport

@main
struct FuzzCertificate {
  static func main() { fuzz(fuzzCertificate) }
}

private let identity: TLSIdentity = {
  guard let identity = try? TLSIdentity(seed: Array(0..<32)) else { preconditionFailure("no identity") }
  return identity
}()

private nonisolated(unsafe) let context: TLSContext = {
  guard let context = try? TLSContext(identity: identity) else { preconditionFailure("no context") }
  return context
}()

/// Any bytes as the certificate of the other end (DER): refused, or one with an Ed25519 key that is not the own.
private func fuzzCertificate(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  ERR_clear_error()
  var start: UnsafePointer<UInt8>? = data
  guard let certificate = d2i_X509(nil, &start, count) else { return 0 }
  defer { X509_free(certificate) }
  let (store, chain) = (X509_STORE_CTX_new(), OPENSSL_sk_new_null())
  defer {
    X509_STORE_CTX_free(store)
    OPENSSL_sk_free(chain)
  }
  guard let store, let chain, OPENSSL_sk_push(chain, UnsafeRawPointer(certificate)) == 1,
    X509_STORE_CTX_init(store, nil, certificate, chain) == 1
  else { preconditionFailure("out of memory") }
  guard context.problem(with: store) == X509_V_OK, let key = X509_get0_pubkey(certificate) else { return 0 }
  precondition(EVP_PKEY_get_id(key) == EVP_PKEY_ED25519, "a certificate with another kind of key is accepted")
  precondition(TLSIdentity.publicKey(of: key) != identity.publicKey, "the own key is accepted from another peer")
  return 0
}
