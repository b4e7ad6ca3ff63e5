import Basics
import WorldModel

/// Serving maps: who may have which, and what each member has asked for.
struct MapServer: Sendable {
  /// Maps that were shared with one peer alone.
  private var audience: Table<MapID, PeerID> = [:]
  /// The chunks on their way out.
  var chunks = ChunkServer()

  /// Keeps a map for one peer alone.
  mutating func keep(_ map: MapID, for peer: PeerID) { audience[map] = peer }

  /// Whether a map was shared with this peer alone.
  func isKept(_ map: MapID, for peer: PeerID) -> Bool { audience[map] == peer }

  /// Sends the part of a manifest that is asked for.
  mutating func receive(
    _ request: ManifestRequest, from sender: MemberLink, of library: borrowing MapLibrary, in turn: inout Turn
  ) {
    guard let manifest = library[MapID(request.content)]?.manifest, mayServe(request.content, to: sender.peer) else {
      return
    }
    chunks.receive(request, of: manifest, from: sender, in: &turn)
  }

  /// Queues the chunks a peer asks for.
  mutating func receive(
    _ request: ContentRequest, from sender: MemberLink, of library: borrowing MapLibrary, in turn: inout Turn
  ) {
    guard let holding = library[MapID(request.content)], mayServe(request.content, to: sender.peer) else { return }
    chunks.receive(request, of: holding.verified, from: sender, in: &turn)
  }

  private func mayServe(_ content: ContentID, to peer: PeerID) -> Bool {
    audience[MapID(content)].map { $0 == peer } ?? true
  }

  /// Appends pieces of requested chunks while the window has room.
  mutating func write(on link: LinkRef, of library: MapLibrary, in turn: inout Turn) {
    chunks.write(on: link, in: &turn) { upload in
      guard let holding = library[MapID(upload.content)], let chunk = holding.chunks[upload.chunk],
        let size = holding.manifest?.names[upload.chunk].size
      else { return .gone }
      return .here(chunk, rawSize: size)
    }
  }
}
