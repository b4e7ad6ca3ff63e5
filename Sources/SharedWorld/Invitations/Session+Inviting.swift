import BasicsLinux
import PeerProtocol
import PeerTransport

/// Invitations that the session repeats by itself.
extension Session {
  /// Invites a peer until it joins: an address without end, a service as long as it is in sight.
  func keepInviting(_ target: InvitationTarget) { discovery.inviter.invite(target) }

  /// Begins to invite the peers that are named or, by the policy, found.
  func startInviting() {
    let (inviter, hub, timeout) = (discovery.inviter, hub, configuration.invitations.timeout)
    let actions = Inviter.Actions(
      invite: { [weak self] target async throws(SessionError) in
        guard let self else { throw SessionError(.ended, "the session is over") }
        return try await self.invite(target, timeout: timeout)
      }, place: { [weak self] in await self?.place(of: $0) ?? InvitationTurns.Place(source: nil, standing: .new) },
      isWorthwhile: { [weak self] in await self?.isWorthInviting($0) ?? false },
      pause: { [weak self] in await self?.rest(for: $0) },
      report: { [weak self] target, error, isRetried in
        if !isRetried { await self?.noteRefusal(by: target) }
        hub.publish([.invitationFailed(target, error, isRetried: isRetried)])
      })
    _ = jobs.add { await inviter.run(actions) }
    for place in configuration.invitations.places { keepInviting(place) }
  }

  /// Invites a service that was found, or asks the app about it, as the policy says.
  func consider(_ candidate: Candidate) {
    switch configuration.invitations.outgoing {
    case .none: return
    case .all:
      guard discovery.isPromising(candidate.id) else { return }
      guard !discovery.hasOtherPasscode(candidate.id) else { return refuse(candidate.id) }
      discovery.inviter.invite(.candidate(candidate.id))
    case .ask(let handler):
      guard discovery.isNews(candidate.id) else { return }
      let inviter = discovery.inviter
      _ = jobs.add { if await handler(candidate) { inviter.invite(.candidate(candidate.id)) } }
    }
  }

  /// Tells of a candidate with another passcode what an invitation would, without spending one of its guesses.
  private func refuse(_ candidate: Candidate.ID) {
    discovery.noteRefusal(by: candidate)
    hub.publish([.invitationFailed(.candidate(candidate), SessionError(ended: .passcodeRefused), isRetried: false)])
  }

  private func noteRefusal(by target: InvitationTarget) {
    if case .candidate(let id) = target { discovery.noteRefusal(by: id) }
  }

  /// Where a service waits for its turn to be invited.
  private func place(of candidate: Candidate.ID) -> InvitationTurns.Place {
    let peer = discovery.candidate(candidate)?.peer?.id
    let isMember = peer.map { id in (try? read { node, _ in node.roster[id] != nil }) ?? false } ?? false
    let isKnown = isMember || discovery.candidate(candidate)?.seenBefore != nil
    return InvitationTurns.Place(
      source: discovery.source(of: candidate), standing: isKnown ? .known : peer == nil ? .new : .answered)
  }

  /// Waits on the session's own loop, until the time is over, the task is cancelled or the session ends.
  private func rest(for duration: Duration) async {
    let number = peerDesk.rests.nextNumber()
    let timer = makeTimer { $0.peerDesk.rests.finish(number, ()) }
    timer.deadline = loop.time(after: duration)
    _ = await wait(in: peerDesk.rests, number) { hasEnded ? .left : nil }
    timer.deadline = nil
  }

  /// Whether a service is still in sight and its peer not in the session; an address always is worth a try.
  private func isWorthInviting(_ target: InvitationTarget) -> Bool {
    guard case .candidate(let id) = target else { return true }
    guard let candidate = discovery.candidate(id) else { return false }
    guard let peer = candidate.likelyPeer else { return true }
    let isMember = (try? read { node, _ in node.memberSummaries.contains { $0.peerID == peer } }) ?? false
    return !isMember && peer != localPeer.id
  }
}

// MARK: - Rooms

/// Sessions whose peers invite and accept each other by themselves, once they have proven the code of the room.
extension Session {
  /// The code of this room; nil for a session that is no room.
  ///
  /// Tell it to those who are to come in: `kitten-lemon-violin-acorn`.
  public nonisolated var code: String? { configuration.code }

  /// Runs `body` in a new room, whose ``code`` is made for it; otherwise as ``join(_:code:as:at:isolation:_:)``.
  ///
  ///     try await Session.host("kitchen", as: "Ada") { session in
  ///       print(session.code ?? "")
  ///       for await event in session.events { print(event) }
  ///     }
  public static func host(
    _ room: String, as name: String, isolation: isolated (any Actor)? = #isolation,
    _ body: (Session) async throws -> Void
  ) async throws {
    try await join(room, code: Passcode.generatedCode(), as: name, isolation: isolation, body)
  }

  /// Runs `body` in a room: with everybody on this network who names the same room and proves the same code, and nobody else.
  ///
  /// The session ends, politely, with the body, and on Ctrl-C. A peer with another code, or with none, is told so by
  /// ``Event/invitationFailed(_:_:isRetried:)`` and gets nothing.
  ///
  /// - Parameters:
  ///   - room: the name of the room; it is the service type of its session, so it has 1 to 15 letters, digits and hyphens. Or a
  ///     link of somebody in it (``Session/Peers/invitationLink()``), which names the room.
  ///   - code: the code of the room, typed in whatever way; nil: the one of the link. One of your own has at least six letters
  ///     or digits; a short one can be guessed by who has time, since a room accepts 20 wrong ones until somebody unlocks it.
  ///   - name: this device's name for people, under which its key is kept too.
  ///   - place: where somebody of the room listens, as `HOST:PORT`, or a link: for networks without multicast.
  ///   - isolation: the actor of the caller.
  ///   - body: what to do in the room. The error ``SessionError/Code/ended`` that it throws is its end and no failure.
  /// - Throws: ``SessionError`` when the session cannot start, and whatever else `body` throws.
  public static func join(
    _ room: String, code: String? = nil, as name: String, at place: String? = nil,
    isolation: isolated (any Actor)? = #isolation, _ body: (Session) async throws -> Void
  ) async throws {
    let configuration = try Configuration(room: room, code: code, at: place)
    try await withSession(named: name, configuration: configuration, isolation: isolation) { session in
      do { try await body(session) } catch let error as SessionError where error.code == .ended {}
    }
  }

  /// Starts a session in a new room, for an object that lives as long as a window; ``code`` lets others in.
  ///
  /// - Throws: ``SessionError`` when the session cannot start.
  public static func host(_ room: String, as name: String) async throws(SessionError) -> SessionHandle {
    try await join(room, code: Passcode.generatedCode(), as: name)
  }

  /// Starts a session in a room, as ``join(_:code:as:at:isolation:_:)``, for an object that lives as long as a window.
  ///
  /// - Throws: ``SessionError`` when the session cannot start.
  public static func join(
    _ room: String, code: String? = nil, as name: String, at place: String? = nil
  ) async throws(SessionError) -> SessionHandle {
    try await start(named: name, configuration: Configuration(room: room, code: code, at: place))
  }
}
