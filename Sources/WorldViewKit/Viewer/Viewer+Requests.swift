import SharedWorld
import PeerCLI
import WorldFormats

extension Viewer {
  /// Answers a request: the page's own files to everybody, all else to a request that shows the key.
  func respond(to request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    if request.method == "GET", let file = files[request.path] {
      return HTTPResponse(contentType: file.contentType, body: .bytes(file.bytes))
    }
    if request.method == "POST", request.path == "/open" { return try open(request) }
    guard let access = pageKey.access(of: request) else {
      throw HTTPFailure(403, "open the address that worldview printed last; each address works once")
    }
    if access == .looking, !Self.mayLook(request) {
      throw HTTPFailure(403, "this page was opened by an address for looking, and changes nothing")
    }
    return try await respond(toPage: request, access)
  }

  /// Whether a page that changes nothing may ask so.
  private static func mayLook(_ request: HTTPRequest) -> Bool {
    let paths =
      request.method == "GET"
      ? ["/points", "/numbers", "/state", "/events", "/map", "/map.ply", "/map.glb"]
      : ["/device", "/pose", "/point", "/look"]
    return paths.contains(request.path) || request.path == "/leave" && request.field("x-device") != nil
  }

  /// Gives the key for the token of the address, and prints the address for the next browser.
  private func open(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    let asked: OpenRequest = try request.json()
    guard let (key, access) = pageKey.key(for: asked.token) else {
      throw HTTPFailure(403, "this address was used; open the one that worldview printed last")
    }
    changes.announce()
    if access == .everything { console.say(.nextAddress(address, forOthers: addressForOthers())) }
    let isWindow = pageKey.claimWindow(access, host: request.field("host"))
    let answer: JSON = ["key": .string(key), "proof": .string(pageKey.proof), "isWindow": .bool(isWindow)]
    return HTTPResponse(text: answer.text)
  }

  private func respond(
    toPage request: HTTPRequest, _ access: PageKey.Access
  ) async throws(HTTPFailure) -> HTTPResponse {
    let device = try device(of: request)
    switch (request.method, request.path) {
    case ("GET", "/points"):
      await refreshScene()
      return HTTPResponse(contentType: "application/octet-stream", body: .bytes(scene.points))
    case ("GET", "/numbers"):
      return HTTPResponse(contentType: "application/octet-stream", body: .bytes(await Self.numbers(of: scene)))
    case ("GET", "/state"): return HTTPResponse(text: await snapshot(for: device, access).text)
    case ("GET", "/events"): return events(for: device?.identity.peerID, access)
    case ("GET", "/link"): return try await link()
    case ("GET", "/address"): return try pageAddress(for: .everything)
    case ("GET", "/address-for-looking"): return try pageAddress(for: .looking)
    case ("GET", "/map"): return try await save()
    case ("GET", "/map.ply"): return await export { $0.cloud.ply(from: $1) }
    case ("GET", "/map.glb"): return await export(GLBFile.encode)
    case ("GET", let path): throw HTTPFailure(404, "there is no \(path)")
    case ("POST", "/device"): return try await join(request.json(), isLooking: access == .looking)
    case ("POST", "/pose"): return try await show(request.json(), of: device)
    case ("POST", "/point"): return try await point(request.json(), by: author(of: request))
    case ("POST", "/leave"):
      if let device { return await leave(device) }
      ending = .left
      await session.leave()
      return HTTPResponse(text: "{}")
    case ("POST", let path):
      if let answer = try await edit(path, request) { return answer }
      return try await manage(path, request)
    default: throw HTTPFailure(405, "\(request.method) \(request.path) does nothing")
    }
  }

  /// Edits in the name of who asks; nil for a path that is none of an edit.
  private func edit(_ path: String, _ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse? {
    switch path {
    case "/drag": try await drag(request.json(), by: author(of: request))
    case "/tap": try await tap(request.tap(), by: author(of: request))
    case "/rename": try await rename(request.json(), by: author(of: request))
    case "/remove": try await remove(request.json(), by: author(of: request))
    case "/restore": try await restore(request.json(), by: author(of: request))
    case "/undo": try await undo(by: author(of: request))
    case "/redo": try await redo(by: author(of: request))
    case "/frame": try await begin(request.json(), by: author(of: request))
    case "/place": try await place(request.json(), by: author(of: request))
    case "/follow": try await follow(request.json(), by: author(of: request))
    case "/touch": try await touch(request.json(), by: author(of: request))
    case "/say": try await say(request.json(), by: author(of: request))
    case "/call": try await call(request.tap(), by: author(of: request))
    case "/look": try await look(request.tap(), by: author(of: request))
    default: nil
    }
  }

  /// Does what the program's own peer does for its pages.
  private func manage(_ path: String, _ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    switch path {
    case "/answer": return try answer(request.json())
    case "/code": return try compare(request.json())
    case "/invite": return try await invite(request.json())
    case "/withdraw": return try withdraw(request.json())
    case "/forget-missed": return forgetMissed(try request.json())
    case "/kick": return try await kick(request.json())
    case "/role": return try await setRole(request.json())
    case "/lock": return try await setLock(request.json())
    case "/unlock-passcode": return try await unlockPasscode()
    case "/passcode": return try await enter(request.json())
    case "/load": return try await load(request)
    case "/send-map": return try await sendMap()
    case "/show-map": return try await showMap(request.json())
    case "/up": return try await turn(request.json())
    default: throw HTTPFailure(405, "POST \(path) does nothing")
    }
  }

  /// Server-sent events: the proof that this is the server, the whole state whenever something is new, at most ten times a
  /// second, between them what moves, at most sixty times, and something each second, so that silence tells of a failure.
  ///
  /// Those of a browser that is a member end with its membership.
  private func events(for peer: PeerID?, _ access: PageKey.Access) -> HTTPResponse {
    HTTPResponse(
      contentType: "text/event-stream",
      body: .stream { writer in
        await self.noteStream(of: peer, begins: true)
        try? await self.tell(writer, peer, access)
        await self.noteStream(of: peer, begins: false)
      })
  }

  private nonisolated func tell(_ writer: HTTPWriter, _ peer: PeerID?, _ access: PageKey.Access) async throws {
    let news = changes.news()
    var next = ContinuousClock.now
    var told = ToldLists()
    try await writer.write("data: \(JSON.object(["proof": .string(pageKey.proof)]).text)\n\n")
    for await _ in news.wakes {
      let new = news.take()
      if new.contains(.live) {
        guard let live = await live(for: peer) else { return }
        try await writer.write("data: \(JSON.object(["live": .object(live)]).text)\n\n")
      }
      // A line that is a comment (HTML, §9.2.6).
      if new == .beat {
        try await writer.write(":\n\n")
        continue
      }
      if new.contains(.state) {
        if .now >= next {
          guard let (state, known) = await snapshot(after: told, for: peer, access) else { return }
          told = known
          try await writer.write("data: \(state.text)\n\n")
          next = .now + .milliseconds(100)
        } else {
          news.postpone(.state)
        }
      }
      try await Task.sleep(for: .milliseconds(16))
    }
  }

  /// The link with which others invite this peer, as text and as the rows of a QR code.
  private func link() async throws(HTTPFailure) -> HTTPResponse {
    let text: String
    do throws(SessionError) { text = try await session.peers.invitationLink().description } catch {
      throw HTTPFailure(409, error.message)
    }
    return try picture(of: text)
  }

  /// The address that opens the page on another device, once, likewise, and the fingerprint that its browser shows.
  private func pageAddress(for access: PageKey.Access) throws(HTTPFailure) -> HTTPResponse {
    guard let address = addressForOthers(for: access) else {
      throw HTTPFailure(
        409,
        "this page is served to this machine alone; start worldview with --https 0.0.0.0:8443 to open it elsewhere")
    }
    let isSecure = address.hasPrefix("https:")
    return try picture(of: address, ["fingerprint": .optional(isSecure ? fingerprint : nil)])
  }

  private func picture(of text: String, _ more: JSON.Members = [:]) throws(HTTPFailure) -> HTTPResponse {
    guard let code = QRCode(text) else { throw HTTPFailure(409, "the link is too long for a QR code") }
    return HTTPResponse(text: JSON.object(["link": .string(text), "rows": code.json] + more).text)
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
            return .success(try await session.peers.invite(target, timeout: .seconds(60)))
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
        _ = try await session.peers.invite(place)
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
    return (try? await session.peers.resolve(candidate))?.map(InvitationTarget.address) ?? []
  }

  /// Keeps what is wrong with an invitation, and whether a passcode would help.
  func note(_ error: SessionError, inviting target: InvitationTarget) {
    let asks = [.passcodeRequired, .passcodeRefused, .passcodeLocked, .passcodeWait].contains(error.code)
    trouble = Trouble(text: "\(people.name(of: target)): \(error.message)", room: asks ? target : nil)
    changes.announce()
  }
}

// MARK: - Members

extension Viewer {
  func kick(_ request: PeerRequest) async throws(HTTPFailure) -> HTTPResponse {
    try await edit { session throws(SessionError) in try await session.peers.remove(try PeerID(page: request.peer)) }
  }

  func setRole(_ request: RoleRequest) async throws(HTTPFailure) -> HTTPResponse {
    guard let role = PeerRole(rawValue: request.role) else {
      throw HTTPFailure(400, "there is no role \(request.role)")
    }
    return try await edit { session throws(SessionError) in
      try await session.peers.setRole(role, of: try PeerID(page: request.peer))
    }
  }

  func setLock(_ request: LockRequest) async throws(HTTPFailure) -> HTTPResponse {
    try await edit { session throws(SessionError) in
      if request.isLocked { try await session.peers.lock() } else { try await session.peers.unlock() }
    }
  }

  /// Lets strangers try the passcode again.
  func unlockPasscode() async throws(HTTPFailure) -> HTTPResponse {
    trouble = nil
    return try await edit { session in await session.peers.unlockPasscode() }
  }
}

// MARK: - Talk

/// The lines and the views that members' users give each other.
extension Viewer {
  /// Writes a line to all members.
  func say(_ request: SayRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    let text = request.text
    guard !text.isEmpty, text.utf8.count <= ChatLine.limit else {
      throw HTTPFailure(400, "a line has 1 to \(ChatLine.limit) bytes")
    }
    return try await edit(by: author) { session throws(SessionError) in
      try await session.send(ChatLine(text: text), to: .all, at: ChatLine.endpoint)
      // The words of a browser that is a member are heard as that of any other one.
      if author === self.own { self.people.talk.hear(text, from: session.localPeer.id) }
    }
  }

  /// Asks all others to look at what this page shows.
  func call(_ sight: TapRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    let distance = (SIMD3(sight.target) - SIMD3(sight.eye)).length
    let message = Message(LookHere(distance: distance), transform: sight.camera.pose)
    return try await edit(by: author) { session throws(SessionError) in
      try await session.messages.send(message, to: .all, at: LookHere.endpoint)
      if author === self.own { self.people.talk.hear(sight.camera.pose, distance, from: session.localPeer.id) }
    }
  }

  /// Reads what others say and show until the session ends.
  func hear() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await line in self.session.messages.of(ChatLine.self, at: ChatLine.endpoint) { await self.hear(line) }
      }
      group.addTask {
        for await call in self.session.messages.of(LookHere.self, at: LookHere.endpoint) { await self.hear(call) }
      }
      group.addTask {
        for await one in self.session.messages.of(Pointing.self, at: Pointing.endpoint) { await self.hear(one) }
      }
      group.addTask {
        for await view in self.session.messages.of(SharedView.self, at: SharedView.endpoint) { await self.hear(view) }
      }
    }
  }

  private func hear(_ line: ReceivedMessage<ChatLine>) {
    people.note(line.sender)
    people.talk.hear(String(line.object.text.prefix(ChatLine.limit)), from: line.sender.id)
    changes.announce()
  }

  private func hear(_ call: ReceivedMessage<LookHere>) {
    // One from a frame that is not aligned with this one shows nothing.
    guard let camera = call.transform, call.object.distance.isFinite else { return }
    people.note(call.sender)
    people.talk.hear(camera, call.object.distance, from: call.sender.id)
    changes.announce()
  }

  private func hear(_ pointing: ReceivedMessage<Pointing>) {
    people.note(pointing.sender)
    note(pointer: pointing.transform, of: pointing.sender.id)
  }

  func note(pointer place: Transform?, of peer: PeerID) {
    people.point(peer, at: place)
    changes.announce(.live)
  }

  private func hear(_ view: ReceivedMessage<SharedView>) {
    people.talk.hear(view.object, from: view.sender.id)
    changes.announce()
  }

  func describe(_ line: Talk.Line) -> JSON {
    ["id": .integer(line.id), "from": person(line.author), "text": .string(line.text)]
  }

  /// The last place to which one called the others.
  func describeCall() -> JSON.Members {
    let call = people.talk.call.map { call -> JSON in
      [
        "number": .integer(call.number), "from": person(call.author), "transform": Self.numbers(call.camera),
        "distance": .single(call.distance),
      ]
    }
    return ["call": call ?? .null]
  }
}

extension PeerID {
  /// The peer that the page names.
  fileprivate init(page text: String) throws(SessionError) {
    guard let id = PeerID(text) else { throw SessionError(.invalidArgument, "'\(text)' is no peer's id") }
    self = id
  }
}

extension Report {
  /// The last address was used; another browser can open this one.
  fileprivate static func nextAddress(_ address: String, forOthers other: String?) -> Report {
    let others: [Line] = other == address ? [] : other.map { ["on another device: \($0)"] } ?? []
    return Report(
      "address", ["address": .string(address), "addressForOthers": .optional(other)],
      ["for another browser: \(address)"] + others)
  }
}
