package import Basics

/// How far one link has read the operation log, and what the peer at its other end is known to have.
package struct LogCursor: Sendable {
  var segment: Int
  var run = 0
  var operation = 0
  /// Bytes of a large operation that were read already.
  var partOffset = 0
  /// For each actor the number up to which the peer has the operations or will get them from what was read.
  var covered: [UInt64]
  /// The log's generation at the last check that nothing is missing for this peer.
  var generation: Int

  func covered(_ actor: ActorIndex) -> UInt64 { Int(actor) < covered.count ? covered[Int(actor)] : 0 }

  /// Begins at the start of another segment.
  mutating func move(to segment: Int) {
    self.segment = segment
    (run, operation, partOffset) = (0, 0, 0)
  }

  mutating func cover(_ actor: ActorIndex, to sequence: UInt64) {
    if covered.count <= Int(actor) {
      covered.append(contentsOf: repeatElement(0, count: Int(actor) + 1 - covered.count))
    }
    covered[Int(actor)] = max(covered[Int(actor)], sequence)
  }
}

/// Where a link should begin.
package enum LogStart: Sendable {
  /// The log has everything the peer lacks.
  case log(LogCursor)
  /// It does not: send a snapshot, then go on with ``AnchorSet/cursorAfterSnapshot()``.
  case snapshotNeeded
}

/// The result of reading the log.
package enum LogRead: Equatable, Sendable {
  /// A batch was written; there may be more.
  case batch
  /// There is nothing the peer lacks.
  case upToDate
  /// The log no longer has what the peer lacks: send a snapshot.
  case snapshotNeeded
}

extension AnchorSet {
  /// A cursor for a peer that has applied `vector`.
  package func cursorForPeer(with vector: VersionVector) -> LogStart {
    var cursor = LogCursor(segment: log.firstSegment, covered: [], generation: log.generation)
    cursor.covered = actors.ids.map { vector[$0] }
    return isComplete(for: cursor, skip: { _ in false }) ? .log(cursor) : .snapshotNeeded
  }

  /// A cursor for a peer that gets a snapshot of the present state: it reads what is applied from now on.
  package func cursorAfterSnapshot() -> LogCursor {
    var cursor = LogCursor(segment: log.lastSegment, covered: actors.seen, generation: log.generation)
    cursor.run = max(0, log.segment(log.lastSegment).runs.count - 1)
    return cursor
  }

  /// Whether a cursor has read everything: then ``readLog(_:limit:skip:into:)`` finds nothing.
  package func isAtEnd(_ cursor: LogCursor) -> Bool {
    cursor.generation == log.generation && cursor.segment == log.lastSegment && log.isAtEnd(cursor)
  }

  /// Lets a cursor skip what the peer is since known to have, by a vector or a snapshot of its own.
  package func advance(_ cursor: inout LogCursor, by vector: VersionVector) {
    for dot in vector.entries {
      if let index = actors.index(of: dot.actor) { cursor.cover(index, to: dot.sequence) }
    }
  }

  /// Writes the next operations the peer lacks, as one batch of at most `limit` bytes.
  ///
  /// - Parameters:
  ///   - limit: Bytes the batch may take, at least 256.
  ///   - skip: Actors whose operations the peer gets elsewhere. They are passed over permanently: when the answer for
  ///     an actor changes, begin again with ``cursorForPeer(with:)``.
  package func readLog(
    _ cursor: inout LogCursor, limit: Int, skip: (ActorID) -> Bool = { _ in false }, into writer: inout ByteWriter
  ) -> LogRead {
    if cursor.generation != log.generation {
      guard isComplete(for: cursor, skip: skip) else { return .snapshotNeeded }
      cursor.generation = log.generation
    }
    if cursor.segment < log.firstSegment { cursor.move(to: log.firstSegment) }
    let start = writer.count
    while let (segment, run) = nextRun(&cursor, skip: skip) {
      let room = limit - (writer.count - start)
      guard write(run, of: segment, &cursor, room: room, isFirst: writer.count == start, into: &writer) else {
        return .batch
      }
    }
    return writer.count > start ? .batch : .upToDate
  }

  /// Whether the log has everything the peer lacks.
  private func isComplete(for cursor: LogCursor, skip: (ActorID) -> Bool) -> Bool {
    log.floor.indices.allSatisfy { index in
      log.floor[index] <= cursor.covered(ActorIndex(index)) || skip(actors.ids[index])
    }
  }

  /// Moves to the next operation the peer lacks and gives its run; nil at the end of the log.
  private func nextRun(
    _ cursor: inout LogCursor, skip: (ActorID) -> Bool
  ) -> (OperationLog.Segment, OperationLog.Run)? {
    while true {
      let segment = log.segment(cursor.segment)
      let isLastSegment = cursor.segment == log.lastSegment
      guard cursor.run < segment.runs.count else {
        guard !isLastSegment else { return nil }
        cursor.move(to: cursor.segment + 1)
        continue
      }
      let run = segment.runs[cursor.run]
      if skip(actors.ids[Int(run.actor)]) {
        cursor.passOver(to: run.count)
      } else {
        let known = min(cursor.covered(run.actor) + 1, run.firstSequence + UInt64(run.count))
        if known > run.firstSequence { cursor.passOver(to: Int(known - run.firstSequence)) }
      }
      if cursor.operation < run.count { return (segment, run) }
      // The last run of the log can still grow: stay in it.
      if isLastSegment, cursor.run == segment.runs.count - 1 { return nil }
      cursor.run += 1
      cursor.operation = 0
    }
  }

  /// Writes what fits of the run at the cursor and moves on; false when the batch is full.
  private func write(
    _ run: OperationLog.Run, of segment: OperationLog.Segment, _ cursor: inout LogCursor, room: Int, isFirst: Bool,
    into writer: inout ByteWriter
  ) -> Bool {
    let first = run.firstOperation + cursor.operation
    let begin = segment.start(of: first)
    let available = room - AnchorDelta.runHead
    if cursor.partOffset > 0 || Int(segment.ends[first]) - begin > available {
      if isFirst { writePart(run, of: segment, &cursor, room: room, into: &writer) }
      return false
    }
    var end = first + 1
    let last = run.firstOperation + run.count
    while end < last, Int(segment.ends[end]) - begin <= available { end += 1 }
    let dot = Dot(actor: actors.ids[Int(run.actor)], sequence: run.firstSequence + UInt64(cursor.operation))
    let bytes = begin..<Int(segment.ends[end - 1])
    AnchorDelta.encodeRunHead(first: dot, count: end - first, byteCount: bytes.count, into: &writer)
    unsafe writer.write(span: segment.bytes.span.bytes.extracting(bytes))
    cursor.operation += end - first
    cursor.cover(run.actor, to: dot.sequence + UInt64(end - first - 1))
    return end == last
  }

  /// Writes the next part of an operation that is too large for a batch.
  private func writePart(
    _ run: OperationLog.Run, of segment: OperationLog.Segment, _ cursor: inout LogCursor, room: Int,
    into writer: inout ByteWriter
  ) {
    let index = run.firstOperation + cursor.operation
    let body = segment.start(of: index)..<Int(segment.ends[index])
    let dot = Dot(actor: actors.ids[Int(run.actor)], sequence: run.firstSequence + UInt64(cursor.operation))
    let count = min(body.count - cursor.partOffset, room - AnchorDelta.partHead)
    let start = body.lowerBound + cursor.partOffset
    AnchorDelta.encodePartHead(
      dot, total: body.count, offset: cursor.partOffset, byteCount: count, into: &writer)
    unsafe writer.write(span: segment.bytes.span.bytes.extracting(start..<(start + count)))
    cursor.partOffset += count
    guard cursor.partOffset == body.count else { return }
    cursor.partOffset = 0
    cursor.operation += 1
    cursor.cover(run.actor, to: dot.sequence)
  }
}

extension LogCursor {
  /// Goes on at an operation of the run, if that is a later one; parts of an earlier one that have left count for nothing.
  fileprivate mutating func passOver(to operation: Int) {
    guard operation > self.operation else { return }
    self.operation = operation
    partOffset = 0
  }
}
