package import SharedWorld
import PeerCLI

extension Viewer {
  /// Answers a request: the page's own files to everybody, all else to a request that shows the key.
  func respond(to request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    if request.method == "GET", let file = files[request.path] {
      return HTTPResponse(contentType: file.contentType, body: .bytes(file.bytes))
    }
    if request.method == "POST", request.path == "/open" { return try open(request.json()) }
    guard pageKey.admits(request) else {
      throw HTTPFailure(403, "open the address that worldview printed last; each address works once")
    }
    return try await respond(toPage: request)
  }

  /// Gives the key for the token of the address, and prints the address for the next browser.
  private func open(_ request: OpenRequest) throws(HTTPFailure) -> HTTPResponse {
    guard let key = pageKey.key(for: request.token) else {
      throw HTTPFailure(403, "this address was used; open the one that worldview printed last")
    }
    console.say(.nextAddress(address))
    return HTTPResponse(text: JSON.object(["key": .string(key)]).text)
  }

  private func respond(toPage request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    switch (request.method, request.path) {
    case ("GET", "/points"):
      await refreshScene()
      return HTTPResponse(contentType: "application/octet-stream", body: .bytes(scene.points))
    case ("GET", "/state"): return HTTPResponse(text: await snapshot().text)
    case ("GET", "/events"): return events()
    case ("GET", "/link"): return try await link()
    case ("GET", "/map"): return try await save()
    case ("GET", let path): throw HTTPFailure(404, "there is no \(path)")
    case ("POST", "/answer"): return try answer(request.json())
    case ("POST", "/code"): return try compare(request.json())
    case ("POST", "/invite"): return try await invite(request.json())
    case ("POST", "/passcode"): return try await enter(request.json())
    case ("POST", "/drag"): return try await drag(request.json())
    case ("POST", "/tap"): return try await tap(request.tap())
    case ("POST", "/load"): return try await load(request)
    case ("POST", "/send-map"): return try await sendMap()
    case ("POST", "/undo"): return try await perform(history.undo(), "there is nothing to undo")
    case ("POST", "/redo"): return try await perform(history.redo(), "there is nothing to redo")
    case ("POST", "/leave"):
      ending = .left
      await session.leave()
      return HTTPResponse(text: "{}")
    case ("POST", "/rename"):
      let rename: RenameRequest = try request.json()
      return try await edit { session throws(SessionError) in
        try await session.rename(try AnchorID(page: rename.anchor), to: rename.name)
      }
    case ("POST", "/remove"):
      let remove: RemoveRequest = try request.json()
      return try await edit { session throws(SessionError) in
        let id = try AnchorID(page: remove.anchor)
        let anchor = await session.anchors().first { $0.id == id }
        try await session.remove(id)
        if let anchor { self.history.record(.remove(anchor)) }
      }
    default: throw HTTPFailure(405, "\(request.method) \(request.path) does nothing")
    }
  }

  /// Server-sent events: the whole state whenever something is new, at most ten times a second, and between them what
  /// moves, at most sixty times.
  private func events() -> HTTPResponse {
    HTTPResponse(
      contentType: "text/event-stream",
      body: .stream { writer in
        let news = self.changes.news()
        var next = ContinuousClock.now
        for await _ in news.wakes {
          let new = news.take()
          if new.contains(.live) {
            try await writer.write("data: \(JSON.object(["live": .object(await self.live())]).text)\n\n")
          }
          if new.contains(.state) {
            if .now >= next {
              try await writer.write("data: \(await self.snapshot().text)\n\n")
              next = .now + .milliseconds(100)
            } else {
              news.postpone(.state)
            }
          }
          try await Task.sleep(for: .milliseconds(16))
        }
      })
  }

  private func edit(_ change: (Session) async throws(SessionError) -> Void) async throws(HTTPFailure) -> HTTPResponse {
    do throws(SessionError) {
      try await change(session)
    } catch {
      throw HTTPFailure(409, error.message)
    }
    changes.announce()
    return HTTPResponse(text: "{}")
  }

  /// The link with which others invite this peer, as text and as the rows of a QR code.
  private func link() async throws(HTTPFailure) -> HTTPResponse {
    let text: String
    do throws(SessionError) { text = try await session.invitationLink().description } catch {
      throw HTTPFailure(409, error.message)
    }
    guard let code = QRCode(text) else { throw HTTPFailure(409, "the link is too long for a QR code") }
    return HTTPResponse(text: JSON.object(["link": .string(text), "rows": code.json]).text)
  }

  private func answer(_ answer: AnswerRequest) throws(HTTPFailure) -> HTTPResponse {
    let decision: InvitationDecision = answer.accept ? .accept : .decline(reason: "declined by the user")
    guard let peer = PeerID(answer.peer), desk.answer(peer, decision) else {
      throw HTTPFailure(409, "no invitation of \(shortened(answer.peer)) waits")
    }
    changes.announce()
    return HTTPResponse(text: "{}")
  }

  private func compare(_ answer: CodeRequest) throws(HTTPFailure) -> HTTPResponse {
    guard let peer = PeerID(answer.peer), codes.answer(peer, isSame: answer.isSame) else {
      throw HTTPFailure(409, "no code of \(shortened(answer.peer)) waits")
    }
    changes.announce()
    return HTTPResponse(text: "{}")
  }

  private func tap(_ tap: TapRequest) async throws(HTTPFailure) -> HTTPResponse {
    await refreshScene()
    guard let hit = await Self.hit(tap, in: scene, anchors: await session.anchors()) else {
      throw HTTPFailure(409, scene.mapID == nil ? "there is no map yet" : "there is nothing under the tap")
    }
    return try await edit { session throws(SessionError) in
      if let anchor = tap.anchor {
        let id = try AnchorID(page: anchor)
        let old = await session.anchors().first { $0.id == id }
        try await session.move(id, to: hit.transform)
        if let old { self.history.record(.move(id, from: old.transform, to: hit.transform)) }
      } else {
        let anchor = Anchor(name: self.name(for: tap), transform: hit.transform)
        try await session.place(anchor)
        self.history.record(.place(anchor))
      }
    }
  }

  /// Carries out a step of the history, if there is one.
  private func perform(_ step: UndoHistory.Step?, _ reason: String) async throws(HTTPFailure) -> HTTPResponse {
    guard let step else { throw HTTPFailure(409, reason) }
    return try await edit { session throws(SessionError) in try await session.perform(step) }
  }

  @concurrent
  private static func hit(_ tap: TapRequest, in scene: Scene, anchors: [Anchor]) async -> HitTest.Result? {
    scene.hit(tap, anchors: anchors)
  }

  private func name(for tap: TapRequest) -> String {
    if let name = tap.name, !name.isEmpty { return name }
    tapsWithoutName += 1
    return "\(session.localPeer.name) \(tapsWithoutName)"
  }
}

// MARK: - Invitations

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
      ending = .again(try Passcode(text), inviting: await addresses(of: room))
    } catch {
      throw HTTPFailure(409, "\(error)")
    }
    await session.leave()
    return HTTPResponse(text: "{}")
  }

  /// Invites the rooms for which the user typed a passcode, once: each wrong one counts there.
  func enterRooms() async {
    for room in entry.rooms {
      do throws(SessionError) { _ = try await session.invite(room) } catch { note(error, inviting: room) }
    }
  }

  /// Where a room is, for a session that has not found it yet.
  private func addresses(of room: InvitationTarget?) async -> [InvitationTarget] {
    guard let room else { return [] }
    guard let candidate = room.candidate else { return [room] }
    return (try? await session.resolve(candidate))?.prefix(1).map(InvitationTarget.address) ?? []
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

extension Viewer {
  /// A failure that the user is told of.
  struct Trouble {
    let text: String
    /// The room that asks for a passcode, or refused this peer's.
    var room: InvitationTarget?
  }

  /// How a session began that took the place of another one.
  package struct Entry: Sendable {
    let hasPasscode: Bool
    let rooms: [InvitationTarget]

    /// A session with the passcode of these rooms; the first session of a program has none.
    package init(hasPasscode: Bool = false, rooms: [InvitationTarget] = []) {
      (self.hasPasscode, self.rooms) = (hasPasscode, rooms)
    }
  }

  /// Why a page ended its session.
  package enum Ending: Sendable {
    /// The user has left.
    case left
    /// The user typed a passcode for these rooms.
    case again(Passcode, inviting: [InvitationTarget])
  }
}

// MARK: - Anchors in the hand

extension Viewer {
  /// Shows an anchor at another place, to everybody at once; the last place is the anchor's.
  func drag(_ request: DragRequest) async throws(HTTPFailure) -> HTTPResponse {
    guard request.place.count == 3, request.place.allSatisfy(\.isFinite) else {
      throw HTTPFailure(400, "a place has three coordinates")
    }
    do throws(SessionError) {
      let id = try AnchorID(page: request.anchor)
      let held = try await hold(id)
      var transform = held.origin
      transform.translation = SIMD3(request.place)
      do throws(SessionError) {
        try await held.drag.update(to: transform)
        if request.isEnd { try await held.drag.end() }
      } catch {
        hand.release(id)
        throw error
      }
      if request.isEnd {
        hand.release(id)
        history.record(.move(id, from: held.origin, to: transform))
        changes.announce()
      }
    } catch {
      throw HTTPFailure(409, error.message)
    }
    return HTTPResponse(text: "{}")
  }

  private func hold(_ id: AnchorID) async throws(SessionError) -> Hand.Held {
    if let held = hand.find(id) { return held }
    guard let anchor = await session.anchors().first(where: { $0.id == id }) else {
      throw SessionError(.unknownAnchor, "the anchor was removed")
    }
    return hand.take(try await session.beginDrag(id), from: anchor.transform)
  }

  /// The devices and the anchors in other peers' hands: what may be new sixty times a second.
  func live() async -> JSON.Members {
    [
      "devices": .array(await session.participants().map(describeDevice)),
      "drags": .array(
        await session.drags().map { pose in
          [
            "id": .string(pose.anchor.description), "peer": .string(pose.peer.id.description),
            "transform": Self.numbers(pose.transform),
          ]
        }),
    ]
  }
}

extension Report {
  /// The last address was used; another browser can open this one.
  fileprivate static func nextAddress(_ address: String) -> Report {
    Report("address", ["address": .string(address)], ["for another browser: \(address)"])
  }
}

extension AnchorID {
  /// The anchor that the page names.
  init(page text: String) throws(SessionError) {
    guard let id = AnchorID(text) else { throw SessionError(.invalidArgument, "'\(text)' is no anchor's id") }
    self = id
  }
}
