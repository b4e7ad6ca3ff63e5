package import WorldModel

/// One operation of an actor: it adds an anchor, writes one register of one, or removes one.
package struct AnchorOperation: Equatable, Sendable {
  /// Its name; for an addition also the key of the anchor.
  package var dot: Dot
  /// The clock of its stamp.
  package var clock: UInt64
  /// The effect.
  package var action: Action

  /// An operation.
  package init(dot: Dot, clock: UInt64, action: Action) {
    self.dot = dot
    self.clock = clock
    self.action = action
  }

  /// The effect of an operation.
  package enum Action: Equatable, Sendable {
    /// Adds an anchor under the operation's own dot.
    case add(NewAnchor)
    /// Writes a register of the anchor `key`, whose clock was `base` for the writer.
    case set(key: Dot, base: UInt64, AnchorFieldValue)
    /// Removes the anchor `key`, whose clocks were `seen` for the remover.
    case remove(key: Dot, seen: FieldClocks)
  }

  /// The key of the anchor it is about.
  package var key: Dot {
    switch action {
    case .add: dot
    case .set(let key, _, _), .remove(let key, _): key
    }
  }

  /// When it was written.
  package var stamp: Stamp { Stamp(clock: clock, actor: dot.actor) }
}

/// The content of an addition.
package struct NewAnchor: Equatable, Sendable {
  /// The app's name of it.
  package var id: AnchorID
  /// The peer that placed it; nil for the anchors of a map.
  package var creator: PeerID?
  /// Where it is.
  package var pose: Pose
  /// The name for people.
  package var name: String
  /// Bits of the app.
  package var flags: UInt32
  /// The kind of the anchor.
  package var kind: Anchor.Kind
  /// Data of the app, if any.
  package var payload: Anchor.Payload?
  /// The removed anchor that it brings back, if any.
  package var restoredFrom: AnchorID?

  /// The content of an addition.
  package init(
    id: AnchorID, creator: PeerID?, pose: Pose, name: String, flags: UInt32 = 0, kind: Anchor.Kind = .plain,
    payload: Anchor.Payload? = nil, restoredFrom: AnchorID? = nil
  ) {
    self.id = id
    self.creator = creator
    self.pose = pose
    self.name = name
    self.flags = flags
    self.kind = kind
    self.payload = payload
    self.restoredFrom = restoredFrom
  }
}
