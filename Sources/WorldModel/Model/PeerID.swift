public import Basics

/// The identity of a peer: the SHA-256 of its public key (SubjectPublicKeyInfo in DER), 32 bytes.
///
/// It is read from the certificate of a live TLS connection, never believed from a payload.
public struct PeerID: Hashable, Sendable, Comparable {
  /// The hash.
  public let digest: SHA256Digest

  /// The identity with this key hash.
  public init(_ digest: SHA256Digest) {
    self.digest = digest
  }

  /// Reads 32 bytes; nil for any other count.
  public init?(bytes: some Collection<UInt8>) {
    guard let digest = SHA256Digest(bytes: bytes) else { return nil }
    self.digest = digest
  }

  /// Reads 64 hexadecimal digits, upper or lower case; nil for anything else.
  public init?(_ text: String) {
    guard let bytes = [UInt8](hexadecimal: text) else { return nil }
    self.init(bytes: bytes)
  }

  /// The 32 bytes, in order.
  public var bytes: [UInt8] { digest.bytes }

  /// The first 8 bytes as a big-endian number: the author's half of an actor id.
  public var prefix: UInt64 { digest.words[0] }

  /// Whether both hashes agree.
  @inlinable public static func == (left: Self, right: Self) -> Bool { left.digest == right.digest }

  /// Feeds the hash to `hasher`.
  @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

  /// Orders by bytes, first byte first.
  @inlinable public static func < (left: Self, right: Self) -> Bool { left.digest < right.digest }
}

extension PeerID: CustomStringConvertible {
  /// 64 lower-case hexadecimal digits.
  public var description: String { digest.description }

  /// The first eight digits, for people to read.
  public var short: String { String(description.prefix(8)) }
}
