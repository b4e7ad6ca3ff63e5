/// The history with which an app takes back its own edits of anchors, and makes them again.
///
/// The app records each edit and carries out what ``undo()`` and ``redo()`` give it with ``Session/World/perform(_:)``. An id is never
/// used again, so an anchor that comes back has a new one; the history translates the ids of older edits by itself.
///
/// Edits of others stay: taking a move back puts the anchor where it was before that move, even if another peer moved it
/// since, and what concerns an anchor that somebody else removed fails with `unknownAnchor`.
public struct UndoHistory: Hashable, Sendable {
  /// An edit of one's own.
  public enum Edit: Hashable, Sendable {
    /// Placed an anchor.
    case place(Anchor)
    /// Moved an anchor.
    case move(AnchorID, from: Transform, to: Transform)
    /// Renamed an anchor.
    case rename(AnchorID, from: String, to: String)
    /// Removed an anchor; this was its last state.
    case remove(Anchor)
  }

  /// A step that takes an edit back, or makes it again.
  @nonexhaustive
  public enum Step: Hashable, Sendable {
    /// Remove the anchor.
    case remove(AnchorID)
    /// Place the anchor, which brings back a removed one.
    case restore(Anchor, from: AnchorID)
    /// Move the anchor.
    case move(AnchorID, to: Transform)
    /// Rename the anchor.
    case rename(AnchorID, to: String)
  }

  /// Edits that are remembered.
  public let limit: Int
  private var done: [Edit] = []
  private var undone: [Edit] = []
  /// The id under which an anchor lives that was brought back, by the one before it.
  private var successors: Table<AnchorID, AnchorID> = [:]

  /// An empty history of at most `limit` edits, 1 at least; older ones are forgotten.
  public init(limit: Int = 100) {
    self.limit = max(1, limit)
  }

  /// Whether there is an edit to take back.
  public var canUndo: Bool { !done.isEmpty }
  /// Whether there is an edit to make again.
  public var canRedo: Bool { !undone.isEmpty }

  /// Notes an edit that was made; what was taken back before cannot be made again.
  public mutating func record(_ edit: Edit) {
    undone.removeAll()
    append(edit)
  }

  /// The step that takes the last edit back; nil when there is none.
  public mutating func undo() -> Step? {
    guard let edit = done.popLast() else { return nil }
    undone.append(edit)
    switch edit {
    case .place(let anchor): return .remove(current(anchor.id))
    case .move(let id, let from, _): return .move(current(id), to: from)
    case .rename(let id, let from, _): return .rename(current(id), to: from)
    case .remove(let anchor): return restore(anchor)
    }
  }

  /// The step that takes the removal of an anchor back, whichever edits came after it; nil when it is not remembered.
  ///
  /// No later edit is about an anchor that is gone, so this one can be taken out of the order.
  package mutating func undoRemoval(of id: AnchorID) -> Step? {
    for index in done.indices.reversed() {
      guard case .remove(let anchor) = done[index], anchor.id == id else { continue }
      undone.append(done.remove(at: index))
      return restore(anchor)
    }
    return nil
  }

  /// The step that makes the edit that was taken back last again; nil when there is none.
  public mutating func redo() -> Step? {
    guard let edit = undone.popLast() else { return nil }
    append(edit)
    switch edit {
    case .place(let anchor): return restore(anchor)
    case .move(let id, _, let to): return .move(current(id), to: to)
    case .rename(let id, _, let to): return .rename(current(id), to: to)
    case .remove(let anchor): return .remove(current(anchor.id))
    }
  }

  /// The id under which the anchor that once was `id` lives now.
  public func current(_ id: AnchorID) -> AnchorID {
    var id = id
    while let next = successors[id] { id = next }
    return id
  }

  /// Places the anchor again, under an id of its own.
  private mutating func restore(_ anchor: Anchor) -> Step {
    let removed = current(anchor.id)
    let new = anchor.copy(id: AnchorID())
    successors[removed] = new.id
    return .restore(new, from: removed)
  }

  private mutating func append(_ edit: Edit) {
    done.append(edit)
    guard done.count > limit else { return }
    done.removeFirst()
    forgetUnusedIDs()
  }

  /// Keeps the ids that a remembered edit leads to.
  private mutating func forgetUnusedIDs() {
    var used: Table<AnchorID, AnchorID> = [:]
    for edit in done + undone {
      var id = edit.anchor
      while let next = successors[id], used[id] == nil {
        used[id] = next
        id = next
      }
    }
    successors = used
  }
}

extension UndoHistory.Edit {
  /// The anchor it is about, under the id it had then.
  fileprivate var anchor: AnchorID {
    switch self {
    case .place(let anchor), .remove(let anchor): anchor.id
    case .move(let id, _, _), .rename(let id, _, _): id
    }
  }
}

extension Anchor {
  /// The same anchor under another id.
  fileprivate func copy(id: AnchorID) -> Anchor {
    Anchor(id: id, name: name, transform: transform, kind: kind, payload: payload)
  }
}
