import Basics
import WorldModel

/// Serving chunks: which each member asked for, and the pieces of them that leave next.
struct ChunkServer: Sendable {
  /// By the link that carries a member's traffic, what it asked for.
  private var uploads = PerLink<Uploads>()

  /// A chunk that was asked for, as it is here.
  enum Served {
    /// With the size of its raw bytes.
    case here(StoredChunk, rawSize: Int)
    /// It is being read.
    case comes
    /// It is not here any more.
    case gone
  }

  /// A link is a member's from now on.
  mutating func open(_ link: LinkRef) { uploads.begin(link, with: Uploads()) }

  /// A member's link is gone, and what it asked for with it.
  mutating func close(_ link: LinkRef) { uploads.end(link) }

  /// Begins again on a control link what was on its way on a bulk link that is gone.
  mutating func restart(from second: LinkRef, on control: LinkRef) { uploads[control]?.restart(from: second) }

  /// A member wants nothing more of a content.
  mutating func cancel(_ content: ContentID, on link: LinkRef) { uploads[link]?.remove(content) }

  /// The first chunks that a member waits for.
  func first(_ count: Int, on link: LinkRef) -> [Uploads.Upload] { uploads[link]?.first(count) ?? [] }

  /// Sends the part of a manifest that is asked for, of those that one peer asks for in a second at most so many.
  mutating func receive(
    _ request: ManifestRequest, of manifest: ContentManifest, from sender: MemberLink, in turn: inout Turn
  ) {
    let (first, now) = (request.first, turn.now)
    guard first < manifest.names.count, uploads.update(sender.link, { $0.mayAskManifest(at: now) }) == true else {
      return
    }
    let names = manifest.names[first..<min(first + ProtocolLimits.manifestNames, manifest.names.count)]
    let part = ManifestPart(content: request.content, first: first, names: Array(names))
    turn.send(.manifest, on: sender.link) { part.write(to: &$0) }
  }

  /// Queues the chunks a peer asks for that are here, within what one peer may ask; one that it asks for again starts over.
  mutating func receive(
    _ request: ContentRequest, of verified: ChunkSet, from sender: MemberLink, in turn: inout Turn
  ) {
    guard var queue = uploads[sender.link] else { return }
    for chunk in request.chunks where verified.contains(chunk) { queue.add(request.content, chunk) }
    uploads[sender.link] = queue
    turn.flush(sender.link)
    if let second = turn.mesh.links.bulk(to: sender.peer) { turn.flush(second) }
  }

  /// Appends pieces of requested chunks while the window has room; one that is being read holds back those behind it.
  ///
  /// On a control link they come last, and only while there is no bulk link; what was begun on a link ends on it.
  mutating func write(on link: LinkRef, in turn: inout Turn, _ find: (Uploads.Upload) -> Served) {
    guard let control = turn.mesh.links.carrier(besides: link), uploads[control].map({ $0.count > 0 }) == true else {
      return
    }
    let takesNew = link != control || !turn.mesh.links.hasBulk(besides: control)
    while turn.outbox.scratch.count + ProtocolLimits.bulkPiece <= ProtocolLimits.transmitWindow,
      let upload = uploads[control]?.next(on: link, takesNew: takesNew)
    {
      let found = find(upload)
      if case .comes = found { return }
      guard case .here(let stored, let size) = found,
        let chunk = chunk(stored, of: upload, to: size, on: control, in: turn)
      else {
        uploads[control]?.advance(upload, to: nil, on: link)
        continue
      }
      let end = min(upload.offset + ProtocolLimits.bulkPiece, chunk.bytes.count)
      let piece = ChunkPiece(
        content: upload.content, chunk: upload.chunk, codec: chunk.codec, storedSize: chunk.bytes.count,
        offset: upload.offset)
      turn.outbox.scratch.writeFrame(.chunkPiece) { body in
        piece.write(to: &body)
        unsafe body.write(span: chunk.bytes.span.bytes.extracting(upload.offset..<end))
      }
      uploads[control]?.advance(upload, to: end == chunk.bytes.count ? nil : end, on: link)
    }
  }

  /// The chunk as it is sent: raw to a peer that cannot expand it.
  private mutating func chunk(
    _ stored: StoredChunk, of upload: Uploads.Upload, to size: Int, on control: LinkRef, in turn: borrowing Turn
  ) -> StoredChunk? {
    guard stored.codec == .zstd, !turn.mesh.links.offers(.zstdChunks, on: control) else { return stored }
    return uploads.update(control) { $0.expand(stored, of: upload, to: size) } ?? nil
  }
}
