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
    let shown = scene
    var map = await currentMap()
    // Anchors that were removed from the session must not come back with a map that came from it.
    if !isShared {
      let known = Set(map.anchors.map(\.id))
      map.anchors += shown.map.anchors.filter { !known.contains($0.id) }
    }
    do throws(SessionError) {
      let id = try await session.share(map)
      sharedID = id
      if scene.mapID == shown.mapID { scene = await Self.prepare(map, id) }
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

  private func currentMap() async -> WorldMap {
    WorldMap(anchors: await session.anchors(), cloud: scene.map.cloud, views: scene.map.views)
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
