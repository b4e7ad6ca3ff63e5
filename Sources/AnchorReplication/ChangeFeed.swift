package import WorldModel

/// One change of the anchors an app sees.
package struct AnchorChange: Hashable, Sendable {
  /// Which anchor.
  package var id: AnchorID
  /// The operation that added it.
  package var key: Dot
  /// What happened.
  package var kind: Kind
  /// Who did it; nil for a removal that came with a snapshot, which does not tell.
  package var author: ActorID?
  /// When, in session time (milliseconds).
  package var sessionMilliseconds: UInt64
  /// How it came here.
  package var origin: AnchorOrigin

  /// A change.
  package init(
    id: AnchorID, key: Dot, kind: Kind, author: ActorID?, sessionMilliseconds: UInt64, origin: AnchorOrigin
  ) {
    self.id = id
    self.key = key
    self.kind = kind
    self.author = author
    self.sessionMilliseconds = sessionMilliseconds
    self.origin = origin
  }

  /// What can happen to an anchor.
  package enum Kind: Hashable, Sendable {
    /// It is new; its present state is in the set.
    case added
    /// These registers were written.
    case updated(AnchorFields)
    /// It is gone; this is its last state.
    indirect case removed(Anchor)
    /// A local edit was lost because somebody removed the anchor without having seen it; the value that was dropped.
    indirect case editSupersededByRemoval(AnchorFieldValue)
    /// A local edit was lost to a later write whose author had not seen it; the value that lost.
    indirect case fieldOverwritten(AnchorFieldValue)
  }
}

/// How a change came to a peer.
package enum AnchorOrigin: Hashable, Sendable {
  /// By an edit of this peer.
  case local
  /// By an operation of another.
  case remote
  /// With a map.
  case map
  /// By a snapshot.
  case merge
}

/// How much a consumer wants to know of each change.
package enum ChangeFeedMode: Hashable, Sendable {
  /// Every change, with its author, time and lost values.
  case detailed
  /// The ids of anchors that changed, each once until drained: for throughput.
  case identifiers
  /// Nothing.
  case off
}

/// What has changed since the consumer last asked.
struct ChangeFeed: Sendable {
  var mode = ChangeFeedMode.detailed
  private(set) var changes: [AnchorChange] = []
  private(set) var identifiers: [AnchorID] = []

  mutating func push(_ change: AnchorChange) {
    changes.append(change)
  }

  mutating func push(_ id: AnchorID) {
    identifiers.append(id)
  }

  mutating func drainChanges(into target: inout [AnchorChange]) {
    target.append(contentsOf: changes)
    changes.removeAll(keepingCapacity: true)
  }

  mutating func drainIdentifiers() -> [AnchorID] {
    defer { identifiers.removeAll(keepingCapacity: true) }
    return identifiers
  }
}
