import SharedWorld
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
    case ("POST", "/tap"): return try await tap(request.tap())
    case ("POST", "/load"): return try await load(request)
    case ("POST", "/send-map"): return try await sendMap()
    case ("POST", "/undo"): return try await perform(history.undo(), "there is nothing to undo")
    case ("POST", "/redo"): return try await perform(history.redo(), "there is nothing to redo")
    case ("POST", "/leave"):
      hasLeft = true
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

  /// Server-sent events: the whole state whenever something is new, at most ten times a second.
  private func events() -> HTTPResponse {
    HTTPResponse(
      contentType: "text/event-stream",
      body: .stream { writer in
        for await _ in self.changes.news() {
          try await writer.write("data: \(await self.snapshot().text)\n\n")
          try await Task.sleep(for: .milliseconds(100))
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

extension Report {
  /// The last address was used; another browser can open this one.
  fileprivate static func nextAddress(_ address: String) -> Report {
    Report("address", ["address": .string(address)], ["for another browser: \(address)"])
  }
}

extension AnchorID {
  /// The anchor that the page names.
  fileprivate init(page text: String) throws(SessionError) {
    guard let id = AnchorID(text) else { throw SessionError(.invalidArgument, "'\(text)' is no anchor's id") }
    self = id
  }
}
