import Basics
import WorldModel

/// Serving maps: who may have which, and what each member has asked for.
struct MapServer: Sendable {
  /// Maps that were shared with one peer alone.
  private var audience: [MapID: PeerID] = [:]
  /// By the link that carries a member's traffic, what it asked for.
  private var uploads = PerLink<Uploads>()

  /// Keeps a map for one peer alone.
  mutating func keep(_ map: MapID, for peer: PeerID) { audience[map] = peer }

  /// Whether a map was shared with this peer alone.
  func isKept(_ map: MapID, for peer: PeerID) -> Bool { audience[map] == peer }

  /// A link is a member's from now on.
  mutating func open(_ link: LinkRef) { uploads.begin(link, with: Uploads()) }

  /// A member's link is gone, and what it asked for with it.
  mutating func close(_ link: LinkRef) { uploads.end(link) }

  /// Begins again on a control link what was on its way on a bulk link that is gone.
  mutating func restart(from second: LinkRef, on control: LinkRef) { uploads[control]?.restart(from: second) }

  /// A member wants nothing more of a map.
  mutating func cancel(_ map: MapID, on link: LinkRef) { uploads[link]?.remove(map) }

  /// Sends the part of a manifest that is asked for.
  func receive(
    _ request: ManifestRequest, from sender: MemberLink, of library: borrowing MapLibrary, in turn: inout Turn
  ) {
    let (map, first) = (request.map, request.first)
    guard let manifest = library[map]?.manifest, first < manifest.names.count, mayServe(map, to: sender.peer) else {
      return
    }
    let names = manifest.names[first..<min(first + ProtocolLimits.manifestNames, manifest.names.count)]
    let part = ManifestPart(map: map, first: first, names: Array(names))
    turn.send(.mapManifest, on: sender.link) { part.write(to: &$0) }
  }

  /// Queues the chunks a peer asks for, within what one peer may ask; one that it asks for again starts over.
  mutating func receive(
    _ request: MapRequest, from sender: MemberLink, of library: borrowing MapLibrary, in turn: inout Turn
  ) {
    let map = request.map
    guard let holding = library[map], mayServe(map, to: sender.peer), var queue = uploads[sender.link] else { return }
    for chunk in request.chunks where holding.chunks.indices.contains(chunk) && holding.chunks[chunk] != nil {
      queue.add(map, chunk)
    }
    uploads[sender.link] = queue
    turn.flush(sender.link)
    if let second = turn.mesh.links.bulk(to: sender.peer) { turn.flush(second) }
  }

  /// The chunk as it is sent: raw to a peer that cannot expand it.
  private mutating func chunk(
    of upload: Uploads.Upload, from library: borrowing MapLibrary, on control: LinkRef, in turn: borrowing Turn
  ) -> StoredChunk? {
    guard let holding = library[upload.map], let chunk = holding.chunks[upload.chunk] else { return nil }
    guard chunk.codec == .zstd, !turn.mesh.links.offers(.zstdChunks, on: control),
      let size = holding.manifest?.names[upload.chunk].size
    else { return chunk }
    return uploads.update(control) { $0.expand(chunk, of: upload, to: size) } ?? nil
  }

  private func mayServe(_ map: MapID, to peer: PeerID) -> Bool { audience[map].map { $0 == peer } ?? true }

  /// Appends pieces of requested chunks while the window has room.
  ///
  /// On a control link they come last, and only while there is no bulk link; what was begun on a link ends on it.
  mutating func write(on link: LinkRef, of library: borrowing MapLibrary, in turn: inout Turn) {
    guard let control = turn.mesh.links.carrier(besides: link), uploads[control].map({ $0.count > 0 }) == true else {
      return
    }
    let takesNew = link != control || !turn.mesh.links.hasBulk(besides: control)
    while turn.outbox.scratch.count + ProtocolLimits.bulkPiece <= ProtocolLimits.transmitWindow,
      let upload = uploads[control]?.next(on: link, takesNew: takesNew)
    {
      guard let chunk = chunk(of: upload, from: library, on: control, in: turn) else {
        uploads[control]?.advance(upload, to: nil, on: link)
        continue
      }
      let end = min(upload.offset + ProtocolLimits.bulkPiece, chunk.bytes.count)
      let piece = MapPiece(
        map: upload.map, chunk: upload.chunk, codec: chunk.codec, storedSize: chunk.bytes.count, offset: upload.offset)
      turn.outbox.scratch.writeFrame(.mapPiece) { body in
        piece.write(to: &body)
        unsafe body.write(span: chunk.bytes.span.bytes.extracting(upload.offset..<end))
      }
      uploads[control]?.advance(upload, to: end == chunk.bytes.count ? nil : end, on: link)
    }
  }
}
