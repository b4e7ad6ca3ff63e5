import Synchronization

/// Invites peers again and again: addresses until their peer joins, services as long as they are in sight.
final class Inviter: Sendable {
  /// The errors that another try cannot change.
  private static let final: Set<SessionError.Code> = [
    .declined, .versionMismatch, .identityMismatch, .otherService, .cancelled, .ended, .invalidArgument, .codeRequired,
    .codeRefused, .passcodeRequired, .passcodeRefused, .driverRequired, .authenticationFailed,
  ]
  /// The pause after the first failure; each later one is twice as long, up to the longest.
  private static let pause = (first: Duration.milliseconds(250), longest: Duration.seconds(5))

  /// The errors that only time or somebody in the room can change, and the pause after them.
  private static let heldBack: Set<SessionError.Code> = [.passcodeLocked, .passcodeWait]
  private static let longPause = Duration.seconds(60)

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
        if heldBack.contains(error.code) { pause = Self.longPause }
      }
      await actions.pause(pause)
      pause = min(pause * 2, Self.pause.longest)
    }
  }

  private func forget(_ target: InvitationTarget) {
    _ = pending.withLock { $0.remove(target) }
  }
}
