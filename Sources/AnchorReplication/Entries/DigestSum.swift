import Basics

/// Σ mod 2²⁵⁶ of the SHA-256 of every entry: a hash of a set that does not depend on order and follows single changes.
///
/// Entries are only marked as stale when they change; they are hashed when the digest is read.
struct DigestSum: Sendable {
  /// The slots whose hash is out of date; a slot may stand here twice, or for an entry that has moved.
  var stale: [UInt32] = []
  /// The digest of the entries that are up to date.
  private(set) var value = SHA256Digest(words: .zero)
  private var hashes: [SHA256Digest] = []

  /// Makes room for an entry at the end; it counts nothing until it is replaced.
  mutating func insert() {
    hashes.append(SHA256Digest(words: .zero))
  }

  /// Takes the entry at `slot` out; the last one moves into its place.
  mutating func remove(at slot: Int) {
    value = SHA256Digest(words: Self.subtract(hashes[slot].words, from: value.words))
    hashes[slot] = hashes[hashes.count - 1]
    hashes.removeLast()
  }

  /// Lets `digest` count for the entry at `slot` in place of what counted before.
  mutating func replace(at slot: Int, by digest: SHA256Digest) {
    let rest = Self.subtract(hashes[slot].words, from: value.words)
    value = SHA256Digest(words: Self.add(digest.words, to: rest))
    hashes[slot] = digest
  }

  /// The sum mod 2²⁵⁶; the first word is the most significant.
  private static func add(_ value: SIMD4<UInt64>, to sum: SIMD4<UInt64>) -> SIMD4<UInt64> {
    var result = SIMD4<UInt64>()
    var carry: UInt64 = 0
    for index in (0..<4).reversed() {
      let (partial, first) = sum[index].addingReportingOverflow(value[index])
      let (total, second) = partial.addingReportingOverflow(carry)
      result[index] = total
      carry = (first ? 1 : 0) + (second ? 1 : 0)
    }
    return result
  }

  /// The difference mod 2²⁵⁶.
  private static func subtract(_ value: SIMD4<UInt64>, from sum: SIMD4<UInt64>) -> SIMD4<UInt64> {
    var result = SIMD4<UInt64>()
    var borrow: UInt64 = 0
    for index in (0..<4).reversed() {
      let (partial, first) = sum[index].subtractingReportingOverflow(value[index])
      let (total, second) = partial.subtractingReportingOverflow(borrow)
      result[index] = total
      borrow = (first ? 1 : 0) + (second ? 1 : 0)
    }
    return result
  }
}
