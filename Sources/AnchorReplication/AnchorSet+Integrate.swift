import WorldModel

extension AnchorSet {
  /// Applies the next operation of the actor with `index`.
  mutating func integrate(_ operation: AnchorOperation, by index: ActorIndex, origin: AnchorOrigin) {
    clock.observe(operation.clock)
    actors.advance(index, to: operation.dot.sequence)
    switch operation.action {
    case .add(let anchor):
      let key = PackedKey(actor: index, sequence: operation.dot.sequence)
      let creator = creators.intern(anchor.creator)
      let entry = Entry(key: key, clock: operation.clock, anchor: anchor, creator: creator)
      insert(entry, stamp: operation.stamp, origin: origin)
    case .set(let key, let base, let value):
      guard let slot = slot(of: key) else { return }
      write(value, at: slot, clock: operation.clock, by: index, base: base, origin: origin)
    case .remove(let key, let seen):
      guard let slot = slot(of: key) else { return }
      let entry = table.entries[slot]
      let isLost = index == ActorTable.local ? { _ in false } : { field in entry.clocks[field] != seen[field] }
      remove(at: slot, stamp: operation.stamp, origin: origin, isLost: isLost)
    }
  }

  /// Where the anchor with this key is; nil when it was removed, or never arrived.
  func slot(of key: Dot) -> Int? {
    actors.index(of: key.actor).flatMap { table.slot(of: PackedKey(actor: $0, sequence: key.sequence)) }
  }

  /// Adds an entry and reports what became visible.
  mutating func insert(_ entry: Entry, stamp: Stamp?, origin: AnchorOrigin) {
    let visibility = table.insert(entry, actors: actors)
    tell(visibility, id: entry.id, key: entry.key, stamp: stamp, origin: origin, last: nil)
  }

  /// Removes an entry and reports its visible state; local values for which `isLost` holds are reported as lost.
  mutating func remove(
    at slot: Int, stamp: Stamp?, origin: AnchorOrigin, isLost: (AnchorField) -> Bool
  ) {
    for field in AnchorField.allCases where table.entries[slot].writer(of: field) == ActorTable.local {
      guard table.entries[slot].isChanged(field), isLost(field) else { continue }
      push(.editSupersededByRemoval(table.entries[slot].value(of: field)), at: slot, stamp: stamp, origin: origin)
    }
    let last = (anchor: anchor(at: slot), pose: poseStamp(at: slot))
    let (entry, visibility) = table.remove(at: slot, actors: actors)
    tell(visibility, id: entry.id, key: entry.key, stamp: stamp, origin: origin, last: last)
  }

  /// Writes a register if the write is the latest of all, and reports it.
  mutating func write(
    _ value: AnchorFieldValue, at slot: Int, clock: UInt64, by writer: ActorIndex, base: UInt64?,
    origin: AnchorOrigin
  ) {
    let field = value.field
    guard wins(value, clock: clock, writer: writer, at: slot) else { return }
    reportOverwritten(field, at: slot, clock: clock, writer: writer, base: base, origin: origin)
    table.store(value, at: slot)
    table.update(slot) { $0.stamp(field, clock: clock, writer: writer) }
    tellWrite(AnchorFields(field), at: slot, stamp: Stamp(clock: clock, actor: actors.ids[Int(writer)]), origin: origin)
  }

  /// The same for a pose, which is by far the most frequent.
  @inline(__always)
  mutating func writePose(
    _ pose: Pose, at slot: Int, clock: UInt64, by writer: ActorIndex, base: UInt64, origin: AnchorOrigin
  ) {
    guard isLater(clock, writer, than: .pose, at: slot) else { return }
    if writer != ActorTable.local, table.entries.span[slot].writer(of: .pose) == ActorTable.local {
      reportOverwritten(.pose, at: slot, clock: clock, writer: writer, base: base, origin: origin)
    }
    table.update(slot) { entry in
      entry.pose = pose
      entry.stamp(.pose, clock: clock, writer: writer)
    }
    tellWrite(.pose, at: slot, stamp: Stamp(clock: clock, actor: actors.ids[Int(writer)]), origin: origin)
  }

  /// Whether a write takes the register: the later stamp does, for locks the higher fencing before that, and a participant stays
  /// what its addition says.
  private func wins(_ value: AnchorFieldValue, clock: UInt64, writer: ActorIndex, at slot: Int) -> Bool {
    if case .lock(let lock) = value, lock.fencing != table.entries[slot].lock.fencing {
      return lock.fencing > table.entries[slot].lock.fencing
    }
    if case .kind = value, table.entries[slot].kind.filterKind == .participant { return false }
    return isLater(clock, writer, than: value.field, at: slot)
  }

  /// Whether a stamp is later than the one of `field` at `slot`.
  @inline(__always)
  private func isLater(_ clock: UInt64, _ writer: ActorIndex, than field: AnchorField, at slot: Int) -> Bool {
    let entries = table.entries.span
    let present = entries[slot].clocks[field]
    guard clock == present else { return clock > present }
    return actors.ids[Int(writer)] > actors.ids[Int(entries[slot].writer(of: field))]
  }

  /// Tells that a local value loses to a write whose author saw another one: one with the clock `base`.
  ///
  /// A nil `base` stands for an author that is not known to have seen the local value.
  private mutating func reportOverwritten(
    _ field: AnchorField, at slot: Int, clock: UInt64, writer: ActorIndex, base: UInt64?, origin: AnchorOrigin
  ) {
    guard writer != ActorTable.local,
      table.entries.span[slot].writer(of: field) == ActorTable.local, table.entries.span[slot].clocks[field] != base
    else { return }
    let stamp = Stamp(clock: clock, actor: actors.ids[Int(writer)])
    push(.fieldOverwritten(table.entries[slot].value(of: field)), at: slot, stamp: stamp, origin: origin)
  }

  /// Tells that registers were written.
  @inline(__always)
  mutating func tellWrite(_ fields: AnchorFields, at slot: Int, stamp: Stamp, origin: AnchorOrigin) {
    if sorted.isInUse, table.mark(slot, .listed) { sorted.note(table.entries[slot].id) }
    let isNew = table.hasHidden && table.showIfLatest(slot, actors: actors)
    guard table.isVisible(slot) else { return }
    let (index, key) = (Int(table.entries.span[slot].change), actors.dot(table.entries.span[slot].key))
    let isTold =
      !isNew
      && feed.extend(
        at: index, key: key, fields: fields, author: stamp.actor, sessionMilliseconds: stamp.sessionMilliseconds,
        origin: origin)
    if isTold { return }
    table.noteChange(at: slot, index: feed.changes.count)
    push(.updated(isNew ? .all : fields), at: slot, stamp: stamp, origin: origin)
  }

  /// Tells what an app sees after an entry came or went.
  private mutating func tell(
    _ visibility: EntryTable.Visibility, id: AnchorID, key: PackedKey, stamp: Stamp?, origin: AnchorOrigin,
    last: (anchor: Anchor, pose: Stamp)?
  ) {
    guard visibility != .unchanged else { return }
    sorted.note(id)
    let kind: SetChange.Kind =
      switch visibility {
      case .added, .unchanged: .added
      case .replaced: .updated(.all)
      case .removed: last.map { .removed($0.anchor, pose: $0.pose) } ?? .updated(.all)
      }
    let shown = table.slot(showing: id).map { table.entries[$0].key } ?? key
    feed.push(
      SetChange(
        id: id, key: actors.dot(shown), kind: kind, author: stamp?.actor,
        sessionMilliseconds: (stamp?.clock ?? clock.last) >> 16, origin: origin))
  }

  private mutating func push(_ kind: SetChange.Kind, at slot: Int, stamp: Stamp?, origin: AnchorOrigin) {
    let change = SetChange(
      id: table.entries.span[slot].id, key: actors.dot(table.entries.span[slot].key), kind: kind, author: stamp?.actor,
      sessionMilliseconds: (stamp?.clock ?? clock.last) >> 16, origin: origin)
    feed.push(change)
  }
}
