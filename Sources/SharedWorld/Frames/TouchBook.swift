import AnchorReplication
import WorldModel

/// The anchors that stand for touched points, so that the move of one does not cost a look at all anchors.
struct TouchBook {
  /// None before the first question, and for a session that never asks nothing is recorded.
  private var ids: Set<AnchorID>?

  /// Whether changes are followed.
  var isKept: Bool { ids != nil }

  /// The anchors, in the order of their ids; `all` is looked through the first time.
  mutating func list(of all: () -> [Anchor]) -> [AnchorID] {
    let known = ids ?? Set(all().filter(Self.isTouch).map(\.id))
    ids = known
    return known.inOrder()
  }

  /// Follows changes of anchors; whether another peer has touched a point.
  mutating func follow(_ changes: [SetChange], in anchors: borrowing AnchorSet) -> Bool {
    guard var known = ids else { return false }
    ids = nil
    defer { ids = known }
    var isTouched = false
    for change in changes {
      switch change.kind {
      case .added: Self.note(change.id, in: anchors, &known)
      case .updated(let fields):
        if fields.contains(.name) { Self.note(change.id, in: anchors, &known) }
      case .removed: known.remove(change.id)
      case .editSupersededByRemoval, .fieldOverwritten: continue
      }
      isTouched = isTouched || change.origin != .local && known.contains(change.id)
    }
    return isTouched
  }

  private static func note(_ id: AnchorID, in anchors: borrowing AnchorSet, _ known: inout Set<AnchorID>) {
    // It may have been removed since.
    if anchors[id].map(isTouch) == true { known.insert(id) } else { known.remove(id) }
  }

  private static func isTouch(_ anchor: Anchor) -> Bool { anchor.name.hasPrefix(Session.Frames.touchPrefix) }
}
