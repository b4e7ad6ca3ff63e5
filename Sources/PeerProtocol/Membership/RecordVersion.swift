/// The bounds of the numbers that count the changes of a record which members hand on.
enum RecordVersion {
  /// How far a version may be above the last one known: a forged record cannot use up the numbers.
  private static let longestLeap: UInt32 = 1 << 16
  /// The highest version accepted, so that arithmetic never overflows.
  static let greatest: UInt32 = 1 << 31

  /// Whether `version` may follow `known`, or come before it.
  static func isPlausible(_ version: UInt32, after known: UInt32) -> Bool {
    version <= greatest && Int64(version) - Int64(known) <= Int64(longestLeap)
  }

  /// Whether two versions are so far apart that one of them must be a lie, or the two parties were apart for very long.
  ///
  /// The record that a node tells of itself on its own link is believed then, the higher or the lower one.
  static func areApart(_ one: UInt32, _ other: UInt32) -> Bool {
    max(one, other) - min(one, other) > longestLeap
  }

  /// The version of the next change; from the beginning again when a lie has used the numbers up.
  static func next(after version: UInt32) -> UInt32 { version < greatest ? version + 1 : 1 }
}
