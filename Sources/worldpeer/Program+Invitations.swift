import SharedWorld
import PeerCLI

extension Program {
  /// How long a peer that is named before it was found is looked for (seconds).
  private static let search = 10.0

  /// Invites whom the user names, and waits for the answer: a peer in sight, or one at an address or behind a link.
  func invite(_ word: String) async throws {
    let link = word.contains("://") ? try InvitationLink(word) : nil
    if let target = link.map(InvitationTarget.link) ?? PeerAddress(word).map(InvitationTarget.address) {
      let peer = try await session.peers.invite(target)
      names[peer.id] = peer.name
      return
    }
    if try await inviteKnown(word) { return }
    let candidate = try await candidate(word)
    let peer = try await session.peers.invite(.candidate(candidate.id), expecting: try expectedKey(word, candidate))
    names[peer.id] = peer.name
  }

  /// Invites the recorded peer of this name where it was last, if nobody is in sight; whether it came.
  private func inviteKnown(_ word: String) async throws -> Bool {
    guard options.peer.trust != .any, await session.state.candidates.isEmpty, let known = try recorded(word) else {
      return false
    }
    do throws(SessionError) {
      let peer = try await session.peers.invite(.known(known))
      names[peer.id] = peer.name
      return true
    } catch {
      // It may listen elsewhere today, and be found in a moment.
      guard [.unreachable, .unknownPeer].contains(error.code) else { throw error }
      return false
    }
  }

  /// The one recorded peer of this name.
  private func recorded(_ name: String) throws -> PeerID? {
    let pins = try options.peer.pinStore.pins().filter { $0.name == name }
    return pins.count == 1 ? pins[0].id : nil
  }

  /// The recorded key of the one peer that a user names; nil for a service that is named itself, or is bound to a key.
  ///
  /// The word is the user's: the name that a service shows decides nothing.
  private func expectedKey(_ word: String, _ candidate: Candidate) throws -> PeerID? {
    guard options.peer.trust != .any, candidate.peer == nil, candidate.seenBefore == nil, candidate.id != word else {
      return nil
    }
    return try recorded(word)
  }

  /// The service a user means, waiting for a while until it is found.
  private func candidate(_ word: String) async throws -> Candidate {
    let deadline = ContinuousClock.now + .seconds(Self.search)
    while true {
      let found = Lookup.find(word, in: await session.state.candidates) {
        [$0.id, $0.name, $0.peer?.name, $0.peer?.id.description, $0.seenBefore?.name, $0.seenBefore?.id.description]
          .compactMap { $0 }
      }
      switch found {
      case .found(let candidate): return candidate
      case .several(let count):
        throw ProgramFailure("ambiguous", "'\(word)' can mean \(count) peers; give more of its id")
      case .nothing where ContinuousClock.now >= deadline:
        throw ProgramFailure("unknown-peer", "no peer '\(word)' has been found")
      case .nothing: try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  /// The services in sight.
  func nearby() async -> Report.Answer { .nearby(await session.state.candidates.map(describe)) }

  /// Reports that an invitation failed which the session makes by itself.
  func report(_ error: SessionError, inviting target: InvitationTarget, isRetried: Bool) {
    let name = target.candidate.map { candidates[$0]?.name ?? $0 } ?? target.description
    console.say(.invitationFailed(inviting: name, error, isRetried: isRetried))
  }

  /// Answers whether a peer's screen shows the same code, as the user says.
  func compare(_ word: String, isSame: Bool) throws {
    switch Lookup.find(word, in: codes.comparisons.map(\.peer), by: { [$0.id.description, $0.name] }) {
    case .found(let peer): codes.answer(peer.id, isSame: isSame)
    case .several(let count):
      throw ProgramFailure("ambiguous", "'\(word)' can mean \(count) codes; give more of the id")
    case .nothing: throw ProgramFailure("no-code", "there is no code of '\(word)' to compare")
    }
  }

  /// Answers an invitation as the user says.
  func answer(_ word: String, _ decision: InvitationDecision) throws {
    switch Lookup.find(word, in: desk.peers, by: { [$0.id.description, $0.name] }) {
    case .found(let peer): desk.answer(peer.id, decision)
    case .several(let count):
      throw ProgramFailure("ambiguous", "'\(word)' can mean \(count) invitations; give more of the id")
    case .nothing: throw ProgramFailure("no-invitation", "there is no invitation from '\(word)'")
    }
  }
}
