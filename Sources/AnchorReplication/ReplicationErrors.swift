package import Basics
package import WorldModel

/// Why a local edit was refused.
package enum AnchorError: Error, Equatable, Sendable {
  /// No anchor with this id is in the set.
  case unknownAnchor(AnchorID)
  /// An anchor with this id is already in the set, or twice in the map.
  case duplicateAnchor(AnchorID)
  /// The anchor, or its new value, is not valid in a world; the error says why.
  case invalid(AnchorID, ModelError)
  /// The anchor is of the kind participant and stands for another peer than the one that would add it.
  case foreignParticipant(AnchorID)
  /// A limit of the set is reached (elements or bytes).
  case overLimit(LimitedQuantity, limit: Int)
  /// The clock is exhausted, or the value to overwrite has a stamp that no clock reaches; no honest session gets there.
  case clockExhausted
}

/// Why another peer's bytes were refused; the link they came on should end.
package enum ReplicationError: Error, Equatable, Sendable {
  /// The bytes are not a batch, vector or snapshot, or a value in them is not allowed.
  case malformed(DecodingFailure)
  /// The operation `found` came where the next number of its actor was expected.
  case gap(found: Dot, expected: UInt64)
  /// An operation or vector claims a dot of this very actor that it never wrote.
  case forgedDot(Dot)
  /// The author on this link stamped an operation, or in a snapshot a register of this anchor, further ahead of
  /// session time than allowed (milliseconds).
  case clockAhead(Dot, by: UInt64)
  /// A snapshot has more of a removed peer than counts; its sender is about to learn of the removal, or to raise the cut.
  case beyondCut(Dot)
  /// The set would pass twice a limit, or the actors their limit.
  case overLimit(LimitedQuantity, limit: Int)
}

/// The quantity that a limit counts.
package enum LimitedQuantity: Equatable, Sendable {
  /// Anchors in the set.
  case anchors
  /// Bytes of names, kinds and payloads in the set.
  case stateBytes
  /// Actors of the session.
  case actors
  /// Operations of one actor.
  case operations
}
