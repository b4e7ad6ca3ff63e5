import CSodium

/// SHA-256 and what is built of it; libsodium 1.0.18 has no call for HKDF.
package enum HMACSHA256 {
  /// Bytes of a digest, a tag and a derived key.
  static let size = 32

  /// SHA-256 (RFC 6234).
  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: size)
    crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return digest
  }

  /// HMAC-SHA-256 (RFC 2104) under a key of any length.
  package static func tag(over bytes: [UInt8], key: [UInt8]) -> [UInt8] { tag(over: bytes, key: key, key.count) }

  /// The same under a secret, which is not copied.
  static func tag(over bytes: [UInt8], key: SecretBytes) -> [UInt8] {
    withExtendedLifetime(key) { tag(over: bytes, key: key.start, key.count) }
  }

  private static func tag(over bytes: [UInt8], key: UnsafePointer<UInt8>, _ count: Int) -> [UInt8] {
    var state = crypto_auth_hmacsha256_state()
    defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
    crypto_auth_hmacsha256_init(&state, key, count)
    crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
    var tag = [UInt8](repeating: 0, count: size)
    crypto_auth_hmacsha256_final(&state, &tag)
    return tag
  }

  /// The first 32 bytes of HKDF-SHA-256 (RFC 5869 §2): extract, and the first block of expand.
  static func derive(from material: [UInt8], salt: [UInt8], info: [UInt8]) -> [UInt8] {
    tag(over: info + [1], key: tag(over: material, key: salt))
  }
}
