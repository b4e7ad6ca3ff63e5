import Basics

/// The numbers that count the changes of a record which members hand on: from 1 to the greatest, and then from 1 again.
///
/// One of them follows another if it is a bounded number of steps ahead, so no number is the last: whatever somebody forges,
/// there is a next one.
enum RecordVersion {
  /// How far a version may be above the last one known: a forged record cannot use up the numbers.
  private static let longestLeap: UInt32 = 1 << 16
  /// The highest version accepted; the next one is 1.
  static let greatest: UInt32 = 1 << 31

  /// Whether `version` may follow `known`, or come before it.
  static func isPlausible(_ version: UInt32, after known: UInt32) -> Bool {
    version <= greatest && Int64(version) - Int64(known) <= Int64(longestLeap)
  }

  /// Whether `version` counts a later change than `known`.
  static func follows(_ version: UInt32, _ known: UInt32) -> Bool {
    version <= greatest && (1...longestLeap).contains(steps(from: known, to: version))
  }

  /// The later of two versions; the second one where neither follows the other.
  static func later(_ one: UInt32, _ other: UInt32) -> UInt32 { follows(one, other) ? one : other }

  /// How many changes lead from one version to another, through the greatest one if that is the way.
  private static func steps(from one: UInt32, to other: UInt32) -> UInt32 { (other &- one) & (greatest - 1) }

  /// Whether two versions are so far apart that one of them must be a lie, or the two parties were apart for very long.
  ///
  /// The record that a node tells of itself on its own link is believed then, the higher or the lower one.
  static func areApart(_ one: UInt32, _ other: UInt32) -> Bool {
    min(steps(from: one, to: other), steps(from: other, to: one)) > longestLeap
  }

  /// The version of the next change.
  static func next(after version: UInt32) -> UInt32 { version < greatest ? version + 1 : 1 }
}

extension ByteReader {
  /// Reads the version of a record, which counts from 1.
  mutating func readVersion() throws(DecodingFailure) -> UInt32 {
    let start = offset
    let version = try read(UInt32.self)
    guard version > 0 else { throw .invalid("a version of 0", offset: start) }
    return version
  }
}
