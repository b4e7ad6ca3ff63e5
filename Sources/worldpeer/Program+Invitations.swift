import SharedWorld
import WorldPeerKit

extension Program {
  /// How long a peer that is named before it was found is looked for (seconds).
  private static let search = 10.0

  /// Invites whom the user names, and waits for the answer.
  func invite(_ word: String) async throws {
    let candidate = try await candidate(word)
    let peer = try await session.invite(.candidate(candidate.id))
    names[peer.id] = peer.name
  }

  /// The service a user means, waiting for a while until it is found.
  private func candidate(_ word: String) async throws -> Candidate {
    let deadline = ContinuousClock.now + .seconds(Self.search)
    while true {
      let found = Lookup.find(word, in: await session.state().candidates) {
        [$0.id, $0.name, $0.peer?.name, $0.peer?.id.description].compactMap { $0 }
      }
      switch found {
      case .found(let candidate): return candidate
      case .several(let count): throw Failure("ambiguous", "'\(word)' can mean \(count) peers; give more of its id")
      case .nothing where ContinuousClock.now >= deadline:
        throw Failure("unknown-peer", "no peer '\(word)' has been found")
      case .nothing: try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  /// Invites a service that was found, unless its peer is here already; gives up after a refusal or a few failures.
  func inviteByItself(_ id: Candidate.ID) {
    guard invitedByItself.insert(id).inserted else { return }
    errands.add {
      for pause in [1, 2, 4, 8, nil] {
        guard await self.isWorthInviting(id) else { break }
        if await self.tryInviting(.candidate(id), isLast: pause == nil) { break }
        try? await Task.sleep(for: .seconds(pause ?? 0))
      }
      await self.forgetInviting(id)
    }
  }

  private func forgetInviting(_ id: Candidate.ID) {
    invitedByItself.remove(id)
  }

  private func isWorthInviting(_ id: Candidate.ID) async -> Bool {
    guard !Task.isCancelled, let candidate = candidates[id] else { return false }
    let members = await session.state().peers.map(\.id) + [session.localPeer.id]
    return candidate.peer.map { !members.contains($0.id) } ?? true
  }

  /// Invites an address again and again, less and less often, until its peer joins or refuses.
  func keepInviting(_ address: Endpoint) async -> Ending? {
    let target = InvitationTarget.endpoint(address)
    var pause = Duration.milliseconds(200)
    while !Task.isCancelled {
      if await tryInviting(target, isLast: false) { break }
      try? await Task.sleep(for: pause)
      pause = min(pause * 2, .seconds(5))
    }
    return nil
  }

  /// Whether there is nothing left to try: the peer has joined or refused.
  private func tryInviting(_ target: InvitationTarget, isLast: Bool) async -> Bool {
    do {
      let peer = try await session.invite(target)
      names[peer.id] = peer.name
      return true
    } catch {
      let isFinal = [.declined, .versionMismatch, .identityMismatch, .cancelled, .ended, .invalidArgument]
        .contains(error.code)
      if isFinal || isLast, !Task.isCancelled {
        console.say(Failure(error), during: nil)
      }
      return isFinal
    }
  }

  /// Answers an invitation as the user says.
  func answer(_ word: String, _ decision: InvitationDecision) throws {
    switch Lookup.find(word, in: desk.peers, by: { [$0.id.description, $0.name] }) {
    case .found(let peer): desk.answer(peer.id, decision)
    case .several(let count):
      throw Failure("ambiguous", "'\(word)' can mean \(count) invitations; give more of the id")
    case .nothing: throw Failure("no-invitation", "there is no invitation from '\(word)'")
    }
  }
}
