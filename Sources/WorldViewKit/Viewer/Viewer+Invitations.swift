import SharedWorld
import PeerCLI

extension Viewer {
  /// Invites the peer whom the user names, and waits for its answer.
  func invite(_ request: InviteRequest) async throws(HTTPFailure) -> HTTPResponse {
    let target: InvitationTarget
    do throws(UsageError) {
      if let candidate = request.candidate {
        target = .candidate(candidate)
      } else {
        target = try InvitationTarget(argument: request.text ?? "")
      }
    } catch {
      throw HTTPFailure(400, "\(error)")
    }
    if let text = target.link?.passcode, !entry.hasPasscode {
      return try await startAgain(with: text, inviting: target)
    }
    do throws(SessionError) {
      let peer = try await session.invite(target)
      names[peer.id] = peer.name
    } catch {
      note(error, inviting: target)
      throw HTTPFailure(409, error.message)
    }
    trouble = nil
    changes.announce()
    return HTTPResponse(text: "{}")
  }

  /// Joins the room that asked for a passcode: a session has one from its beginning, so another one takes its place.
  func enter(_ request: PasscodeRequest) async throws(HTTPFailure) -> HTTPResponse {
    try await startAgain(with: request.passcode, inviting: trouble?.room)
  }

  private func startAgain(
    with text: String, inviting room: InvitationTarget?
  ) async throws(HTTPFailure) -> HTTPResponse {
    do throws(Passcode.Defect) {
      let passcode = try Passcode(text)
      let places = await addresses(of: room)
      ending = .again(passcode, inviting: places, keeping: await kept())
    } catch {
      throw HTTPFailure(409, "\(error)")
    }
    await session.leave()
    return HTTPResponse(text: "{}")
  }

  /// Invites the room for which the user typed a passcode, at one of its addresses after the other until somebody answers.
  ///
  /// Each wrong passcode counts there, so it is shown once.
  func enterRoom() async {
    for place in entry.room {
      do throws(SessionError) {
        _ = try await session.invite(place)
        trouble = nil
        changes.announce()
        return
      } catch {
        note(error, inviting: place)
        guard Self.isOfAddress(error.code) else { return }
      }
    }
  }

  /// Whether another address of the same room may do better.
  private static func isOfAddress(_ code: SessionError.Code) -> Bool {
    [.unreachable, .identityMismatch, .otherService, .invalidArgument, .notConnected].contains(code)
  }

  /// Where a room is, for a session that has not found it yet.
  private func addresses(of room: InvitationTarget?) async -> [InvitationTarget] {
    guard let room else { return [] }
    guard let candidate = room.candidate else { return [room] }
    return (try? await session.resolve(candidate))?.map(InvitationTarget.endpoint) ?? []
  }

  /// Keeps what is wrong with an invitation, and whether a passcode would help.
  func note(_ error: SessionError, inviting target: InvitationTarget) {
    let name = target.candidate.map { candidateNames[$0] ?? $0 } ?? target.description
    let asks = [.passcodeRequired, .passcodeRefused, .passcodeLocked, .passcodeWait].contains(error.code)
    trouble = Trouble(text: "\(name): \(error.message)", room: asks ? target : nil)
    changes.announce()
  }

  /// The services in sight that are not in the session.
  func describeCandidates(_ state: Session.State) -> JSON {
    let members = Set(state.peers.map(\.id)).union([session.localPeer.id])
    let strangers = state.candidates.filter { candidate in
      !((candidate.peer?.id ?? candidate.announcedKey).map(members.contains) ?? false)
    }
    return .array(
      strangers.map { candidate in
        [
          "id": .string(candidate.id), "name": .string(candidate.seenBefore?.name ?? candidate.name ?? candidate.id),
          "isKnown": .bool(candidate.seenBefore != nil), "standing": .string(candidate.standing.rawValue),
          "asksForPasscode": .bool(candidate.asksForPasscode),
        ]
      })
  }
}
