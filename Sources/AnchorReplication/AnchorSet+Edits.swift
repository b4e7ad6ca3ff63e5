package import Basics
package import WorldModel

/// Edits of this peer. Each takes effect at once, waits for no other peer, and returns the dot of its operation.
extension AnchorSet {
  /// Adds an anchor; its creator becomes this peer.
  ///
  /// - Parameter milliseconds: The session time.
  package mutating func place(
    _ anchor: Anchor, at milliseconds: UInt64
  ) throws(AnchorError) -> Dot {
    try add(anchor, flags: 0, restoredFrom: nil, at: milliseconds)
  }

  /// Adds an anchor that brings back the removed one `removed`, under an id of its own: an id is never used again.
  package mutating func restore(
    _ anchor: Anchor, from removed: AnchorID, flags: UInt32 = 0, at milliseconds: UInt64
  ) throws(AnchorError) -> Dot {
    guard anchor.id != removed else { throw .duplicateAnchor(removed) }
    return try add(anchor, flags: flags, restoredFrom: removed, at: milliseconds)
  }

  /// Moves an anchor.
  package mutating func move(
    _ id: AnchorID, to transform: Transform, at milliseconds: UInt64
  ) throws(AnchorError) -> Dot {
    let slot = try find(id)
    let pose = try Pose(checking: transform, of: id)
    let key = table.entries[slot].key
    let base = table.entries[slot].clocks[.pose]
    let (sequence, clock) = try next(at: milliseconds, after: base)
    writePose(pose, at: slot, clock: clock, by: ActorTable.local, base: base, origin: .local)
    table.update(slot) { $0.lastLocalEdit = sequence }
    let keyActor = key.actor == ActorTable.local ? nil : actors.ids[Int(key.actor)]
    log.appendPose(pose, sequence: sequence, clock: clock, keyActor: keyActor, key: key.sequence, base: base)
    actors.advance(ActorTable.local, to: sequence)
    return Dot(actor: actor, sequence: sequence)
  }

  /// Gives an anchor another name: at most ``Limits/anchorName`` bytes of UTF-8.
  package mutating func rename(
    _ id: AnchorID, to name: String, at milliseconds: UInt64
  ) throws(AnchorError) -> Dot {
    let slot = try find(id)
    do { try Anchor.validate(name: name) } catch { throw .invalid(id, error) }
    try checkRoom(for: name.utf8.count, instead: table.entries[slot].name.utf8.count)
    return try set(.name(name), at: slot, at: milliseconds)
  }

  /// Replaces the app's data of an anchor; nil for none.
  package mutating func setPayload(
    _ payload: Anchor.Payload?, of id: AnchorID, at milliseconds: UInt64
  ) throws(AnchorError) -> Dot {
    let slot = try find(id)
    do { try payload?.validate() } catch { throw .invalid(id, error) }
    try checkRoom(for: payload?.byteCount ?? 0, instead: table.entries[slot].payload?.byteCount ?? 0)
    return try set(.payload(payload), at: slot, at: milliseconds)
  }

  /// Gives an anchor another kind; none becomes a participant, and none of those another kind.
  package mutating func setKind(
    _ kind: Anchor.Kind, of id: AnchorID, at milliseconds: UInt64
  ) throws(AnchorError) -> Dot {
    let slot = try find(id)
    do { try kind.validate() } catch { throw .invalid(id, error) }
    let present = table.entries[slot].kind
    guard kind.filterKind != .participant, present.filterKind != .participant else { throw .foreignParticipant(id) }
    try checkRoom(for: kind.byteCount, instead: present.byteCount)
    return try set(.kind(kind), at: slot, at: milliseconds)
  }

  /// Replaces the app's bits of an anchor.
  package mutating func setFlags(
    _ flags: UInt32, of id: AnchorID, at milliseconds: UInt64
  ) throws(AnchorError) -> Dot {
    try set(.flags(flags), at: try find(id), at: milliseconds)
  }

  /// Writes the owner of an anchor; a grant with a lower fencing than the present one has no effect.
  package mutating func setLock(
    _ lock: AnchorLock, of id: AnchorID, at milliseconds: UInt64
  ) throws(AnchorError) -> Dot {
    try set(.lock(lock), at: try find(id), at: milliseconds)
  }

  /// Removes an anchor permanently, under every key that carries its id; returns the last operation.
  package mutating func remove(_ id: AnchorID, at milliseconds: UInt64) throws(AnchorError) -> Dot {
    _ = try find(id)
    var last = Dot(actor: actor, sequence: 0)
    // The hidden keys go first, so that the app sees one removal.
    for key in table.keys(of: id).reversed() {
      guard let slot = table.slot(of: key) else { continue }
      let seen = table.entries[slot].clocks
      last = try author(.remove(key: actors.dot(key), seen: seen), at: milliseconds)
    }
    return last
  }

  /// Writes and carries out an operation of this peer.
  private mutating func author(
    _ action: AnchorOperation.Action, at milliseconds: UInt64, after base: UInt64 = 0
  ) throws(AnchorError) -> Dot {
    let (sequence, clock) = try next(at: milliseconds, after: base)
    let operation = AnchorOperation(dot: Dot(actor: actor, sequence: sequence), clock: clock, action: action)
    integrate(operation, by: ActorTable.local, origin: .local)
    log.append(operation, actor: ActorTable.local)
    return operation.dot
  }

  private mutating func set(
    _ value: AnchorFieldValue, at slot: Int, at milliseconds: UInt64
  ) throws(AnchorError) -> Dot {
    let entry = table.entries[slot]
    let base = entry.clocks[value.field]
    // Of locks the higher fencing wins, whatever the clocks.
    let bound = value.field == .lock ? 0 : base
    let dot = try author(.set(key: actors.dot(entry.key), base: base, value), at: milliseconds, after: bound)
    table.update(slot) { $0.lastLocalEdit = dot.sequence }
    return dot
  }

  private mutating func add(
    _ anchor: Anchor, flags: UInt32, restoredFrom: AnchorID?, at milliseconds: UInt64
  ) throws(AnchorError) -> Dot {
    guard table.slot(showing: anchor.id) == nil else { throw .duplicateAnchor(anchor.id) }
    guard table.entries.count < limits.anchors else { throw .overLimit(.anchors, limit: limits.anchors) }
    var new = try NewAnchor(checking: anchor)
    guard new.kind.mayBeWritten(by: actor) else { throw .foreignParticipant(anchor.id) }
    try checkRoom(for: new.stateBytes, instead: 0)
    new.creator = peer
    new.flags = flags
    new.restoredFrom = restoredFrom
    return try author(.add(new), at: milliseconds)
  }

  private func find(_ id: AnchorID) throws(AnchorError) -> Int {
    guard let slot = table.slot(showing: id) else { throw .unknownAnchor(id) }
    return slot
  }

  /// The number and the clock of the next operation of this peer; refuses one that could not win over the clock `base`.
  private mutating func next(
    at milliseconds: UInt64, after base: UInt64
  ) throws(AnchorError) -> (sequence: UInt64, clock: UInt64) {
    let sequence = actors.seen[Int(ActorTable.local)] + 1
    guard sequence <= Dot.maximumSequence else { throw .overLimit(.operations, limit: Int(Dot.maximumSequence)) }
    guard let clock = clock.tick(at: milliseconds), clock > base else { throw .clockExhausted }
    return (sequence, clock)
  }

  private func checkRoom(for bytes: Int, instead present: Int) throws(AnchorError) {
    guard bytes <= present || stateBytes - present + bytes <= limits.stateBytes else {
      throw .overLimit(.stateBytes, limit: limits.stateBytes)
    }
  }
}

extension NewAnchor {
  /// The content of an addition of `anchor`, without creator; refuses one that breaks a limit or is not rigid.
  init(checking anchor: Anchor) throws(AnchorError) {
    do { try anchor.validate() } catch { throw .invalid(anchor.id, error) }
    let pose = try Pose(checking: anchor.transform, of: anchor.id)
    self.init(
      id: anchor.id, creator: nil, pose: pose, name: anchor.name, flags: 0, kind: anchor.kind,
      payload: anchor.payload, restoredFrom: nil)
  }
}

extension Pose {
  /// The pose of the anchor with `id` as it is sent for `transform`; refuses a transform that is not rigid.
  package init(checking transform: Transform, of id: AnchorID) throws(AnchorError) {
    guard let pose = Pose(transform) else { throw .invalid(id, transform.refusal) }
    self = pose
  }
}

extension Transform {
  /// Why this is no ``Pose``.
  fileprivate var refusal: ModelError {
    do { try validate() } catch { return error }
    return .notRigid("an axis is just outside the tolerance")
  }
}

extension OperationLog {
  /// Encodes and appends a pose of the local actor, without a value in between.
  @inline(__always)
  mutating func appendPose(
    _ pose: Pose, sequence: UInt64, clock: UInt64, keyActor: ActorID?, key: UInt64, base: UInt64
  ) {
    unsafe withUnsafeTemporaryAllocation(byteCount: 96, alignment: 8) { buffer in
      var end = 1
      func put(_ value: UInt64) {
        unsafe buffer.storeBytes(of: value.littleEndian, toByteOffset: end, as: UInt64.self)
        end += 8
      }
      unsafe buffer[0] = keyActor == nil ? OperationCode.setPose : OperationCode.setPose | OperationCode.foreignKey
      put(clock)
      if let keyActor {
        put(keyActor.peerPrefix.byteSwapped)
        put(keyActor.incarnation.byteSwapped)
      }
      put(key)
      put(base)
      unsafe buffer.storeBytes(of: pose.lanes.0, toByteOffset: end, as: SIMD4<Float>.self)
      unsafe buffer.storeBytes(of: pose.lanes.1, toByteOffset: end + 16, as: SIMD4<Float>.self)
      unsafe buffer.storeBytes(of: pose.lanes.2, toByteOffset: end + 32, as: SIMD4<Float>.self)
      end += Pose.byteCount
      let body = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<end])
      append(unsafe body.bytes, actor: ActorTable.local, sequence: sequence)
    }
  }
}

extension AnchorSet {
  /// Lets the anchors of a shared map join the set, once, for any provider and any number of shares.
  ///
  /// The additions are numbered 1…n in the order of the anchors' ids and written in the name of an actor made from the
  /// map's hash, with clock 0. Peers that import the same map at the same time thus write the same operations, and
  /// removed anchors stay removed when the map is shared again. Any edit is later than clock 0.
  ///
  /// An id that is in the set already, from another map or from a peer, keeps showing once: of its entries the one
  /// written last, or of those never edited the one with the smaller key (actor, then number). An id that was removed
  /// and is in another map comes back: a new map states its anchors again.
  ///
  /// - Parameters:
  ///   - mapDigest: The hash of the map, the same for everyone who has it.
  ///   - anchors: All its anchors, in any order. Creators and times are left out, and so are participants.
  /// - Returns: The number of additions that were new here.
  @discardableResult
  package mutating func importAnchors(
    of mapDigest: SHA256Digest, anchors: [Anchor]
  ) throws(AnchorError) -> Int {
    let mapActor = ActorID(mapDigest: mapDigest)
    let seen = actors.seen(of: mapActor)
    // Where a peer stood when the map was made is not said in its name: only it may say so.
    let anchors = anchors.filter { $0.kind.mayBeWritten(by: mapActor) }
    guard seen < UInt64(anchors.count) else { return 0 }
    let added = try newAnchors(anchors)[Int(seen)...]
    guard table.entries.count + added.count <= limits.anchors else {
      throw .overLimit(.anchors, limit: limits.anchors)
    }
    let bytes = added.reduce(0) { $0 + $1.stateBytes }
    guard stateBytes + bytes <= limits.stateBytes else {
      throw .overLimit(.stateBytes, limit: limits.stateBytes)
    }
    guard let index = actors.intern(mapActor, limit: limits.actors) else {
      throw .overLimit(.actors, limit: limits.actors)
    }
    for (offset, anchor) in added.enumerated() {
      let dot = Dot(actor: mapActor, sequence: seen + UInt64(offset) + 1)
      let operation = AnchorOperation(dot: dot, clock: 0, action: .add(anchor))
      integrate(operation, by: index, origin: .map)
      log.append(operation, actor: index)
    }
    releaseHeld(awaiting: mapActor, beyond: seen)
    return added.count
  }

  /// The additions in the order of their ids; refuses a duplicate id.
  private func newAnchors(_ anchors: [Anchor]) throws(AnchorError) -> [NewAnchor] {
    var result: [NewAnchor] = []
    result.reserveCapacity(anchors.count)
    for anchor in anchors.sorted(by: { $0.id < $1.id }) {
      if result.last?.id == anchor.id { throw .duplicateAnchor(anchor.id) }
      result.append(try NewAnchor(checking: anchor))
    }
    return result
  }
}
