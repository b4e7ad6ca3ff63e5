import PeerTransport
import Synchronization

/// Invites peers again and again: addresses until their peer joins, services as long as they are in sight.
final class Inviter: Sendable {
  /// The errors that another try cannot change.
  private static let final: Set<SessionError.Code> = [
    .declined, .versionMismatch, .identityMismatch, .otherService, .cancelled, .ended, .invalidArgument, .codeRequired,
    .codeRefused,
  ]
  /// The pause after the first failure; each later one is twice as long, up to the longest.
  private static let pause = (first: Duration.milliseconds(250), longest: Duration.seconds(5))

  /// The actions of an inviter, which a test can replace.
  struct Actions: Sendable {
    var invite: @Sendable (InvitationTarget) async throws(SessionError) -> Peer
    /// Whether an invitation can still be of use.
    var isWorthwhile: @Sendable (InvitationTarget) async -> Bool
    var pause: @Sendable (Duration) async -> Void
    /// Tells of a failure, once for each kind, and whether the peer is invited again.
    var report: @Sendable (InvitationTarget, SessionError, _ isRetried: Bool) async -> Void
  }

  private let targets: AsyncStream<InvitationTarget>
  private let queue: AsyncStream<InvitationTarget>.Continuation
  /// The pending invitations: a service may be reported as found several times.
  private let pending = Mutex<Set<InvitationTarget>>([])

  init() {
    (targets, queue) = AsyncStream.makeStream(of: InvitationTarget.self, bufferingPolicy: .bufferingOldest(256))
  }

  /// Adds a peer to invite, unless it is being invited already.
  func invite(_ target: InvitationTarget) {
    guard pending.withLock({ $0.insert(target).inserted }) else { return }
    if case .dropped = queue.yield(target) { forget(target) }
  }

  /// Invites until the task is cancelled.
  func run(_ actions: Actions) async {
    await withDiscardingTaskGroup { group in
      for await target in targets {
        group.addTask {
          await Self.keepInviting(target, actions)
          self.forget(target)
        }
      }
      group.cancelAll()
    }
  }

  private static func keepInviting(_ target: InvitationTarget, _ actions: Actions) async {
    var pause = Self.pause.first
    var reported: Set<SessionError.Code> = []
    while !Task.isCancelled, await actions.isWorthwhile(target) {
      do throws(SessionError) {
        _ = try await actions.invite(target)
        return
      } catch {
        guard !Task.isCancelled else { return }
        let isFinal = final.contains(error.code)
        if isFinal || reported.insert(error.code).inserted { await actions.report(target, error, !isFinal) }
        if isFinal { return }
      }
      await actions.pause(pause)
      pause = min(pause * 2, Self.pause.longest)
    }
  }

  private func forget(_ target: InvitationTarget) {
    _ = pending.withLock { $0.remove(target) }
  }
}

extension Session {
  /// Invites a peer until it joins: an address without end, a service as long as it is in sight.
  ///
  /// It returns at once. A failure is told by ``Event/invitationFailed(_:_:isRetried:)``, once for each kind; one that another
  /// try cannot change ends it.
  public func keepInviting(_ target: InvitationTarget) { inviter.invite(target) }

  /// Begins to invite the peers that are named or, by the policy, found.
  func startInviting() {
    let (inviter, hub, timeout) = (inviter, hub, configuration.inviteTimeout)
    let actions = Inviter.Actions(
      invite: { [weak self] target async throws(SessionError) in
        guard let self else { throw SessionError(.ended, "the session is over") }
        return try await self.invite(target, timeout: timeout)
      }, isWorthwhile: { [weak self] in await self?.isWorthInviting($0) ?? false },
      pause: { [weak self] in await self?.rest(for: $0) },
      report: { hub.publish([.invitationFailed($0, $1, isRetried: $2)]) })
    _ = jobs.add { await inviter.run(actions) }
  }

  /// Invites a service that was found, or asks the app about it, as the policy says.
  func consider(_ candidate: Candidate) {
    switch configuration.invitePolicy {
    case .none: return
    case .automatic: inviter.invite(.candidate(candidate.id))
    case .ask:
      guard discovery.isNews(candidate.id) else { return }
      let (inviter, handler) = (inviter, configuration.inviteHandler)
      _ = jobs.add { if await handler(candidate) { inviter.invite(.candidate(candidate.id)) } }
    }
  }

  /// Waits on the session's own loop, until the time is over, the task is cancelled or the session ends.
  private func rest(for duration: Duration) async {
    let number = waits.nextNumber()
    let timer = loop.makeTimer { [unowned self] in assumeIsolated { $0.waits.finish(number, .cancelled) } }
    timer.deadline = MonotonicClock.now + UInt64(duration / .nanoseconds(1))
    await withTaskCancellationHandler {
      _ = await withCheckedContinuation { continuation in
        waits.begin(number, continuation)
        if Task.isCancelled || hasEnded { waits.finish(number, .cancelled) }
      }
    } onCancel: {
      loop.execute { self.assumeIsolated { $0.waits.finish(number, .cancelled) } }
    }
    timer.deadline = nil
  }

  /// Whether a service is still in sight and its peer not in the session; an address always is worth a try.
  private func isWorthInviting(_ target: InvitationTarget) -> Bool {
    guard case .candidate(let id) = target else { return true }
    let state = state()
    guard let candidate = state.candidates.first(where: { $0.id == id }) else { return false }
    let members = state.peers.map(\.id) + [localPeer.id]
    return candidate.peer.map { !members.contains($0.id) } ?? true
  }
}
