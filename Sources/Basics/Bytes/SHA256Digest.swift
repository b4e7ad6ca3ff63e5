import COpenSSL

/// A SHA-256 hash (FIPS 180-4), 32 bytes.
///
/// Comparing and hashing are inlinable because peers, actors and chunks are looked up by digest on hot paths of other modules.
public struct SHA256Digest: Hashable, Sendable, Comparable {
  // Four words and not one vector: values aligned to 32 bytes break the task allocator of Swift 6.3 when they live
  // across a suspension ("freed pointer was not the last allocation").
  @usableFromInline let first: UInt64
  @usableFromInline let second: UInt64
  @usableFromInline let third: UInt64
  @usableFromInline let fourth: UInt64

  /// The hash as four big-endian words, first bytes first, so that comparing words compares bytes.
  @inlinable package var words: SIMD4<UInt64> { SIMD4(first, second, third, fourth) }

  @inlinable package init(words: SIMD4<UInt64>) {
    (first, second, third, fourth) = (words.x, words.y, words.z, words.w)
  }

  /// Reads 32 bytes; nil for any other count.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    var words = SIMD4<UInt64>()
    for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
    self.init(words: words)
  }

  /// Hashes `data`.
  public init(hashing data: RawSpan) {
    var output = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    unsafe withUnsafeMutableBytes(of: &output) { out in
      unsafe data.withUnsafeBytes { input in
        _ = unsafe EVP_Digest(input.baseAddress, input.count, out.baseAddress, nil, EVP_sha256(), nil)
      }
    }
    self.init(words: SIMD4(output.0.bigEndian, output.1.bigEndian, output.2.bigEndian, output.3.bigEndian))
  }

  /// Hashes `bytes`.
  public init(hashing bytes: [UInt8]) {
    unsafe self.init(hashing: bytes.span.bytes)
  }

  /// The 32 bytes, in order.
  public var bytes: [UInt8] {
    (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - 8 * ($0 % 8))) }
  }

  /// Whether all 32 bytes agree.
  @inlinable public static func == (left: Self, right: Self) -> Bool {
    left.first == right.first && left.second == right.second && left.third == right.third && left.fourth == right.fourth
  }

  /// Feeds the 32 bytes to `hasher`.
  @inlinable public func hash(into hasher: inout Hasher) {
    hasher.combine(first)
    hasher.combine(second)
    hasher.combine(third)
    hasher.combine(fourth)
  }

  /// Orders by bytes, first byte first.
  @inlinable public static func < (left: Self, right: Self) -> Bool {
    (left.first, left.second, left.third, left.fourth) < (right.first, right.second, right.third, right.fourth)
  }
}

extension SHA256Digest: TextCodable {
  /// Reads 64 hexadecimal digits, upper or lower case; nil for anything else.
  public init?(_ text: String) {
    guard let bytes = [UInt8](hexadecimal: text) else { return nil }
    self.init(bytes: bytes)
  }

  /// 64 lower-case hexadecimal digits.
  public var description: String { bytes.hexadecimal }
}
