package import WorldModel

/// One edit of an app.
///
/// Anchors stand in memory of their own, so that a list of moves, which comes hundreds at a time, is small.
package enum AnchorEdit: Sendable {
  /// Adds an anchor.
  indirect case place(Anchor)
  /// Adds an anchor that brings back a removed one, under an id of its own.
  indirect case restore(Anchor, from: AnchorID)
  /// Moves an anchor.
  case move(AnchorID, to: Transform)
  /// Gives an anchor another name.
  case rename(AnchorID, to: String)
  /// Replaces the app's data of an anchor; nil for none.
  case setPayload(Anchor.Payload?, of: AnchorID)
  /// Replaces the app's bits of an anchor.
  case setFlags(UInt32, of: AnchorID)
  /// Gives an anchor another kind.
  indirect case setKind(Anchor.Kind, of: AnchorID)
  /// Writes the owner of an anchor.
  case setLock(AnchorLock, of: AnchorID)
  /// Removes an anchor permanently.
  case remove(AnchorID)
}

extension AnchorSet {
  /// Carries out an edit of this peer at a session time (milliseconds); returns the dot of its last operation.
  @discardableResult
  package mutating func apply(_ edit: AnchorEdit, at milliseconds: UInt64) throws(AnchorError) -> Dot {
    switch edit {
    case .place(let anchor): return try place(anchor, at: milliseconds)
    case .restore(let anchor, let removed): return try restore(anchor, from: removed, at: milliseconds)
    case .move(let id, let transform): return try move(id, to: transform, at: milliseconds)
    case .rename(let id, let name): return try rename(id, to: name, at: milliseconds)
    case .setPayload(let payload, let id): return try setPayload(payload, of: id, at: milliseconds)
    case .setFlags(let flags, let id): return try setFlags(flags, of: id, at: milliseconds)
    case .setKind(let kind, let id): return try setKind(kind, of: id, at: milliseconds)
    case .setLock(let lock, let id): return try setLock(lock, of: id, at: milliseconds)
    case .remove(let id): return try remove(id, at: milliseconds)
    }
  }
}
