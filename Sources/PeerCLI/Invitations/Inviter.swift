package import SharedWorld
import Synchronization

/// Invites peers without being asked: addresses until their peer joins, services as long as they are in sight.
package final class Inviter: Sendable {
  /// The result of an invitation.
  package enum Outcome: Sendable {
    case joined(Peer)
    /// It failed and is retried; reported once for each kind of failure.
    case delayed(SessionError)
    /// It is not retried: the other side refused, or can never join this session.
    case refused(SessionError)
  }

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
  }

  private let actions: Actions
  private let targets: AsyncStream<InvitationTarget>
  private let queue: AsyncStream<InvitationTarget>.Continuation
  /// The pending invitations: a service may be reported as found several times.
  private let pending = Mutex<Set<InvitationTarget>>([])

  /// An inviter into `session`.
  package convenience init(_ session: Session) {
    self.init(
      Actions(
        invite: { target async throws(SessionError) in try await session.invite(target) },
        isWorthwhile: { await session.isWorthInviting($0) }, pause: { try? await Task.sleep(for: $0) }))
  }

  init(_ actions: Actions) {
    self.actions = actions
    (targets, queue) = AsyncStream.makeStream(of: InvitationTarget.self, bufferingPolicy: .bufferingOldest(256))
  }

  /// Adds a peer to invite, unless it is being invited already.
  package func invite(_ target: InvitationTarget) {
    guard pending.withLock({ $0.insert(target).inserted }) else { return }
    if case .dropped = queue.yield(target) { forget(target) }
  }

  /// Invites until the task is cancelled, and reports the outcome of each invitation.
  package func run(_ report: @escaping @Sendable (InvitationTarget, Outcome) async -> Void) async {
    await withDiscardingTaskGroup { group in
      for await target in targets {
        group.addTask {
          await self.keepInviting(target) { await report(target, $0) }
          self.forget(target)
        }
      }
      group.cancelAll()
    }
  }

  private func keepInviting(_ target: InvitationTarget, _ report: @Sendable (Outcome) async -> Void) async {
    var pause = Self.pause.first
    var reported: Set<SessionError.Code> = []
    while !Task.isCancelled, await actions.isWorthwhile(target) {
      do throws(SessionError) {
        return await report(.joined(try await actions.invite(target)))
      } catch {
        guard !Task.isCancelled else { return }
        if Self.final.contains(error.code) { return await report(.refused(error)) }
        if reported.insert(error.code).inserted { await report(.delayed(error)) }
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
  /// Whether a service is still in sight and its peer not in the session; an address always is worth a try.
  fileprivate func isWorthInviting(_ target: InvitationTarget) -> Bool {
    guard case .candidate(let id) = target else { return true }
    let state = state()
    guard let candidate = state.candidates.first(where: { $0.id == id }) else { return false }
    let members = state.peers.map(\.id) + [localPeer.id]
    return candidate.peer.map { !members.contains($0.id) } ?? true
  }
}

extension Inviter.Outcome {
  /// The outcome of an invitation to `target` in a sentence; nil when it succeeded.
  package func message(inviting target: String) -> String? {
    switch self {
    case .joined: nil
    // The advice is to try again, which the inviter does by itself.
    case .delayed(let error): "\(target): \(error.message.prefix { $0 != ";" }); still trying"
    case .refused(let error): "\(target): \(error.message)"
    }
  }

  /// The same as a report.
  package func report(inviting target: String) -> Report? {
    guard let message = message(inviting: target) else { return nil }
    switch self {
    case .joined: return nil
    case .delayed(let error):
      return Report(
        "retrying", ["target": .string(target), "code": .string("\(error.code)"), "message": .string(message)],
        ["\("~", .caution) \(message)"])
    case .refused(let error): return .error(code: "\(error.code)", message: message, command: nil)
    }
  }
}
