import PeerCLI
import SharedWorld

/// Browsers that are members of their own, through the program's session.
extension Viewer {
  /// The secrets that make a key (bytes).
  private static let secretSize = 32...128

  /// The browser that a request names; nil for one in the name of the program itself.
  func device(of request: HTTPRequest) throws(HTTPFailure) -> Device? {
    guard let token = request.field("x-device") else { return nil }
    guard let device = devices.find(token) else {
      // Nobody has ended the membership of one that is unknown: another session has begun, or its machine has slept.
      throw devices.isOver(token)
        ? HTTPFailure(410, "this browser is no member any more") : HTTPFailure(401, "this browser is no member yet")
    }
    device.noteSign()
    return device
  }

  /// In whose name a request edits.
  func author(of request: HTTPRequest) throws(HTTPFailure) -> Author {
    guard let device = try device(of: request) else { return own }
    guard let author = device.author else { throw HTTPFailure(409, "this browser is not in the session yet") }
    return author
  }

  /// Makes a browser a member of its own, and answers with what its requests are to show.
  func join(_ request: DeviceRequest, isLooking: Bool) async throws(HTTPFailure) -> HTTPResponse {
    guard Self.secretSize.contains(request.secret.utf8.count) else {
      throw HTTPFailure(400, "a secret has \(Self.secretSize.lowerBound) to \(Self.secretSize.upperBound) characters")
    }
    let identity: PeerIdentity
    do throws(SessionError) {
      identity = try PeerIdentity(named: request.name, secret: Array(request.secret.utf8))
    } catch {
      throw HTTPFailure(400, error.message)
    }
    let device = devices[identity.peerID] ?? Device(identity, isLooking: isLooking)
    guard device.identity.name == request.name, device.isLooking == isLooking else {
      throw HTTPFailure(409, "another tab of this browser is \(device.identity.name) here; close it first")
    }
    if devices[identity.peerID] == nil { try devices.add(device) }
    if let problem = await membership(of: device) { throw HTTPFailure(409, problem) }
    return HTTPResponse(
      text: JSON.object(["device": .string(device.token), "id": .string(identity.peerID.description)]).text)
  }

  /// Waits until a browser is a member, and returns what is wrong, if anything is.
  private func membership(of device: Device) async -> String? {
    await withCheckedContinuation { device.wait($0) }
  }

  /// Runs a session for each browser that comes, until it goes.
  func hostDevices() async {
    await withDiscardingTaskGroup { group in
      for await peer in devices.arrivals { group.addTask { await self.host(peer) } }
    }
    for device in devices.all { dismiss(device, because: "worldview ends") }
  }

  private func host(_ peer: PeerID) async {
    guard let device = devices[peer] else { return }
    var problem = "the session is over"
    do {
      let door = try devices.door(of: session)
      try await Session.withSession(as: device.identity, configuration: door.configuration) { companion in
        try await door.enter(companion)
        // In an open session nobody has a role: there this program alone keeps it from changing anything.
        if device.isLooking { try? await session.peers.setRole(.guest, of: peer) }
        device.admit(companion)
        changes.announce()
        for await event in companion.events {
          if case .ended(let reason) = event {
            // At once: a page that comes back is another start.
            dismiss(device, because: problem, isRemoved: reason == .kicked)
          } else if case .peerJoined(let peer) = event, let author = device.author {
            await tellPointer(of: author, to: peer.id)
          } else if case .alignmentChanged = event {
            // The program's own session tells all else.
            changes.announce()
          }
        }
      }
    } catch {
      problem = ProgramFailure(error).message
    }
    dismiss(device, because: problem)
  }

  private func dismiss(_ device: Device, because problem: String, isRemoved: Bool = false) {
    device.dismiss(because: problem)
    devices.remove(device, isRemoved: isRemoved)
    changes.announce()
  }

  /// Ends the sessions of browsers that are gone.
  func releaseDevices() async {
    for device in devices.all where device.isAbandoned() { await device.author?.session.leave() }
  }

  /// The browser leaves the session; the program stays.
  func leave(_ device: Device) async -> HTTPResponse {
    device.hasLeft = true
    await device.author?.session.leave()
    return HTTPResponse(text: "{}")
  }

  /// Shows the others where a browser looks from, or no more.
  func show(_ request: PoseRequest, of device: Device?) async throws(HTTPFailure) -> HTTPResponse {
    guard let author = device?.author else { throw HTTPFailure(409, "this browser is no member of its own") }
    do throws(SessionError) {
      try await author.session.world.updatePose(
        try request.pose.map { (pose) throws(SessionError) in try Transform(page: pose) })
    } catch {
      throw HTTPFailure(400, error.message)
    }
    return HTTPResponse(text: "{}")
  }

  /// Shows all others where a user points, or that the pointer has left.
  func point(_ request: PointRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    guard request.place.map({ $0.count == 3 && $0.allSatisfy(\.isFinite) }) ?? true else {
      throw HTTPFailure(400, "a place has three coordinates")
    }
    let place = request.place.map { Transform(translation: SIMD3($0)) }
    do throws(SessionError) { try await tell(pointer: place, of: author, to: .all) } catch {
      throw HTTPFailure(409, error.message)
    }
    if author === own { note(pointer: place, of: session.localPeer.id) }
    return HTTPResponse(text: "{}")
  }

  private func tell(
    pointer place: Transform?, of author: Author, to audience: MessageAudience
  ) async throws(SessionError) {
    // Where it was is worth nothing once it is elsewhere.
    try await author.session.messages.send(
      Message(Pointing(), transform: place), to: audience, at: Pointing.endpoint,
      mode: .unreliable(key: Pointing.endpoint))
  }

  /// Shows a newcomer where an author points, who may hold still.
  func tellPointer(of author: Author, to newcomer: PeerID) async {
    guard let place = people.pointers[author.session.localPeer.id] else { return }
    // The newcomer may have no page that shows it, or be gone again.
    _ = try? await tell(pointer: place, of: author, to: .peer(newcomer))
  }

  /// A stream of events of a browser begins or ends, and what is gone points nowhere.
  func noteStream(of peer: PeerID?, begins: Bool) async {
    let device = peer.flatMap { devices[$0] }
    if begins { device?.begin() } else { device?.end() }
    guard !begins, let author = peer == nil ? own : device?.author,
      people.pointers[author.session.localPeer.id] != nil
    else { return }
    _ = try? await point(PointRequest(place: nil), by: author)
  }
}

// MARK: - The room in its place

/// Browsers that show the room in its place, each in a frame of its own.
extension Viewer {
  /// A device begins a world of its own, or returns to that of the map.
  func begin(_ request: FrameRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    try await edit(by: author) { session throws(SessionError) in
      if request.isOwn { try await session.frames.begin() } else { try await session.frames.useShared() }
    }
  }

  /// Places an anchor where a device has found a surface; asked again, since the answer was lost on its way, it does nothing.
  func place(_ request: PlaceRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    try await edit(by: author) { session throws(SessionError) in
      let id = try AnchorID(page: request.anchor)
      let transform = try Transform(page: request.transform)
      guard author.placed.insert(id).inserted else { return }
      let name = request.name.isEmpty ? author.edits.nextName(of: session.localPeer.name) : request.name
      let anchor = Anchor(id: id, name: name, transform: transform)
      do throws(SessionError) {
        try await session.place(anchor)
      } catch {
        author.placed.remove(id)
        throw error
      }
      author.edits.history.record(.place(anchor))
    }
  }

  /// Moves an anchor as the device has come to know its place better, which is no edit of its user.
  func follow(_ request: PlaceRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    try await edit(by: author) { session throws(SessionError) in
      try await session.move(try AnchorID(page: request.anchor), to: try Transform(page: request.transform))
    }
  }

  /// The user of a device touches a point of the room that others touch too.
  func touch(_ request: TouchRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    try await edit(by: author) { session throws(SessionError) in
      guard request.position.count == 3 else { throw SessionError(.invalidArgument, "a place has three coordinates") }
      _ = try await session.frames.touch(request.name, at: SIMD3(request.position))
    }
  }

  /// How the world of a device lies to that of the map, and what has no place there.
  func describeFrame(of author: Author) async -> JSON {
    let alignment = await author.session.frames.alignmentOfShared
    return [
      "state": .string(alignment.state.rawValue), "position": .number(alignment.position),
      "map": alignment.transform.map(Self.numbers) ?? .null,
      "unaligned": .integer(await author.session.world.unalignedAnchors.count),
    ]
  }
}
