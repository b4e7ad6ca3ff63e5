import AnchorReplication
import PeerProtocol
import PeerTransport
import WorldModel

extension Session {
  /// Translates changes of anchors for the app.
  func take(_ changes: [AnchorReplication.AnchorChange], into events: inout [Session.Event]) {
    driver?.read { node, _ in
      translate(changes, in: node.anchors, node.roster, into: &events)
      if !changeReaders.isEmpty { publish(changes.compactMap { told(of: $0, in: node.anchors, node.roster) }) }
    }
  }

  private func translate(
    _ changes: [AnchorReplication.AnchorChange], in anchors: borrowing AnchorSet, _ roster: borrowing Roster,
    into events: inout [Session.Event]
  ) {
    events.reserveCapacity(events.count + changes.count)
    for change in changes {
      let origin = change.origin
      switch change.kind {
      case .removed(let anchor): events.append(.anchorRemoved(anchor, origin: origin))
      case .added:
        guard let anchor = anchors[change.id] else { continue }
        events.append(.anchorAdded(anchor, origin: origin))
        if let removed = anchors.restoredFrom(change.id) { events.append(.anchorRestored(anchor, from: removed)) }
      case .updated(let fields):
        if fields.contains(.lock), let lock = anchors.lock(of: change.id) {
          events.append(.ownershipChanged(change.id, owner: lock.owner))
        }
        if fields != .lock, let anchor = anchors[change.id] { events.append(.anchorUpdated(anchor, origin: origin)) }
      case .editSupersededByRemoval(let value): events.append(.editSuperseded(lost(value, to: change, roster)))
      case .fieldOverwritten(let value): events.append(.fieldOverwritten(lost(value, to: change, roster)))
      }
    }
  }

  /// A change as those who read changes see it; nil for what is none of an anchor.
  private func told(
    of change: AnchorReplication.AnchorChange, in anchors: borrowing AnchorSet, _ roster: borrowing Roster
  ) -> AnchorChange? {
    let kind: AnchorChange.Kind
    let anchor: Anchor?
    switch change.kind {
    case .added: (kind, anchor) = (.added, anchors[change.id])
    case .updated: (kind, anchor) = (.updated, anchors[change.id])
    case .removed(let last): (kind, anchor) = (.removed, last)
    case .editSupersededByRemoval, .fieldOverwritten: return nil
    }
    guard let anchor else { return nil }
    return AnchorChange(
      kind: kind, anchor: anchor, owner: kind == .removed ? nil : anchors.lock(of: change.id)?.owner,
      author: author(of: change, in: roster), sessionTime: change.sessionMilliseconds,
      origin: change.origin)
  }

  private func lost(
    _ value: AnchorFieldValue, to change: AnchorReplication.AnchorChange, _ roster: borrowing Roster
  ) -> LostEdit {
    LostEdit(anchor: change.id, value: LostEdit.Value(value), author: author(of: change, in: roster))
  }

  /// The peer that changed an anchor; nil when nobody in the roster is known to be it, as for the anchors of a map.
  private func author(of change: AnchorReplication.AnchorChange, in roster: borrowing Roster) -> PeerID? {
    guard let actor = change.author else { return nil }
    if actor.peerPrefix == identity.peerID.prefix { return identity.peerID }
    return roster.entries.first { $0.peerID.prefix == actor.peerPrefix }?.peerID
  }
}

extension LostEdit.Value {
  init(_ value: AnchorFieldValue) {
    switch value {
    case .pose(let pose): self = .transform(pose.transform)
    case .name(let name): self = .name(name)
    case .payload(let payload): self = .payload(payload)
    case .flags(let flags): self = .flags(flags)
    case .lock: self = .ownership
    }
  }
}
