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
    guard let (number, end) = calls.begin(target, named: people.name(of: target)) else {
      throw HTTPFailure(409, "\(people.name(of: target)) is being invited already")
    }
    changes.announce()
    let result = await Self.call(target, by: session, until: end)
    calls.end(number)
    defer { changes.announce() }
    switch result {
    case nil: throw HTTPFailure(409, "the invitation was withdrawn")
    case .success(let peer):
      people.note(peer)
      trouble = nil
      return HTTPResponse(text: "{}")
    case .failure(let error):
      note(error, inviting: target)
      throw HTTPFailure(409, error.message)
    }
  }

  /// Invites until somebody has answered; nil when the user withdraws it.
  ///
  /// One invitation ends before a person who is not there has seen it, so another follows.
  private static func call(
    _ target: InvitationTarget, by session: Session, until end: AsyncStream<Never>
  ) async -> Result<Peer, SessionError>? {
    await withTaskGroup(of: Result<Peer, SessionError>?.self) { group in
      group.addTask {
        while true {
          do throws(SessionError) {
            return .success(try await session.invite(target, timeout: .seconds(60)))
          } catch {
            guard error.code == .invitationTimedOut, !Task.isCancelled else { return .failure(error) }
          }
        }
      }
      group.addTask {
        for await _ in end {}
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  /// Withdraws an invitation of this page's users.
  func withdraw(_ request: WithdrawRequest) throws(HTTPFailure) -> HTTPResponse {
    guard calls.withdraw(request.number) else { throw HTTPFailure(409, "the invitation was answered by now") }
    return HTTPResponse(text: "{}")
  }

  /// The user has read that an invitation ended without an answer.
  func forgetMissed(_ request: PeerRequest) -> HTTPResponse {
    if let peer = PeerID(request.peer) { calls.forget(peer) }
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
    let asks = [.passcodeRequired, .passcodeRefused, .passcodeLocked, .passcodeWait].contains(error.code)
    trouble = Trouble(text: "\(people.name(of: target)): \(error.message)", room: asks ? target : nil)
    changes.announce()
  }

  /// The invitations of this peer that nobody has answered: those of the page's users, and those that the session repeats.
  func describeCalls(_ state: Session.State) -> JSON {
    var asked = state.inviting
    var calls: [(call: Calls.Call, peer: Peer?)] = calls.open.map { call in
      let key = call.target.link?.peer ?? state.candidates.first { $0.id == call.target.candidate }?.likelyPeer
      guard let index = asked.firstIndex(where: { $0.id == key }) else { return (call, nil) }
      return (call, asked.remove(at: index))
    }
    // An address names no peer: whose it is can be told where one alone is left.
    if let index = calls.firstIndex(where: { $0.peer == nil }), calls.count(where: { $0.peer == nil }) == 1,
      asked.count == 1
    {
      calls[index].peer = asked.removeFirst()
    }
    return .array(
      calls.map { call, peer in
        [
          "number": .integer(call.number), "target": .string(call.name), "name": .optional(peer?.name),
          "id": .string("call \(call.number)"),
        ]
      }
        + asked.map { peer in
          ["number": .null, "target": .null, "name": .string(peer.name), "id": .string(peer.id.description)]
        })
  }

  /// The services in sight that are not in the session.
  func describeCandidates(_ state: Session.State) -> JSON {
    let members = Set(state.peers.map(\.id)).union([session.localPeer.id])
    let strangers = state.candidates.filter { candidate in
      !(candidate.likelyPeer.map(members.contains) ?? false)
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
