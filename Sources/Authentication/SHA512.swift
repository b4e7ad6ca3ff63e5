import CSodium

/// SHA-512 (RFC 6234) over parts that are fed one after the other; libsodium overwrites its state at the end.
struct SHA512 {
  /// Bytes of a block, which CPace pads to.
  static let blockSize = 128
  /// Bytes of a digest.
  static let size = 64

  private var state = crypto_hash_sha512_state()

  init() {
    crypto_hash_sha512_init(&state)
  }

  mutating func update(_ bytes: [UInt8]) {
    crypto_hash_sha512_update(&state, bytes, UInt64(bytes.count))
  }

  mutating func update(_ secret: SecretBytes) {
    crypto_hash_sha512_update(&state, secret.start, UInt64(secret.count))
  }

  /// Adds a part behind its length, as the draft's `prepend_len` does.
  mutating func updateWithLength(_ bytes: [UInt8]) {
    update(LengthValue.length(of: bytes.count))
    update(bytes)
  }

  mutating func updateWithLength(_ secret: SecretBytes) {
    update(LengthValue.length(of: secret.count))
    update(secret)
  }

  /// The digest of all parts.
  mutating func finish() -> SecretBytes {
    SecretBytes(count: Self.size) { digest in _ = crypto_hash_sha512_final(&state, digest) }
  }
}

/// Strings behind their lengths, so that no two lists of strings are one string.
///
/// draft-irtf-cfrg-cpace, "Notation": `prepend_len` and `lv_cat`; a length is unsigned LEB128.
enum LengthValue {
  /// The encoding of a length.
  static func length(of count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = count
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  /// All parts, each behind its length.
  static func concatenate(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { length(of: $0.count) + $0 } }
}
