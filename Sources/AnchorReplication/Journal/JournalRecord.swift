/// One entry of a journal of an anchor set: reading all of them in order, or any first part of them, gives a state that
/// the set was in.
package enum JournalRecord: Equatable, Sendable {
  /// The whole state; it replaces all earlier records.
  case wholeSet([UInt8])
  /// Operations that were applied since the record before, as one batch.
  case operations([UInt8])

  /// The bytes in it.
  package var byteCount: Int {
    switch self {
    case .wholeSet(let bytes), .operations(let bytes): bytes.count
    }
  }
}
