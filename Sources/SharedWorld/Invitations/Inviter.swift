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
    /// Where a service waits for its turn.
    var place: @Sendable (Candidate.ID) async -> InvitationTurns.Place
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

  private struct Queue {
    var turns = InvitationTurns()
    var waiting: [Candidate.ID: CheckedContinuation<Bool, Never>] = [:]
  }

  /// The services that wait for their turn; addresses and other targets, which an app chooses, have none.
  private let services = Mutex(Queue())

  init() {
    // Bounded by the services that can be in sight, each of which is pending once.
    (targets, queue) = AsyncStream.makeStream(of: InvitationTarget.self, bufferingPolicy: .unbounded)
  }

  /// Adds a peer to invite, unless it is being invited already.
  func invite(_ target: InvitationTarget) {
    guard pending.withLock({ $0.insert(target).inserted }) else { return }
    queue.yield(target)
  }

  /// Invites until the task is cancelled.
  func run(_ actions: Actions) async {
    await withDiscardingTaskGroup { group in
      for await target in targets {
        group.addTask {
          await self.keepInviting(target, actions)
          self.forget(target)
        }
      }
      group.cancelAll()
    }
  }

  /// Somebody has answered the dial of a service: others may be dialled meanwhile.
  func reached(_ service: Candidate.ID) { change { $0.reached(service) } }

  private func keepInviting(_ target: InvitationTarget, _ actions: Actions) async {
    var pause = Self.pause.first
    var reported: Set<SessionError.Code> = []
    while let error = await inviteInTurn(target, actions), !Task.isCancelled {
      let isFinal = Self.final.contains(error.code)
      if isFinal || reported.insert(error.code).inserted { await actions.report(target, error, !isFinal) }
      if isFinal { return }
      if Self.heldBack.contains(error.code) { pause = Self.longPause }
      await actions.pause(pause)
      pause = min(pause * 2, Self.pause.longest)
    }
  }

  /// Invites a target when it has its turn; returns why that failed, or nil if it did not or is of no use any more.
  private func inviteInTurn(_ target: InvitationTarget, _ actions: Actions) async -> SessionError? {
    if let service = target.candidate, await !awaitTurn(of: service, actions) { return nil }
    defer { if let service = target.candidate { change { $0.end(service) } } }
    guard !Task.isCancelled, await actions.isWorthwhile(target) else { return nil }
    do throws(SessionError) {
      _ = try await actions.invite(target)
      return nil
    } catch {
      return error
    }
  }

  // MARK: Turns

  /// Waits for the turn of a service; returns whether it has come.
  private func awaitTurn(of service: Candidate.ID, _ actions: Actions) async -> Bool {
    var place = await actions.place(service)
    while await awaitTurn(of: service, at: place) {
      guard place.source == nil else { return true }
      // The back-end may have reported it before it was heard.
      place = await actions.place(service)
      if place.source == nil { return true }
      change { $0.end(service) }
    }
    return false
  }

  private func awaitTurn(of service: Candidate.ID, at place: InvitationTurns.Place) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let dropped = services.withLock { queue in
          queue.waiting[service] = continuation
          return queue.turns.wait(service, at: place).flatMap { queue.waiting.removeValue(forKey: $0) }
        }
        dropped?.resume(returning: false)
        change { _ in }
        // A cancellation before this point has found nobody who waits.
        if Task.isCancelled { giveUp(service, at: place) }
      }
    } onCancel: {
      giveUp(service, at: place)
    }
  }

  private func giveUp(_ service: Candidate.ID, at place: InvitationTurns.Place) {
    let waiting = services.withLock { queue in
      queue.turns.giveUp(service, at: place)
      return queue.waiting.removeValue(forKey: service)
    }
    waiting?.resume(returning: false)
  }

  /// Changes whose turn it is, and wakes those that have one now.
  private func change(_ body: (inout InvitationTurns) -> Void) {
    let begun = services.withLock { queue in
      body(&queue.turns)
      var begun: [CheckedContinuation<Bool, Never>] = []
      while let service = queue.turns.next() {
        if let waiting = queue.waiting.removeValue(forKey: service) { begun.append(waiting) }
      }
      return begun
    }
    for continuation in begun { continuation.resume(returning: true) }
  }

  private func forget(_ target: InvitationTarget) {
    _ = pending.withLock { $0.remove(target) }
  }
}
