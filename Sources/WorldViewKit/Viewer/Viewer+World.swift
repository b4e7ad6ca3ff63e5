package import PeerCLI
package import SharedWorld
import WorldFormats

extension Viewer {
  /// The longest file that the page may load (bytes).
  private static let largestFile = 1 << 28

  /// The longest body of a request (bytes): a file needs the page's key before it is read.
  nonisolated func bodyLimit(of request: HTTPRequest) -> Int {
    guard request.path == "/load", request.method == "POST", pageKey.access(of: request) == .everything else {
      return HTTPRequest.usualBodyLimit
    }
    return Self.largestFile
  }

  /// Why the map in view cannot be sent; nil when it can.
  func gate(_ state: Session.State) -> String? {
    guard scene.mapID != nil else { return "Load a map to send it." }
    guard scene.mappingStatus.allowsSharing else {
      return "The map cannot be sent: its place is not mapped well enough (\(scene.mappingStatus))."
    }
    let isAlone = !state.peers.contains { $0.state == .connected }
    return isAlone ? "The map can be sent once another peer is connected." : nil
  }

  /// Shares the map in view, with the anchors of the session and those of its file, with everybody.
  func sendMap() async throws(HTTPFailure) -> HTTPResponse {
    if let reason = gate(await session.state) { throw HTTPFailure(409, reason) }
    let shownID = scene.mapID
    let map = await currentMap()
    do throws(SessionError) {
      let id = try await session.share(map)
      sharedID = id
      // With the anchors of the session it has another id.
      try keepView(of: id, up: up, origin: fileOrigin)
      if scene.mapID == shownID { scene = await Self.prepare(map, id) }
    } catch {
      throw HTTPFailure(409, error.message)
    }
    await tellView(to: .all)
    changes.announce()
    return HTTPResponse(text: "{}")
  }

  /// The map in view with the anchors of the session, as a `.worldmap` file.
  func save() async throws(HTTPFailure) -> HTTPResponse {
    let map = await currentMap()
    do throws(WorldMapError) {
      return HTTPResponse(contentType: "application/octet-stream", body: .bytes(try await Self.encode(map)))
    } catch {
      throw HTTPFailure(409, "the map cannot be saved: \(error)")
    }
  }

  /// Brings the map of a file of any format into view; it is not shared yet.
  func load(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    let kind = request.field("x-file-type")?.lowercased()
    let losses: MapLosses
    do throws(ProgramFailure) {
      (scene, losses) = try await Self.read(request.body, kind)
      scene.fileOrigin = losses.origin
    } catch {
      throw HTTPFailure(409, error.message)
    }
    changes.announce()
    let lost = losses.unreadablePoints ?? losses.droppedPoints.nonzero.map { "\(Text.plural($0, "point")) left out" }
    return HTTPResponse(text: JSON.object(["lost": .optional(lost)]).text)
  }

  /// Whether the map in view is the session's.
  var isShared: Bool { scene.mapID != nil && scene.mapID == sharedID }

  /// Whether the map in view is known to this page alone.
  private var isUnsent: Bool { scene.mapID != nil && !isShared }

  /// The map in view with the anchors of the session and, until it is sent, those of its file.
  func currentMap() async -> WorldMap {
    let (isUnsent, shown) = (isUnsent, scene.map)
    return shown.saved(with: await session.world.anchors, isUnsent: isUnsent)
  }

  // MARK: The session's map

  /// Brings the session's map into view if it is another one than before; one that was not sent stays until the user decides.
  func refreshScene() async {
    guard let id = await session.state.mapID, id != sharedID, !isUnsent, let map = await session.maps.latest() else {
      return
    }
    let scene = await Self.prepare(map, id)
    // Another page may have been faster.
    guard id != sharedID, !isUnsent else { return }
    (self.scene, sharedID) = (scene, id)
  }

  /// The session's map, about which the user is asked since it would take the place of one that was not sent.
  func offeredMap(_ state: Session.State) -> MapID? {
    guard isUnsent, let id = state.mapID, id != sharedID else { return nil }
    return id
  }

  /// The user has decided which of two maps is in view.
  func showMap(_ request: ShowMapRequest) async throws(HTTPFailure) -> HTTPResponse {
    let state = await session.state
    guard let id = offeredMap(state), id.description == request.map else {
      throw HTTPFailure(409, "the session has another map by now")
    }
    // A map that counts as seen does not ask again.
    if !request.isShown {
      sharedID = id
    } else if let map = await session.maps.latest() {
      (scene, sharedID) = (await Self.prepare(map, id), id)
    }
    changes.announce()
    return HTTPResponse(text: "{}")
  }

  @concurrent
  private static func encode(_ map: WorldMap) async throws(WorldMapError) -> [UInt8] { try map.encoded(.kept) }

  @concurrent
  private static func read(_ bytes: [UInt8], _ kind: String?) async throws(ProgramFailure) -> (Scene, MapLosses) {
    let input = try MapInput(bytes, fileExtension: kind, of: "the file")
    return (Scene(input.map, id: MapID(SHA256Digest(hashing: bytes))), input.losses)
  }

  @concurrent
  static func prepare(_ map: WorldMap, _ id: MapID) async -> Scene { Scene(map, id: id) }
}

extension Int {
  fileprivate var nonzero: Int? { self == 0 ? nil : self }
}

// MARK: - Anchors

/// The edits of the page's users, each of which they can take back.
extension Viewer {
  func tap(_ tap: TapRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    await refreshScene()
    guard let hit = await Self.hit(tap, in: scene, anchors: await session.world.anchors) else {
      throw HTTPFailure(409, scene.mapID == nil ? "there is no map yet" : "there is nothing under the tap")
    }
    return try await edit(by: author) { session throws(SessionError) in
      if let corner = tap.corner {
        _ = try await session.frames.touch(corner, at: hit.transform.translation)
      } else if let anchor = tap.anchor {
        let old = try await self.anchor(try AnchorID(page: anchor), of: session)
        try await session.move(old.id, to: hit.transform)
        author.edits.history.record(.move(old.id, from: old.transform, to: hit.transform))
      } else {
        let anchor = Anchor(name: self.name(for: tap, by: author), transform: hit.transform)
        try await session.place(anchor)
        author.edits.history.record(.place(anchor))
      }
    }
  }

  func rename(_ request: RenameRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    try await edit(by: author) { session throws(SessionError) in
      let old = try await self.anchor(try AnchorID(page: request.anchor), of: session)
      try await session.world.rename(old.id, to: request.name)
      author.edits.history.record(.rename(old.id, from: old.name, to: request.name))
    }
  }

  func remove(_ request: AnchorRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    try await edit(by: author) { session throws(SessionError) in
      let anchor = try await self.anchor(try AnchorID(page: request.anchor), of: session)
      try await session.remove(anchor.id)
      author.edits.history.record(.remove(anchor))
    }
  }

  /// Brings an anchor back that a user of the page has removed, whatever was edited since.
  func restore(_ request: AnchorRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    let step = AnchorID(request.anchor).flatMap { author.edits.history.undoRemoval(of: $0) }
    return try await perform(step, by: author, "the removal is not remembered any more, or was taken back")
  }

  func undo(by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    try await perform(author.edits.history.undo(), by: author, "there is nothing to undo")
  }

  func redo(by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    try await perform(author.edits.history.redo(), by: author, "there is nothing to redo")
  }

  /// Carries out a step of the history, if there is one.
  private func perform(
    _ step: UndoHistory.Step?, by author: Author, _ reason: String
  ) async throws(HTTPFailure) -> HTTPResponse {
    guard let step else { throw HTTPFailure(409, reason) }
    return try await edit(by: author) { session throws(SessionError) in try await session.world.perform(step) }
  }

  /// Changes something in the name of a browser, or of the program's own peer.
  func edit(
    by author: Author? = nil, _ change: (Session) async throws(SessionError) -> Void
  ) async throws(HTTPFailure) -> HTTPResponse {
    do throws(SessionError) {
      try await change((author ?? own).session)
    } catch {
      throw HTTPFailure(409, error.message)
    }
    changes.announce()
    return HTTPResponse(text: "{}")
  }

  @concurrent
  private static func hit(_ tap: TapRequest, in scene: Scene, anchors: [Anchor]) async -> HitTest.Result? {
    scene.hit(tap, anchors: anchors)
  }

  private func name(for tap: TapRequest, by author: Author) -> String {
    if let name = tap.name, !name.isEmpty { return name }
    return author.edits.nextName(of: author.session.localPeer.name)
  }

  private func anchor(_ id: AnchorID, of session: Session) async throws(SessionError) -> Anchor {
    guard let anchor = await session.world.anchors.first(where: { $0.id == id }) else {
      throw SessionError(.unknownAnchor, "the anchor was removed")
    }
    return anchor
  }
}

// MARK: - Anchors in the hand

extension Viewer {
  /// Shows an anchor at another place, to everybody at once; the last place is the anchor's.
  func drag(_ request: DragRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    guard request.place.count == 3, request.place.allSatisfy(\.isFinite) else {
      throw HTTPFailure(400, "a place has three coordinates")
    }
    do throws(SessionError) {
      let id = try AnchorID(page: request.anchor)
      let held = try await hold(id, by: author)
      var transform = held.origin
      transform.translation = SIMD3(request.place)
      do throws(SessionError) {
        try await held.drag.update(to: transform)
        author.hand.move(id, to: transform)
        if request.isEnd { try await held.drag.end() }
      } catch {
        author.hand.release(id)
        throw error
      }
      if request.isEnd {
        author.hand.release(id)
        author.edits.history.record(.move(id, from: held.origin, to: transform))
        changes.announce()
      }
    } catch {
      throw HTTPFailure(409, error.message)
    }
    return HTTPResponse(text: "{}")
  }

  /// Lets go what pages that are gone have held; each has moved an anchor, which can be taken back.
  func releaseAbandoned() {
    for author in [own] + devices.all.compactMap(\.author) {
      for held in author.hand.releaseAbandoned() {
        author.edits.history.record(.move(held.drag.anchor, from: held.origin, to: held.place))
      }
    }
  }

  private func hold(_ id: AnchorID, by author: Author) async throws(SessionError) -> Hand.Held {
    if let held = author.hand.find(id) { return held }
    let anchor = try await anchor(id, of: author.session)
    return author.hand.take(try await author.session.world.beginDrag(id), from: anchor.transform)
  }

  /// The devices and the anchors in the hands of others than a browser: what may be new sixty times a second; nil for a browser
  /// that is no member any more.
  func live(for peer: PeerID?) async -> JSON.Members? {
    guard let peer else { return await live(for: own) }
    guard let author = devices[peer]?.author else { return nil }
    return await live(for: author)
  }

  func live(for author: Author) async -> JSON.Members {
    [
      "devices": .array(await author.session.world.participants.map(describeDevice)),
      "pointers": .array(describePointers(but: author.session.localPeer.id)),
      "drags": .array(
        await author.session.world.drags.map { pose in
          [
            "id": .string(pose.anchor.description), "peer": .string(pose.peer.id.description),
            "transform": Self.numbers(pose.transform),
          ]
        }),
    ]
  }
}

// MARK: - The view

/// How the map in view is shown, and the place of it that lies under a pointer.
extension Viewer {
  private var book: ViewBook { ViewBook(in: options.peer.identity ?? options.peer.storage) }

  /// The axis that is up in the map in view: as the user chose for it, as its provider or the command line says, or as it seems.
  var up: UpAxis {
    (kept.up ?? told?.up).flatMap(UpAxis.init(rawValue:)) ?? options.up ?? scene.up
  }

  /// The view that the peer told which has shared the map in view.
  private var told: SharedView? {
    let view = scene.map.provider.flatMap { people.talk.views[$0] }
    return view?.map == scene.mapID?.description ? view : nil
  }

  /// Tells others how the map in view is shown that this peer has shared, where they would not guess it.
  func tellView(to audience: MessageAudience) async {
    await refreshScene()
    let isPlain = kept.up == nil && options.up == nil && fileOrigin == .zero
    guard isShared, scene.map.provider == nil, let map = scene.mapID, !isPlain else { return }
    let view = SharedView(map: map.description, up: up.rawValue, origin: fileOrigin.coordinates)
    // Others may have no pages that read it, and one that is going hears nothing.
    _ = try? await session.messages.send(view, to: audience, at: SharedView.endpoint)
  }

  /// The place in the frame of its file that is (0, 0, 0) of the map in view (metres).
  var fileOrigin: CloudOrigin {
    guard let origin = kept.origin ?? told?.origin, origin.count == 3, origin.allSatisfy(\.isFinite) else {
      return scene.fileOrigin
    }
    return CloudOrigin(x: origin[0], y: origin[1], z: origin[2])
  }

  /// The entry of the book about the map in view, which is read once.
  private var kept: ViewBook.Entry {
    guard let map = scene.mapID else { return ViewBook.Entry() }
    let entry = scene.kept ?? book[map]
    scene.kept = entry
    return entry
  }

  /// The user has turned the map in view.
  func turn(_ request: UpRequest) async throws(HTTPFailure) -> HTTPResponse {
    guard let axis = UpAxis(rawValue: request.axis) else { throw HTTPFailure(400, "\(request.axis) is no axis") }
    try keep { $0.up = axis.rawValue }
    await tellView(to: .all)
    changes.announce()
    return HTTPResponse(text: "{}")
  }

  private func keep(_ change: (inout ViewBook.Entry) -> Void) throws(HTTPFailure) {
    guard let map = scene.mapID else { throw HTTPFailure(409, "there is no map yet") }
    do throws(SessionError) { try book.record(map, change) } catch { throw HTTPFailure(409, error.message) }
    scene.kept = nil
  }

  /// Keeps how a map is shown that has another id from now on.
  func keepView(of map: MapID, up: UpAxis?, origin: CloudOrigin) throws(SessionError) {
    guard up != nil || origin != .zero else { return }
    try book.record(map) { entry in
      if let up { entry.up = up.rawValue }
      if origin != .zero { entry.origin = origin.coordinates }
    }
  }

  /// Shares the map of the command line.
  package func share(_ input: MapInput) async throws(SessionError) {
    try keepView(of: try await session.share(input.map), up: nil, origin: input.losses.origin)
  }

  /// The place and the transform that a tap would have; nothing is placed.
  func look(_ tap: TapRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    let hit = await Self.hit(tap, in: scene, anchors: await author.session.world.anchors)
    return HTTPResponse(text: JSON.object(["transform": hit.map { Self.numbers($0.transform) } ?? .null]).text)
  }

  /// All that the page needs to know of the map in view but for its points.
  func describeMap() -> JSON {
    guard let id = scene.mapID else { return .null }
    return [
      "id": .string(id.description), "points": .integer(scene.pointCount), "isShared": .bool(isShared),
      "minimum": .point(scene.bounds.minimum), "maximum": .point(scene.bounds.maximum),
      "up": .string(up.rawValue), "spacing": .single(scene.layers.spacing),
      "numbers": .array(scene.numberNames.map(JSON.string)),
      "origin": .array(fileOrigin.coordinates.map(JSON.number)),
    ]
  }

  /// The map in view in a form of other programs.
  func export(
    _ encode: @escaping @Sendable (WorldMap, CloudOrigin) -> [UInt8]
  ) async -> HTTPResponse {
    let (map, origin) = (await currentMap(), fileOrigin)
    return HTTPResponse(contentType: "application/octet-stream", body: .bytes(await Self.encode(map, origin, encode)))
  }

  @concurrent
  private static func encode(
    _ map: WorldMap, _ origin: CloudOrigin, _ encode: @Sendable (WorldMap, CloudOrigin) -> [UInt8]
  ) async -> [UInt8] { encode(map, origin) }

  @concurrent
  static func numbers(of scene: Scene) async -> [UInt8] { scene.numbers() }
}

extension AnchorID {
  /// The anchor that the page names.
  init(page text: String) throws(SessionError) {
    guard let id = AnchorID(text) else { throw SessionError(.invalidArgument, "'\(text)' is no anchor's id") }
    self = id
  }
}
