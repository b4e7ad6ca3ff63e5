import Authentication
package import Basics
import COpenSSL
package import WorldModel

/// The identity of this process on the wire: an Ed25519 key (RFC 8032) and a self-signed certificate for it.
///
/// The certificate is a function of the key alone: CN=sharedworld, serial 1, valid from 2020 without an end
/// (RFC 5280 §4.1.2.5), so a wrong clock refuses nobody. Trust rests on the key, never on what the certificate says.
package final class TLSIdentity: Sendable {
  /// The SHA-256 of the public key.
  package let peerID: PeerID

  nonisolated(unsafe) let key: OpaquePointer
  nonisolated(unsafe) let certificate: OpaquePointer

  /// A new identity from the system's random numbers.
  package convenience init() throws(TransportFailure) {
    var seed = [UInt8](repeating: 0, count: 32)
    defer { seed.wipe() }
    guard Self.fillWithSecretBytes(&seed) else { throw .openSSL("no random numbers") }
    try self.init(seed: seed)
  }

  /// The identity whose private key is these 32 bytes.
  package convenience init(seed: [UInt8]) throws(TransportFailure) {
    precondition(seed.count == 32, "an Ed25519 private key has 32 bytes")
    guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count) else {
      throw .openSSL("cannot make a key")
    }
    guard let certificate = Self.selfSigned(key) else {
      EVP_PKEY_free(key)
      throw .openSSL("cannot make a certificate")
    }
    self.init(key: key, certificate: certificate)
  }

  /// Fills `bytes` with random numbers of the system for secrets; false when there are none.
  static func fillWithSecretBytes(_ bytes: inout [UInt8]) -> Bool { RAND_priv_bytes(&bytes, Int32(bytes.count)) == 1 }

  /// Takes over a key and the certificate that belongs to it.
  init(key: OpaquePointer, certificate: OpaquePointer) {
    self.key = key
    self.certificate = certificate
    peerID = Self.peerID(ofKey: Self.publicKey(of: key))
  }

  deinit {
    X509_free(certificate)
    EVP_PKEY_free(key)
  }

  /// A digest that only the holder of the private key can derive for a purpose, always the same one.
  ///
  /// It is the purpose's HMAC-SHA256 (RFC 2104) under that key, and tells nothing of the key.
  package func derivedDigest(for purpose: String) throws(TransportFailure) -> SHA256Digest {
    var (secret, count) = ([UInt8](repeating: 0, count: 32), 32)
    defer { secret.wipe() }
    guard EVP_PKEY_get_raw_private_key(key, &secret, &count) == 1,
      let digest = SHA256Digest(bytes: HMACSHA256.tag(over: Array(purpose.utf8), key: secret))
    else { throw .openSSL("cannot read the key") }
    return digest
  }

  /// The SubjectPublicKeyInfo of an Ed25519 public key in DER (RFC 8410 §4): 44 bytes.
  static func keyInfo(of publicKey: [UInt8]) -> [UInt8] {
    [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00] + publicKey
  }

  /// The public key of a key pair, or of a certificate's key: 32 bytes.
  static func publicKey(of key: OpaquePointer) -> [UInt8] {
    var raw = [UInt8](repeating: 0, count: 32)
    var count = raw.count
    EVP_PKEY_get_raw_public_key(key, &raw, &count)
    return raw
  }

  private static func selfSigned(_ key: OpaquePointer) -> OpaquePointer? {
    guard let certificate = X509_new() else { return nil }
    let name = X509_get_subject_name(certificate)
    let isMade =
      X509_set_version(certificate, 2) == 1
      && ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1
      && ASN1_TIME_set_string_X509(X509_getm_notBefore(certificate), "20200101000000Z") == 1
      && ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), "99991231235959Z") == 1
      && sw_name_add(name, "CN", "sharedworld") == 1
      && X509_set_issuer_name(certificate, name) == 1
      && X509_set_pubkey(certificate, key) == 1
      && X509_sign(certificate, key, nil) > 0
    if isMade { return certificate }
    X509_free(certificate)
    return nil
  }
}

extension TransportFailure {
  /// A failure of OpenSSL with the newest entry of its error queue, which is emptied.
  static func openSSL(_ doing: String) -> Self {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    guard code != 0, let reason = ERR_reason_error_string(code) else { return .tls(doing) }
    return .tls(String(cString: reason))
  }
}
