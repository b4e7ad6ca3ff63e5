import Basics
import COpenSSL
package import WorldModel

/// Signatures outside TLS (Ed25519, RFC 8032).
extension TLSIdentity {
  /// The public key, 32 bytes.
  package var publicKey: [UInt8] { Self.publicKey(of: key) }

  /// The signature over bytes, 64 bytes; `bytes` begin with what they are for, so that it is good for nothing else.
  package func signature(over bytes: [UInt8]) throws(TransportFailure) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { throw .openSSL("cannot sign") }
    defer { EVP_MD_CTX_free(context) }
    var (signature, count) = ([UInt8](repeating: 0, count: 64), 64)
    guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
      EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1, count == signature.count
    else { throw .openSSL("cannot sign") }
    return signature
  }

  /// Whether a signature over bytes is that of a public key.
  package static func verifies(
    _ signature: some Collection<UInt8>, over bytes: some Collection<UInt8>, key: [UInt8]
  ) -> Bool {
    guard let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, key, key.count) else { return false }
    defer { EVP_PKEY_free(key) }
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    let (signature, bytes) = (Array(signature), Array(bytes))
    return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
      && EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
  }

  /// The identity of the peer with a public key.
  package static func peerID(ofKey key: [UInt8]) -> PeerID { PeerID(SHA256Digest(hashing: keyInfo(of: key))) }
}
