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
    case ("POST", "/invite"): return try await invite(request.json())
    case ("POST", "/withdraw"): return try withdraw(request.json())
    case ("POST", "/forget-missed"): return forgetMissed(try request.json())
    case ("POST", "/kick"): return try await kick(request.json())
    case ("POST", "/role"): return try await setRole(request.json())
    case ("POST", "/lock"): return try await setLock(request.json())
    case ("POST", "/unlock-passcode"): return try await unlockPasscode()
    case ("POST", "/passcode"): return try await enter(request.json())
    case ("POST", "/drag"): return try await drag(request.json())
    case ("POST", "/tap"): return try await tap(request.tap())
    case ("POST", "/load"): return try await load(request)
    case ("POST", "/send-map"): return try await sendMap()
    case ("POST", "/show-map"): return try await showMap(request.json())
    case ("POST", "/rename"): return try await rename(request.json())
    case ("POST", "/remove"): return try await remove(request.json())
    case ("POST", "/restore"): return try await restore(request.json())
    case ("POST", "/undo"): return try await undo()
    case ("POST", "/redo"): return try await redo()
    case ("POST", "/leave"):
      ending = .left
      await session.leave()
      return HTTPResponse(text: "{}")
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
    calls.answer(peer)
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
}

extension Report {
  /// The last address was used; another browser can open this one.
  fileprivate static func nextAddress(_ address: String) -> Report {
    Report("address", ["address": .string(address)], ["for another browser: \(address)"])
  }
}
