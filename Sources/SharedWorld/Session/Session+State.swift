import PeerProtocol
import PeerTransport
import ServiceDiscovery

/// The state file of a running session, and what is still to be written to it.
struct RunningState {
  let file: StateFile
  /// The latest record that is not written yet.
  var record: NodeRecord?
  /// Whether one is being written; what changes meanwhile is written after it, as one.
  var isWriting = false
  /// Whether the last writing failed: it is told once.
  var hasFailed = false
  /// Says now and then that the session is alive.
  let pulse: LoopTimer
}

extension Session {
  /// Takes the state file, if there is to be one, and gives what is kept in it.
  func openState() async throws(SessionError) -> NodeRecord? {
    guard let path = configuration.state else { return nil }
    let file = try StateFile(path: path)
    let record = try await file.record(
      of: identity.peerID, service: discovery.serviceType.name, within: configuration.graceTime)
    let pulse = loop.makeTimer { [unowned self] in self.assumeIsolated { $0.noteLife() } }
    keptState = RunningState(file: file, pulse: pulse)
    setPulse()
    return record
  }

  /// Lets a record be written, after the one that is being written now.
  func keep(_ record: NodeRecord) {
    keptState?.record = record
    writeState()
  }

  private func writeState() {
    guard let state = keptState, !state.isWriting, let record = state.record else { return }
    keptState?.isWriting = true
    keptState?.record = nil
    let file = state.file
    let isQueued = jobs.add { [weak self] in
      do throws(SessionError) {
        try await file.write(record)
        await self?.stateWritten(nil)
      } catch {
        await self?.stateWritten(error)
      }
    }
    if !isQueued { stateWritten(SessionError(.limitExceeded, "too many jobs wait; the state is tried again soon")) }
  }

  private func stateWritten(_ failure: SessionError?) {
    keptState?.isWriting = false
    if let failure, keptState?.hasFailed == false { hub.publish([.problem(failure)]) }
    keptState?.hasFailed = failure != nil
    writeState()
  }

  private func noteLife() {
    guard let state = keptState else { return }
    let file = state.file
    // A failed writing is tried again at this pace.
    if state.hasFailed, let record = driver?.read({ node, _ in node.record }) { keep(record) }
    _ = jobs.add(priority: .utility) { await file.touch() }
    setPulse()
  }

  private func setPulse() {
    let pause = min(max(configuration.graceTime / 4, .seconds(1)), .seconds(60))
    keptState?.pulse.deadline = MonotonicClock.now + UInt64(pause / .nanoseconds(1))
  }

  /// Writes what is left and lets go of the file.
  func closeState() async {
    guard let state = keptState else { return }
    keptState = nil
    state.pulse.deadline = nil
    // A session that never started leaves the file as it was.
    let last = driver?.read { node, _ in node.hasEnded ? node.record : nil }
    do throws(SessionError) {
      try await state.file.close(last)
    } catch {
      hub.publish([.problem(error)])
    }
  }
}
