import COpenSSL

/// A SHA-256 hash (FIPS 180-4), 32 bytes.
public struct SHA256Digest: Hashable, Sendable, Comparable {
  // Four words and not one vector: values aligned to 32 bytes break the task allocator of Swift 6.3 when they live
  // across a suspension ("freed pointer was not the last allocation").
  private let first: UInt64
  private let second: UInt64
  private let third: UInt64
  private let fourth: UInt64

  /// The hash as four big-endian words, first bytes first, so that comparing words compares bytes.
  package var words: SIMD4<UInt64> { SIMD4(first, second, third, fourth) }

  package init(words: SIMD4<UInt64>) {
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
    withUnsafeMutableBytes(of: &output) { out in
      data.withUnsafeBytes { input in
        _ = EVP_Digest(input.baseAddress, input.count, out.baseAddress, nil, EVP_sha256(), nil)
      }
    }
    self.init(words: SIMD4(output.0.bigEndian, output.1.bigEndian, output.2.bigEndian, output.3.bigEndian))
  }

  /// Hashes `bytes`.
  public init(hashing bytes: [UInt8]) {
    self.init(hashing: bytes.span.bytes)
  }

  /// The 32 bytes, in order.
  public var bytes: [UInt8] {
    (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - 8 * ($0 % 8))) }
  }

  /// Orders by bytes, first byte first.
  public static func < (left: Self, right: Self) -> Bool {
    (left.first, left.second, left.third, left.fourth) < (right.first, right.second, right.third, right.fourth)
  }
}

extension SHA256Digest: CustomStringConvertible {
  /// 64 lower-case hexadecimal digits.
  public var description: String { bytes.hexadecimal }
}

extension Collection<UInt8> {
  /// The bytes as lower-case hexadecimal digits, two a byte.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
