import AnchorReplication
import PeerProtocol
import PeerTransport
import ServiceDiscovery
import WorldModel

/// The files of a running session.
struct SavedFiles {
  /// Nil where no anchors are kept.
  var journal: SavedJournal?
  /// Nil where nothing is kept for the next start.
  var state: SavedState?
}

/// The state file of a running session, and what is still to be written to it.
struct SavedState {
  let file: StateFile
  let saver: Saver<NodeRecord>
  /// Says now and then that the session is alive.
  let pulse: LoopTimer
  /// The latest record that is not written yet.
  var record: NodeRecord?
}

extension Session {
  // MARK: Journal

  /// Opens the journal, if there is to be one, and takes over the anchors in it.
  func openJournal() async throws(SessionError) {
    guard let path = configuration.journalPath, let driver else { return }
    let file = try JournalFile(path: path)
    let records = try await file.records()
    if case .refused(.journal(let failure)) = driver.handle(.restoreAnchors(records)) {
      throw SessionError(
        .corruptData, "\(path) is not a valid journal; move it away and start again", cause: failure)
    }
    let saver = Saver(on: loop, jobs: jobs, hub: hub) { [weak self] isRetry in
      self?.assumeIsolated { $0.takeFromJournal(isRetry: isRetry) } ?? nil
    } write: { records async throws(SessionError) in
      try await file.append(records)
    }
    savedFiles.journal = SavedJournal(file: file, saver: saver)
    saveJournal()
  }

  /// Lets what is new be written.
  func saveJournal() { savedFiles.journal?.saver.assumeIsolated { $0.save() } }

  private func takeFromJournal(isRetry: Bool) -> [JournalRecord]? {
    guard let set = driver?.read({ node, _ in node.anchors }) else { return nil }
    return savedFiles.journal?.take(from: set, isRetry: isRetry)
  }

  /// Writes what is left and releases the file.
  func closeJournal() async {
    guard var journal = savedFiles.journal, let set = driver?.read({ node, _ in node.anchors }) else { return }
    savedFiles.journal = nil
    // A transaction that is only queued will find the file closed.
    let records = journal.takeAll(from: set, isRetry: await journal.saver.stop())
    do throws(SessionError) {
      try await journal.file.close(records)
    } catch {
      hub.publish([.problem(error)])
    }
  }

  /// Begins no more writes; closing the files writes what is left.
  func stopSaving() {
    savedFiles.journal?.saver.assumeIsolated { _ = $0.stop() }
    savedFiles.state?.saver.assumeIsolated { _ = $0.stop() }
  }

  // MARK: State

  /// Takes the state file, if there is to be one, and gives what is kept in it.
  func openState() async throws(SessionError) -> NodeRecord? {
    guard let path = configuration.statePath else { return nil }
    let file = try StateFile(path: path)
    let record = try await file.record(
      of: identity.peerID, service: discovery.serviceType.name, within: configuration.storage.graceTime)
    let saver = Saver(on: loop, jobs: jobs, hub: hub) { [weak self] isRetry in
      self?.assumeIsolated { $0.takeRecord(isRetry: isRetry) } ?? nil
    } write: { record async throws(SessionError) in
      try await file.write(record)
    }
    let pulse = makeTimer { $0.noteLife() }
    savedFiles.state = SavedState(file: file, saver: saver, pulse: pulse)
    setPulse()
    return record
  }

  /// Lets a record be written, in place of one that is not written yet.
  func keep(_ record: NodeRecord) {
    savedFiles.state?.record = record
    savedFiles.state?.saver.assumeIsolated { $0.save() }
  }

  private func takeRecord(isRetry: Bool) -> NodeRecord? {
    let latest = savedFiles.state?.record.take()
    return isRetry ? driver?.read { node, _ in node.record } : latest
  }

  private func noteLife() {
    guard let file = savedFiles.state?.file else { return }
    _ = jobs.add(priority: .utility) { await file.touch() }
    setPulse()
  }

  private func setPulse() {
    let pause = min(max(configuration.storage.graceTime / 4, .seconds(1)), .seconds(60))
    savedFiles.state?.pulse.deadline = loop.time(after: pause)
  }

  /// Writes what is left and releases the file.
  func closeState() async {
    guard let state = savedFiles.state else { return }
    savedFiles.state = nil
    state.pulse.deadline = nil
    _ = await state.saver.stop()
    // A session that never started leaves the file as it was.
    let last = driver?.read { node, _ in node.hasEnded ? node.record : nil }
    do throws(SessionError) {
      try await state.file.close(last)
    } catch {
      hub.publish([.problem(error)])
    }
  }
}
