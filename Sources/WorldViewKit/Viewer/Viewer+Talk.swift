import PeerCLI
import SharedWorld

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

  /// Shows all others where a user points, or that the pointer has left.
  func point(_ request: PointRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    guard request.place.map({ $0.count == 3 && $0.allSatisfy(\.isFinite) }) ?? true else {
      throw HTTPFailure(400, "a place has three coordinates")
    }
    let place = request.place.map { Transform(translation: SIMD3($0)) }
    do throws(SessionError) {
      // Where it was is worth nothing once it is elsewhere.
      try await author.session.messages.send(
        Message(Pointing(), transform: place), to: .all, at: Pointing.endpoint,
        mode: .unreliable(key: Pointing.endpoint))
    } catch {
      throw HTTPFailure(409, error.message)
    }
    if author === own { note(pointer: place, of: session.localPeer.id) }
    return HTTPResponse(text: "{}")
  }

  private func hear(_ pointing: ReceivedMessage<Pointing>) {
    people.note(pointing.sender)
    note(pointer: pointing.transform, of: pointing.sender.id)
  }

  private func note(pointer place: Transform?, of peer: PeerID) {
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
