import SharedWorld

/// Invites peers without being asked: those named on the command line until they join, those found a few times.
struct Inviter: Sendable {
  private let session: Session
  private let targets: AsyncStream<InvitationTarget>
  private let queue: AsyncStream<InvitationTarget>.Continuation

  init(_ session: Session) {
    self.session = session
    (targets, queue) = AsyncStream.makeStream(of: InvitationTarget.self, bufferingPolicy: .bufferingOldest(256))
  }

  /// Adds a peer to invite.
  func invite(_ target: InvitationTarget) {
    queue.yield(target)
  }

  /// Invites until the task is cancelled; `report` is told of failures that are final.
  func run(_ report: @escaping @Sendable (SessionError) async -> Void) async {
    await withDiscardingTaskGroup { group in
      for await target in targets { group.addTask { await keepInviting(target, report) } }
      group.cancelAll()
    }
  }

  private func keepInviting(
    _ target: InvitationTarget, _ report: @Sendable (SessionError) async -> Void
  ) async {
    var pause = Duration.milliseconds(250)
    while !Task.isCancelled {
      guard await isWorthwhile(target) else { return }
      do throws(SessionError) {
        _ = try await session.invite(target)
        return
      } catch {
        let final: [SessionError.Code] = [
          .declined, .versionMismatch, .identityMismatch, .cancelled, .ended, .invalidArgument, .otherService,
        ]
        if final.contains(error.code) { return await report(error) }
      }
      try? await Task.sleep(for: pause)
      pause = min(pause * 2, .seconds(5))
    }
  }

  /// Whether a service is still there and its peer not in the session; an address always is.
  private func isWorthwhile(_ target: InvitationTarget) async -> Bool {
    guard case .candidate(let id) = target else { return true }
    let state = await session.state()
    guard let candidate = state.candidates.first(where: { $0.id == id }) else { return false }
    return candidate.peer.map { peer in !state.peers.contains { $0.id == peer.id } } ?? true
  }
}
