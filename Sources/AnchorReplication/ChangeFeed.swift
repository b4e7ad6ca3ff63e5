package import WorldModel

/// One change of the anchors an app sees.
package struct SetChange: Equatable, Sendable {
  /// Which anchor.
  package var id: AnchorID
  /// The operation that added it.
  package var key: Dot
  /// The change.
  package var kind: Kind
  /// The author; nil for a removal that came with a snapshot, which does not tell.
  package var author: ActorID?
  /// When, in session time (milliseconds).
  package var sessionMilliseconds: UInt64
  /// How it came here.
  package var origin: AnchorOrigin

  /// A kind of change of an anchor.
  package enum Kind: Hashable, Sendable {
    /// It is new; its present state is in the set.
    case added
    /// These registers were written.
    case updated(AnchorFields)
    /// It is gone; this is its last state, and the stamp of its pose.
    indirect case removed(Anchor, pose: Stamp)
    /// A local edit was lost because somebody removed the anchor without having seen it; the value that was dropped.
    indirect case editSupersededByRemoval(AnchorFieldValue)
    /// A local edit was lost to a later write whose author had not seen it; the value that lost.
    indirect case fieldOverwritten(AnchorFieldValue)
  }
}

/// How a change came to a peer.
@nonexhaustive
public enum AnchorOrigin: String, Hashable, Sendable {
  /// This peer made it.
  case local
  /// Another peer made it.
  case remote
  /// It came with a shared map.
  case map
  /// It came with a merge after a separation.
  case merge
}

/// The changes since the consumer last asked; writes of one author to one anchor are one change until it is taken.
struct ChangeFeed: Sendable {
  private(set) var changes: [SetChange] = []
  /// How many changes there were when they were last taken: about as many come before they are taken again.
  private var expected = 0

  @inline(__always)
  mutating func push(_ change: SetChange) {
    if changes.isEmpty { changes.reserveCapacity(expected) }
    changes.append(change)
  }

  /// Lets the change at `index` tell of one more write, if it tells of writes of the same author to the same anchor.
  ///
  /// Any index will do: whether it is the right change is read from the change itself.
  @inline(__always)
  mutating func extend(
    at index: Int, key: Dot, fields written: AnchorFields, author: ActorID, sessionMilliseconds: UInt64,
    origin: AnchorOrigin
  ) -> Bool {
    guard index < changes.count, changes.span[index].key == key, changes.span[index].author == author,
      changes.span[index].origin == origin, case .updated(let fields) = changes.span[index].kind
    else { return false }
    let all = fields.union(written)
    if all != fields { changes[index].kind = .updated(all) }
    changes[index].sessionMilliseconds = sessionMilliseconds
    return true
  }

  /// The changes since the last call.
  mutating func takeChanges() -> [SetChange] {
    // Mostly there is nothing: then nothing is kept in mind either.
    if !changes.isEmpty { expected = changes.count }
    return exchange(&changes, with: [])
  }
}
