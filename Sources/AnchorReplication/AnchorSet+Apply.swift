import Basics
package import WorldModel

/// Whose link a batch came on, to judge what that peer wrote itself.
package struct LinkAuthor: Equatable, Sendable {
  /// The peer at the other end, as its certificate says.
  package var peer: PeerID
  /// The session time here and now, or that of the latest stamp seen if it is later (milliseconds).
  package var sessionMilliseconds: UInt64

  /// The peer at the other end of a link, and the time.
  package init(peer: PeerID, sessionMilliseconds: UInt64) {
    self.peer = peer
    self.sessionMilliseconds = sessionMilliseconds
  }

  /// The latest session time `actor` may have written at (milliseconds); nil when it is not a run of this peer.
  func horizon(for actor: ActorID, _ limits: ReplicationLimits) -> UInt64? {
    guard peer.prefix == actor.peerPrefix else { return nil }
    let (sum, isOver) = sessionMilliseconds.addingReportingOverflow(limits.clockAheadMilliseconds)
    return isOver ? .max : sum
  }
}

/// The outcome of applying a batch.
package struct AppliedOperations: Equatable, Sendable {
  /// Operations applied by the batch, with those released from waiting.
  package var applied = 0
  /// Operations that were known already.
  package var duplicates = 0
  /// Operations that wait for the anchor they are about.
  package var held = 0
  /// Operations beyond the cut of a removed peer, which were ignored.
  package var cut = 0

  /// Nothing.
  package init() {}
}

extension AnchorSet {
  /// Applies a batch another peer sent.
  ///
  /// Malformed bytes, values that are not allowed, forged dots and clocks too far ahead refuse the whole batch before
  /// anything has changed. At a gap or limit the operations before it have been applied.
  ///
  /// - Parameters:
  ///   - batch: The bytes that ``readLog(_:limit:skip:into:)`` wrote.
  ///   - assembly: The parts of a large operation on this link; make a new one for each connection.
  ///   - author: Whose link it is; only operations that this peer wrote are judged by their clock. Nil judges none.
  @discardableResult
  package mutating func apply(
    operations batch: RawSpan, assembly: inout OperationAssembly, judging author: LinkAuthor?
  ) throws(ReplicationError) -> AppliedOperations {
    var outcome = AppliedOperations()
    let runs: [OperationRun]
    do throws(DecodingFailure) { runs = try assembly.runs(of: batch) } catch { throw .malformed(error) }
    var checked = CheckedOperations()
    if let run = runs.first, run.isAssembled {
      let whole = assembly.bytes
      try unsafe check(run, whole.span.bytes, offset: 0, judging: author, &checked)
      try unsafe apply(run, whole.span.bytes, &checked, &outcome)
    } else {
      try check(runs, in: batch, judging: author, &checked)
      for run in runs { try apply(run, batch.extracting(run.body), &checked, &outcome) }
    }
    return outcome
  }

  /// Refuses a batch if anything is wrong in one of its runs.
  private func check(
    _ runs: [OperationRun], in batch: RawSpan, judging author: LinkAuthor?, _ checked: inout CheckedOperations
  ) throws(ReplicationError) {
    for run in runs {
      try check(run, batch.extracting(run.body), offset: run.body.lowerBound, judging: author, &checked)
    }
  }

  /// Refuses a run that has anything wrong in itself.
  private func check(
    _ run: OperationRun, _ bytes: RawSpan, offset: Int, judging author: LinkAuthor?,
    _ checked: inout CheckedOperations
  ) throws(ReplicationError) {
    if run.actor == actor { try checkOwn(run.firstSequence + UInt64(run.count - 1)) }
    let horizon = author.flatMap { $0.horizon(for: run.actor, limits) }
    var position = 0
    for index in 0..<run.count {
      let dot = Dot(actor: run.actor, sequence: run.firstSequence + UInt64(index))
      let clock: UInt64
      if let pose = PoseOperation(bytes, at: position), pose.isValid(bytes, for: dot.actor, sequence: dot.sequence) {
        (clock, position) = (pose.clock, pose.end)
        if pose.foreignActor == actor { try checkOwn(pose.keySequence) }
      } else {
        let operation = try Self.decode(bytes, at: &position, dot: dot, offset: offset)
        let key = operation.key
        clock = operation.clock
        if key.actor == actor { try checkOwn(key.sequence) }
        checked.append(CheckedOperations.Item(key: key, end: position))
      }
      if let horizon, clock >> 16 > horizon { throw .clockAhead(dot, by: clock >> 16 - horizon) }
    }
    guard position == bytes.byteCount else {
      throw .malformed(.invalid("bytes after the last operation of a run", offset: offset + position))
    }
  }

  /// Refuses another peer's vector that covers operations of this actor that it never wrote.
  package func check(_ vector: VersionVector) throws(ReplicationError) { try checkOwn(vector[actor]) }

  /// Refuses a claim about this actor's own operations that goes beyond what it wrote.
  func checkOwn(_ sequence: UInt64) throws(ReplicationError) {
    guard sequence <= actors.seen[Int(ActorTable.local)] else {
      throw .forgedDot(Dot(actor: actor, sequence: sequence))
    }
  }

  /// Applies a run that was checked, and what waited for it.
  private mutating func apply(
    _ run: OperationRun, _ bytes: RawSpan, _ checked: inout CheckedOperations, _ outcome: inout AppliedOperations
  ) throws(ReplicationError) {
    let author = actors.index(of: run.actor)
    guard held.count > 0 else { return try integrate(run, by: author, bytes, &checked, &outcome) }
    let (before, applied) = (author.map { actors.seen[Int($0)] } ?? 0, outcome.applied)
    // Also what was applied before a gap or a limit releases others.
    defer {
      if outcome.applied > applied { outcome.applied += releaseHeld(awaiting: run.actor, beyond: before) }
    }
    try integrate(run, by: author, bytes, &checked, &outcome)
  }

  /// Carries out the operations of a run, and logs them: neighbours with one copy.
  private mutating func integrate(
    _ run: OperationRun, by known: ActorIndex?, _ bytes: RawSpan, _ checked: inout CheckedOperations,
    _ outcome: inout AppliedOperations
  ) throws(ReplicationError) {
    var author = known
    let end = cuts.limit(of: run.actor)
    // Most edits of a run are about anchors of the same few actors.
    var keyActor = (id: run.actor, index: author)
    var position = 0
    var next = 0
    // Operations between them are in the log but for their bytes.
    var (copied, logged) = (0, 0)
    defer { log.copy(bytes, copied..<logged) }
    for index in 0..<run.count {
      let dot = Dot(actor: run.actor, sequence: run.firstSequence + UInt64(index))
      let start = position
      if start != logged {
        // The operation before this one was left out.
        log.copy(bytes, copied..<logged)
        (copied, logged) = (start, start)
      }
      if let pose = PoseOperation(bytes, at: start) {
        position = pose.end
        let id = pose.foreignActor ?? run.actor
        if keyActor.id != id || keyActor.index == nil { keyActor = (id, actors.index(of: id)) }
        let isBorn = keyActor.index.map { pose.keySequence <= actors.seen[Int($0)] } ?? false
        let key = Dot(actor: id, sequence: pose.keySequence)
        guard dot.sequence <= end else {
          ignore(dot, &outcome)
          continue
        }
        guard let author = try gate(dot, key: key, isBorn: isBorn, &author, bytes, start..<position, &outcome) else {
          continue
        }
        clock.observe(pose.clock)
        actors.advance(author, to: dot.sequence)
        let packed = keyActor.index.map { PackedKey(actor: $0, sequence: key.sequence) }
        if let packed, let slot = table.slot(of: packed, next: &next) {
          let value = Pose(checked: bytes, at: pose.poseOffset)
          writePose(value, at: slot, clock: pose.clock, by: author, base: pose.base, origin: .remote)
        }
        log.append(bytes, &copied, upTo: position, actor: author, sequence: dot.sequence)
      } else {
        let item = checked.next()
        position = item.end
        let isBorn = item.key.actor == dot.actor || covers(item.key)
        guard dot.sequence <= end else {
          ignore(dot, &outcome)
          continue
        }
        let body = start..<position
        guard let author = try gate(dot, key: item.key, isBorn: isBorn, &author, bytes, body, &outcome) else {
          continue
        }
        var place = start
        let operation = try Self.decode(bytes, at: &place, dot: dot, offset: 0)
        try checkRoom(for: operation)
        integrate(operation, by: author, origin: .remote)
        log.append(bytes, &copied, upTo: position, actor: author, sequence: dot.sequence)
      }
      logged = position
      outcome.applied += 1
    }
  }

  /// Ignores an operation beyond its actor's cut; if the cut is raised later the gap is not the sender's fault.
  private mutating func ignore(_ dot: Dot, _ outcome: inout AppliedOperations) {
    outcome.cut += 1
    held.drop(dot, limits: limits)
  }

  /// Admits an operation that is its actor's next, and returns the actor's index; else ignores or holds it.
  @inline(__always)
  private mutating func gate(
    _ dot: Dot, key: Dot, isBorn: Bool, _ known: inout ActorIndex?, _ bytes: RawSpan, _ body: Range<Int>,
    _ outcome: inout AppliedOperations
  ) throws(ReplicationError) -> ActorIndex? {
    let seen = known.map { actors.seen[Int($0)] } ?? 0
    guard dot.sequence > seen else {
      outcome.duplicates += 1
      return nil
    }
    guard dot.sequence == seen + 1, isBorn || !rules.contains(.birthGate) else {
      try wait(dot, key: key, seen: seen, bytes.extracting(body), &outcome)
      return nil
    }
    if let known { return known }
    known = actors.intern(dot.actor, limit: limits.actors)
    guard let known else { throw .overLimit(.actors, limit: limits.actors) }
    return known
  }

  /// Holds an operation that is early; refuses one whose predecessors are neither applied nor held.
  private mutating func wait(
    _ dot: Dot, key: Dot, seen: UInt64, _ body: RawSpan, _ outcome: inout AppliedOperations
  ) throws(ReplicationError) {
    let last = max(seen, held.lastSequence(of: dot.actor) ?? 0)
    guard dot.sequence > last else {
      outcome.duplicates += 1
      return
    }
    guard dot.sequence == last + 1 else {
      // Operations dropped for want of room leave a gap that is not the sender's fault.
      guard held.hasDropped(dot.actor, beyond: seen) else { throw .gap(found: dot, expected: last + 1) }
      held.drop(dot, limits: limits)
      return
    }
    held.hold(body, dot: dot, key: key, limits: limits)
    outcome.held += 1
  }

  /// Applies what waited for operations of `actor` after the first `applied`; returns how many were applied.
  @discardableResult
  mutating func releaseHeld(awaiting actor: ActorID, beyond applied: UInt64) -> Int {
    var released = 0
    var sequence = applied
    // A released operation may be of this actor too.
    while sequence < actors.seen(of: actor) {
      sequence += 1
      released += release(held.takeWaiters(for: Dot(actor: actor, sequence: sequence)))
    }
    return released
  }

  /// Applies what waited and has its turn after a merge; returns how many were applied.
  @discardableResult
  mutating func releaseHeld() -> Int {
    let actors = actors
    return release(held.takeWaiters { $0.sequence <= actors.seen(of: $0.actor) })
  }

  /// Applies the waiting operations of these actors, and of those that wait for them in turn.
  private mutating func release(_ authors: [ActorID]) -> Int {
    var released = 0
    var ready = authors
    var next = 0
    while next < ready.count {
      let author = ready[next]
      next += 1
      while let waiting = held.first(of: author) {
        let seen = actors.seen(of: author)
        if waiting.sequence > seen {
          guard covers(waiting.key) || waiting.key.actor == author else {
            held.wait(author)
            break
          }
          guard carryOut(waiting, of: author) else {
            held.dropAll(of: author, limits: limits)
            break
          }
          released += 1
          ready += held.takeWaiters(for: Dot(actor: author, sequence: waiting.sequence))
        }
        held.removeFirst(of: author)
      }
    }
    return released
  }

  /// Applies an operation that has waited; false when there is no room for its actor.
  ///
  /// It was decoded once when its batch was checked, and is its actor's next.
  private mutating func carryOut(_ waiting: HeldOperations.Operation, of author: ActorID) -> Bool {
    let dot = Dot(actor: author, sequence: waiting.sequence)
    var position = 0
    guard dot.sequence <= cuts.limit(of: author) else { return false }
    guard let index = actors.intern(author, limit: limits.actors), waiting.sequence == actors.seen[Int(index)] + 1,
      let operation = try? unsafe Self.decode(waiting.body.span.bytes, at: &position, dot: dot, offset: 0)
    else { return false }
    integrate(operation, by: index, origin: .remote)
    unsafe log.append(waiting.body.span.bytes, actor: index, sequence: dot.sequence)
    return true
  }

  /// Refuses an addition or value that would bring the set beyond twice its limits.
  private func checkRoom(for operation: AnchorOperation) throws(ReplicationError) {
    var bytes = 0
    switch operation.action {
    case .add(let anchor):
      guard table.entries.count < 2 * limits.anchors else { throw .overLimit(.anchors, limit: 2 * limits.anchors) }
      bytes = anchor.stateBytes
    case .set(_, _, .payload(let payload)): bytes = payload?.byteCount ?? 0
    case .set(_, _, .name(let name)): bytes = name.utf8.count
    case .set(_, _, .kind(let kind)): bytes = kind.byteCount
    case .set(_, _, .pose), .set(_, _, .flags), .set(_, _, .lock), .remove: return
    }
    guard stateBytes + bytes <= 2 * limits.stateBytes else {
      throw .overLimit(.stateBytes, limit: 2 * limits.stateBytes)
    }
  }

  /// Reads one operation of any kind; `offset` is where `bytes` begin in the peer's frame.
  private static func decode(
    _ bytes: RawSpan, at position: inout Int, dot: Dot, offset: Int
  ) throws(ReplicationError) -> AnchorOperation {
    do throws(DecodingFailure) {
      var reader = ByteReader(bytes.extracting(position..<bytes.byteCount))
      do throws(DecodingFailure) {
        let operation = try AnchorOperation(body: &reader, dot: dot)
        position += reader.offset
        return operation
      } catch {
        throw error.shifted(by: offset + position)
      }
    } catch {
      throw .malformed(error)
    }
  }
}

/// The operations of a batch as its check has read them, but for poses, in their order.
///
/// One that waits, or is known already, need not be decoded once more.
private struct CheckedOperations {
  /// One operation.
  struct Item {
    /// The key of the anchor it is about.
    let key: Dot
    /// Where it ends in its run.
    let end: Int
  }

  private var items: [Item] = []
  private var position = 0

  mutating func append(_ item: Item) { items.append(item) }

  /// The first one that was not asked for yet.
  mutating func next() -> Item {
    defer { position += 1 }
    return items[position]
  }
}

extension DecodingFailure {
  /// The same failure in a buffer in which the bytes begin `distance` further on.
  func shifted(by distance: Int) -> DecodingFailure {
    switch self {
    case .truncated(let offset): .truncated(offset: offset + distance)
    case .invalid(let why, let offset): .invalid(why, offset: offset + distance)
    case .overLimit(let limit, let offset): .overLimit(limit: limit, offset: offset + distance)
    case .unknownKind(let offset): .unknownKind(offset: offset + distance)
    }
  }
}

extension OperationAssembly {
  /// The runs of a batch, after a part in it has been taken up.
  mutating func runs(of batch: RawSpan) throws(DecodingFailure) -> [OperationRun] {
    var items = BatchReader(batch)
    var runs: [OperationRun] = []
    while let item = try items.next() {
      if let run = try take(item, from: batch) { runs.append(run) }
    }
    return runs
  }
}
