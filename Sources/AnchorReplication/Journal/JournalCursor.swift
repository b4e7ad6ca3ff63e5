import Basics
import WorldModel

/// The records that an anchor set's journal still has to write: first a snapshot, then the operations applied since.
///
/// It reads the same log as the links do. A new snapshot is due when the log no longer has the missing operations, as
/// after the merge of another peer's state, and when the operations since the last one outweigh it.
package struct JournalCursor: Sendable {
  /// The most bytes in a record of operations: room for the largest operation, so that none is ever cut in parts.
  package static let recordBytes = 2 * Limits.anchorPayload
  /// Bytes of operations that are always worth keeping before a new snapshot.
  package static let leastOperationBytes = 1 << 20
  /// How many times the size of the last snapshot the operations after it may have.
  static let operationsPerSnapshot = 4

  private var cursor: LogCursor?
  private var snapshotBytes = 0
  private var operationBytes = 0

  /// A cursor of a journal that holds nothing yet.
  package init() {}

  /// The next record to write; nil when the journal has everything.
  package mutating func next(of set: AnchorSet) -> JournalRecord? {
    guard var cursor, operationBytes <= max(Self.leastOperationBytes, snapshotBytes * Self.operationsPerSnapshot)
    else { return snapshot(of: set) }
    var writer = ByteWriter()
    let read = set.readLog(&cursor, limit: Self.recordBytes, into: &writer)
    self.cursor = cursor
    switch read {
    case .upToDate: return nil
    case .snapshotNeeded: return snapshot(of: set)
    case .batch:
      operationBytes += writer.count
      return .operations(writer.bytes)
    }
  }

  private mutating func snapshot(of set: AnchorSet) -> JournalRecord {
    let bytes = set.encodeSnapshot()
    cursor = set.cursorAfterSnapshot()
    (snapshotBytes, operationBytes) = (bytes.count, 0)
    return .wholeSet(bytes)
  }
}

extension AnchorSet {
  /// The latest session time in any stamp (milliseconds); a session that continues from here must not begin earlier.
  package var latestSessionTime: UInt64 { clock.last >> 16 }

  /// The latest clock that was given out or seen: whatever this peer writes from now on has a later one.
  package var latestClock: UInt64 { clock.last }

  /// Merges the journal of an earlier session, as if another peer had sent it.
  ///
  /// - Throws: ``ReplicationError`` at the first record that is refused; the ones before it have been taken.
  package mutating func restore(_ records: [JournalRecord]) throws(ReplicationError) {
    // Operations that this peer itself had applied count.
    let present = exchange(&cuts, with: ActorCuts())
    defer { cuts = present }
    var assembly = OperationAssembly()
    for record in records {
      switch record {
      case .wholeSet(let bytes): try unsafe merge(snapshot: bytes.span.bytes)
      case .operations(let bytes):
        _ = try unsafe apply(operations: bytes.span.bytes, assembly: &assembly, judging: nil)
      }
    }
  }
}
