import AnchorReplication
import PeerProtocol
import PeerTransport
import WorldModel

extension Session {
  /// Tells readers of changes of anchors.
  func publish(_ changes: [SetChange]) {
    changeReaders.removeAll { $0.mailbox == nil }
    lookUp { anchors, roster in
      for mailbox in hub.receivers {
        mailbox.put(changes, in: anchors) { events(of: $0, in: anchors, roster) }
      }
      for reader in changeReaders {
        reader.mailbox?.put(
          changes, whole: { told(of: $0, in: anchors, roster) }, author: { author($0, in: roster) },
          read: { read($0, in: anchors) })
      }
    }
  }

  /// The events of a change besides that the anchor was updated; none for an anchor that is gone by now.
  private func events(
    of change: SetChange, in anchors: borrowing AnchorSet, _ roster: borrowing Roster
  ) -> [Session.Event] {
    let origin = change.origin
    switch change.kind {
    case .removed(let anchor): return [.anchorRemoved(anchor, origin: origin)]
    case .added:
      guard let anchor = anchors[change.id] else { return [] }
      let added = Session.Event.anchorAdded(anchor, origin: origin)
      guard let removed = anchors.restoredFrom(change.id) else { return [added] }
      return [added, .anchorRestored(anchor, from: removed)]
    case .updated(let fields):
      guard fields.hasLock, let lock = anchors.lock(of: change.id) else { return [] }
      return [.ownershipChanged(change.id, owner: lock.owner)]
    case .editSupersededByRemoval(let value): return [.editSuperseded(lost(value, to: change, roster))]
    case .fieldOverwritten(let value): return [.fieldOverwritten(lost(value, to: change, roster))]
    }
  }

  /// A change as those who read changes see it; nil for what is none of an anchor.
  private func told(
    of change: SetChange, in anchors: borrowing AnchorSet, _ roster: borrowing Roster
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

  /// The change that a note stands for; nil for an anchor that is gone.
  func read(_ note: ChangeNote, in anchors: borrowing AnchorSet) -> AnchorChanges.Element? {
    guard let slot = anchors.slot(showing: note.anchor) else { return nil }
    return note.change(anchors.anchor(at: slot), owner: anchors.lock(of: note.anchor)?.owner)
  }

  private func lost(
    _ value: AnchorFieldValue, to change: SetChange, _ roster: borrowing Roster
  ) -> LostEdit {
    LostEdit(anchor: change.id, value: LostEdit.Value(value), author: author(of: change, in: roster))
  }

  /// The peer that changed an anchor; nil when nobody in the roster is known to be it, as for the anchors of a map.
  private func author(of change: SetChange, in roster: borrowing Roster) -> PeerID? {
    guard let actor = change.author else { return nil }
    return author(actor, in: roster)
  }

  private func author(_ actor: ActorID, in roster: borrowing Roster) -> PeerID? {
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
