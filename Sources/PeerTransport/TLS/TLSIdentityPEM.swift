import COpenSSL

extension TLSIdentity {
  /// Why a PEM text is not an identity.
  package enum PEMFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no readable private key, or it needs a password.
    case noPrivateKey
    /// The private key is not Ed25519.
    case notEd25519
    /// There is no readable certificate.
    case noCertificate
    /// The certificate is for another key.
    case otherKey

    /// A sentence for people.
    package var description: String {
      switch self {
      case .noPrivateKey: "it holds no complete private key"
      case .notEd25519: "its private key is not Ed25519"
      case .noCertificate: "it holds no complete certificate"
      case .otherKey: "its certificate does not belong to its key"
      }
    }
  }

  /// The private key (PKCS #8, not encrypted) and the certificate as PEM blocks (RFC 7468); to be wiped after use.
  package func pem() throws(TransportFailure) -> [UInt8] {
    guard let bio = BIO_new(BIO_s_mem()) else { throw .openSSL("out of memory") }
    defer { BIO_free(bio) }
    guard PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil) == 1,
      PEM_write_bio_X509(bio, certificate) == 1
    else { throw .openSSL("cannot encode the identity") }
    var text = [UInt8](repeating: 0, count: BIO_ctrl_pending(bio))
    guard BIO_read(bio, &text, Int32(text.count)) == text.count else { throw .openSSL("cannot encode the identity") }
    return text
  }

  /// Reads what ``pem()`` wrote; the blocks may stand in any order.
  package convenience init(pem text: [UInt8]) throws(PEMFailure) {
    defer { ERR_clear_error() }
    let key = try Self.read(text) {
      PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil)
    } orThrow: {
      .noPrivateKey
    }
    var owned: OpaquePointer? = key
    defer { EVP_PKEY_free(owned) }
    guard EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 else { throw .notEd25519 }
    let certificate = try Self.read(text) {
      PEM_read_bio_X509($0, nil, nil, nil)
    } orThrow: {
      .noCertificate
    }
    guard X509_check_private_key(certificate, key) == 1 else {
      X509_free(certificate)
      throw .otherKey
    }
    owned = nil
    self.init(key: key, certificate: certificate)
  }

  private static func read(
    _ text: [UInt8], _ parse: (OpaquePointer) -> OpaquePointer?, orThrow failure: () -> PEMFailure
  ) throws(PEMFailure) -> OpaquePointer {
    let found = text.withUnsafeBytes { bytes -> OpaquePointer? in
      guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
      defer { BIO_free(bio) }
      return parse(bio)
    }
    guard let found else { throw failure() }
    return found
  }
}
