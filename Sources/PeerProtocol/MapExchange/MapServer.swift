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

  /// Begins anew on a control link what was on its way on a bulk link that is gone.
  mutating func restart(from second: LinkRef, on control: LinkRef) { uploads[control]?.restart(from: second) }

  /// A member wants nothing more of a map.
  mutating func cancel(_ map: MapID, on link: LinkRef) { uploads[link]?.remove(map) }

  /// Sends the part of a manifest that is asked for.
  func receiveManifestRequest(
    _ reader: inout ByteReader, from sender: MemberLink, of library: borrowing MapLibrary, in turn: inout Turn
  ) throws(DecodingFailure) {
    let map = MapID(try reader.readDigest())
    let first = Int(try reader.read(UInt32.self))
    guard let manifest = library[map]?.manifest, first < manifest.names.count, mayServe(map, to: sender.peer) else {
      return
    }
    let part = manifest.names[first..<min(first + ProtocolLimits.manifestNames, manifest.names.count)]
    turn.send(.mapManifest, on: sender.link) { body in
      body.write(map.digest)
      body.write(UInt32(first))
      for name in part { name.write(to: &body) }
    }
  }

  /// Queues the chunks a peer asks for, within what one peer may ask; one that it asks for again begins anew.
  mutating func receiveRequest(
    _ reader: inout ByteReader, from sender: MemberLink, of library: borrowing MapLibrary, in turn: inout Turn
  ) throws(DecodingFailure) {
    let map = MapID(try reader.readDigest())
    guard let holding = library[map], mayServe(map, to: sender.peer), var queue = uploads[sender.link] else { return }
    while !reader.isAtEnd {
      let chunk = Int(try reader.read(UInt32.self))
      guard holding.chunks.indices.contains(chunk), holding.chunks[chunk] != nil else { continue }
      queue.add(map, chunk)
    }
    uploads[sender.link] = queue
    turn.flush(sender.link)
    if let second = turn.mesh.links.bulk(to: sender.peer) { turn.flush(second) }
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
      guard let chunk = library[upload.map]?.chunks[upload.chunk] else {
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
