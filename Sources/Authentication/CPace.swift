import CSodium

/// The computations of CPace over ristretto255 with SHA-512 (draft-irtf-cfrg-cpace, CPACE-RISTR255-SHA512), in the setting
/// of an initiator and a responder.
enum CPace {
  /// Bytes of a scalar, a group element and a share.
  static let elementSize = 32
  /// Bytes of the random input that a scalar is reduced from.
  static let entropySize = 64
  /// Bytes of a confirmation tag (HMAC-SHA-512).
  static let tagSize = 64

  private static let domain = Array("CPaceRistretto255".utf8)
  private static let keyDomain = Array("CPaceRistretto255_ISK".utf8)
  private static let confirmationDomain = Array("CPaceMac".utf8)

  /// Whether the library is ready; it prepares itself once.
  private static let isReady = sodium_init() >= 0

  /// The generator that a passcode, a channel and a session stand for (`calculate_generator`).
  static func generator(passcode: SecretBytes, channel: [UInt8], session: [UInt8]) throws(CPaceFailure) -> SecretBytes {
    guard isReady else { throw .unavailable }
    var hash = SHA512()
    hash.updateWithLength(domain)
    hash.updateWithLength(passcode)
    // The passcode fills the first block of the hash together with zeros, which hides its length from the time it takes.
    let used =
      1 + LengthValue.length(of: passcode.count).count + passcode.count + LengthValue.length(of: domain.count).count
      + domain.count
    hash.updateWithLength([UInt8](repeating: 0, count: max(0, SHA512.blockSize - used)))
    hash.updateWithLength(channel)
    hash.updateWithLength(session)
    let digest = hash.finish()
    return try SecretBytes(count: elementSize) { element throws(CPaceFailure) in
      guard crypto_core_ristretto255_from_hash(element, digest.start) == 0 else { throw .unavailable }
    }
  }

  /// A scalar, uniform below the order of the group, from 64 random bytes (`sample_scalar`).
  static func scalar(from entropy: SecretBytes) -> SecretBytes {
    SecretBytes(count: elementSize) { crypto_core_ristretto255_scalar_reduce($0, entropy.start) }
  }

  /// The share of a scalar: what the other side receives (`scalar_mult`).
  static func share(of scalar: SecretBytes, on generator: SecretBytes) throws(CPaceFailure) -> [UInt8] {
    var share = [UInt8](repeating: 0, count: elementSize)
    guard crypto_scalarmult_ristretto255(&share, scalar.start, generator.start) == 0 else { throw .invalidShare }
    return share
  }

  /// The group element that both sides have in common (`scalar_mult_vfy`).
  ///
  /// - Throws: ``CPaceFailure/invalidShare`` where the draft says to abort: for bytes that encode no element, and for the
  ///   identity.
  static func sharedElement(_ scalar: SecretBytes, with share: [UInt8]) throws(CPaceFailure) -> SecretBytes {
    guard share.count == elementSize else { throw .invalidShare }
    return try SecretBytes(count: elementSize) { element throws(CPaceFailure) in
      guard crypto_scalarmult_ristretto255(element, scalar.start, share) == 0 else { throw .invalidShare }
    }
  }

  /// The intermediate session key (ISK) of an initiator that sent `first` and a responder that sent `second`.
  static func sessionKey(
    session: [UInt8], element: SecretBytes, first: Contribution, second: Contribution
  ) -> SecretBytes {
    var hash = SHA512()
    hash.updateWithLength(keyDomain)
    hash.updateWithLength(session)
    hash.updateWithLength(element)
    hash.update(first.bytes)
    hash.update(second.bytes)
    return hash.finish()
  }

  /// The key of the confirmation tags.
  static func confirmationKey(session: [UInt8], sessionKey: SecretBytes) -> SecretBytes {
    var hash = SHA512()
    hash.update(confirmationDomain)
    hash.update(session)
    hash.update(sessionKey)
    return hash.finish()
  }

  /// The tag by which a side shows that it has computed the same key: over what it sent itself.
  static func tag(over contribution: Contribution, key: SecretBytes) -> [UInt8] {
    var state = crypto_auth_hmacsha512_state()
    defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
    crypto_auth_hmacsha512_init(&state, key.start, key.count)
    crypto_auth_hmacsha512_update(&state, contribution.bytes, UInt64(contribution.bytes.count))
    var tag = [UInt8](repeating: 0, count: tagSize)
    crypto_auth_hmacsha512_final(&state, &tag)
    return tag
  }

  /// Whether two tags are equal, in a time that does not depend on where they differ.
  static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && sodium_memcmp(one, other, one.count) == 0
  }

  /// The message of one side: its share and its associated data.
  struct Contribution: Sendable {
    /// `lv_cat(Y, AD)`.
    let bytes: [UInt8]

    init(share: [UInt8], data: [UInt8]) {
      bytes = LengthValue.concatenate(share, data)
    }
  }
}

/// Why an exchange of a passcode failed; the exchange is over then.
package enum CPaceFailure: Error, Equatable, Sendable {
  /// A message came twice, too early, or to the side that sends it.
  case outOfOrder
  /// A share encodes no element of the group, or the identity.
  case invalidShare
  /// The other side has another passcode, or somebody stands between the two.
  case wrongPasscode
  /// The cryptographic library does not work on this machine.
  case unavailable
}
