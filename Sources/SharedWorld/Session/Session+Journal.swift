import AnchorReplication
import PeerProtocol
import PeerTransport

/// The journal of a running session, and how far it has come.
struct RunningJournal {
  /// Bytes that one transaction takes at most, but for a snapshot.
  private static let batchBytes = 1 << 20

  let file: JournalFile
  private var cursor = JournalCursor()
  /// Whether a transaction is under way; what happens meanwhile goes into the next one.
  var isWriting = false
  /// Whether the last transaction failed: it is told once.
  var hasFailed = false

  init(file: JournalFile) {
    self.file = file
  }

  /// What is new in `set`.
  mutating func take(from set: AnchorSet) -> [JournalRecord] {
    var records: [JournalRecord] = []
    var bytes = 0
    while bytes < Self.batchBytes, let record = cursor.next(of: set) {
      records.append(record)
      bytes += record.byteCount
    }
    return records
  }

  /// Begins again with a snapshot: what was taken may not have been written.
  mutating func startAnew() {
    cursor = JournalCursor()
  }
}

extension Session {
  /// Opens the journal, if there is to be one, and takes over the anchors in it.
  func openJournal() async throws(SessionError) {
    guard let path = configuration.journal, let driver else { return }
    let file = try JournalFile(path: path)
    let records = try await file.records()
    if case .refused(.journal(let failure)) = driver.handle(.restoreAnchors(records)) {
      throw SessionError(
        .corruptData, "\(path) is no sound journal; move it away and start again", cause: failure)
    }
    journal = RunningJournal(file: file)
    writeJournal()
  }

  /// Lets what is new be written, unless a transaction is under way.
  func writeJournal() {
    guard journal?.isWriting == false, let set = driver?.read({ node, _ in node.anchors }),
      let records = journal?.take(from: set), !records.isEmpty, let file = journal?.file
    else { return }
    journal?.isWriting = true
    let isQueued = jobs.add { [weak self] in
      do throws(SessionError) {
        try await file.append(records)
        await self?.journalWritten(nil)
      } catch {
        await self?.journalWritten(error)
      }
    }
    if !isQueued {
      journalWritten(SessionError(.limitExceeded, "too many jobs wait; the journal is tried again at the next change"))
    }
  }

  private func journalWritten(_ failure: SessionError?) {
    journal?.isWriting = false
    if let failure {
      journal?.startAnew()
      if journal?.hasFailed == false { hub.publish([.problem(failure)]) }
      journal?.hasFailed = true
    } else {
      journal?.hasFailed = false
      writeJournal()
    }
  }

  /// Writes what is left and lets go of the file.
  func closeJournal() async {
    guard var journal, let set = driver?.read({ node, _ in node.anchors }) else { return }
    self.journal = nil
    // A transaction that is only queued will find the file closed.
    if journal.isWriting { journal.startAnew() }
    var records: [JournalRecord] = []
    while case let more = journal.take(from: set), !more.isEmpty { records += more }
    do throws(SessionError) {
      try await journal.file.close(records)
    } catch {
      hub.publish([.problem(error)])
    }
  }
}
