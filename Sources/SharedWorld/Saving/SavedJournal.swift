import AnchorReplication

/// The journal of a running session, and how far it has come.
struct SavedJournal {
  /// Bytes that one transaction takes at most, but for the whole set.
  private static let batchBytes = 1 << 20

  let file: JournalFile
  let saver: Saver<[JournalRecord]>
  private var cursor = JournalCursor()

  init(file: JournalFile, saver: Saver<[JournalRecord]>) {
    (self.file, self.saver) = (file, saver)
  }

  /// The news in `set`, as much as one transaction takes; nil when there is none.
  ///
  /// - Parameter isRetry: Whether to begin again with the whole set: what was taken may not have been written.
  mutating func take(from set: AnchorSet, isRetry: Bool) -> [JournalRecord]? {
    if isRetry { cursor = JournalCursor() }
    var records: [JournalRecord] = []
    var bytes = 0
    while bytes < Self.batchBytes, let record = cursor.next(of: set) {
      records.append(record)
      bytes += record.byteCount
    }
    return records.isEmpty ? nil : records
  }

  /// Everything that may not be written yet.
  mutating func takeAll(from set: AnchorSet, isRetry: Bool) -> [JournalRecord] {
    var records = take(from: set, isRetry: isRetry) ?? []
    while let more = take(from: set, isRetry: false) { records += more }
    return records
  }
}
