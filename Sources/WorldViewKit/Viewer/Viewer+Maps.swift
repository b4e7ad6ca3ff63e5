import PeerCLI
import SharedWorld

extension Viewer {
  /// The longest file that the page may load (bytes).
  private static let largestFile = 1 << 28

  /// The longest body of a request (bytes): a file needs the page's key before it is read.
  nonisolated func bodyLimit(of request: HTTPRequest) -> Int {
    guard request.path == "/load", request.method == "POST", pageKey.admits(request) else {
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
    if let reason = gate(await session.state()) { throw HTTPFailure(409, reason) }
    let shownID = scene.mapID
    let map = await currentMap()
    do throws(SessionError) {
      let id = try await session.share(map)
      sharedID = id
      if scene.mapID == shownID { scene = await Self.prepare(map, id) }
    } catch {
      throw HTTPFailure(409, error.message)
    }
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
    do throws(ProgramFailure) {
      scene = try await Self.read(request.body, kind)
    } catch {
      throw HTTPFailure(409, error.message)
    }
    // The map that the session has now does not take its place; a later one does.
    sharedID = await session.state().mapID
    changes.announce()
    return HTTPResponse(text: "{}")
  }

  /// Whether the map in view is the session's.
  var isShared: Bool { scene.mapID != nil && scene.mapID == sharedID }

  /// Whether the map in view is known to this page alone.
  private var isUnsent: Bool { scene.mapID != nil && !isShared }

  /// The map in view with the anchors of the session and, until it is sent, those of its file.
  ///
  /// Anchors that were removed from the session must not come back with a map that came from it. Devices, which no session has
  /// as anchors, stay in any map.
  private func currentMap() async -> WorldMap {
    let (isUnsent, shown) = (isUnsent, scene.map)
    var map = shown
    map.anchors = await session.anchors()
    let known = Set(map.anchors.map(\.id))
    map.anchors += shown.anchors.filter { (isUnsent || $0.isDevice) && !known.contains($0.id) }
    return map
  }

  // MARK: The session's map

  /// Brings the session's map into view if it is another one than before; one that was not sent stays until the user decides.
  func refreshScene() async {
    guard let id = await session.state().mapID, id != sharedID, !isUnsent, let map = await session.map() else { return }
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
    let state = await session.state()
    guard let id = offeredMap(state), id.description == request.map else {
      throw HTTPFailure(409, "the session has another map by now")
    }
    // A map that counts as seen does not ask again.
    if !request.isShown {
      sharedID = id
    } else if let map = await session.map() {
      (scene, sharedID) = (await Self.prepare(map, id), id)
    }
    changes.announce()
    return HTTPResponse(text: "{}")
  }

  @concurrent
  private static func encode(_ map: WorldMap) async throws(WorldMapError) -> [UInt8] { try map.encoded(.kept) }

  @concurrent
  private static func read(_ bytes: [UInt8], _ kind: String?) async throws(ProgramFailure) -> Scene {
    let input = try MapInput(bytes, fileExtension: kind, of: "the file")
    return Scene(input.map, id: MapID(SHA256Digest(hashing: bytes)))
  }

  @concurrent
  static func prepare(_ map: WorldMap, _ id: MapID) async -> Scene { Scene(map, id: id) }
}

extension Anchor {
  fileprivate var isDevice: Bool { if case .participant = kind { true } else { false } }
}
