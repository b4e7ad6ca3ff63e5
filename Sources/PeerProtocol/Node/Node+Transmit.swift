import WorldModel

extension Node {
  /// The next bytes for a link, the most urgent lane first: control, operations, poses, map pieces.
  ///
  /// Nil when nothing waits or the link has taken its fill.
  mutating func takeBytes(for id: LinkID) -> [UInt8]? {
    guard let link = links[id], link.isWritable else {
      _ = links[id]?.takeEphemeral()
      return nil
    }
    guard link.control.count <= ProtocolLimits.controlQueue else {
      end(id, .limitExceeded, at: lastTick)
      return nil
    }
    scratch.removeAll()
    if link.control.count > 0 {
      scratch.write(bytes: link.control.bytes)
      links[id]?.control.removeAll()
    }
    if link.phase == .member {
      writeOperations(for: id)
      writeEphemeral(for: id)
      writePieces(for: id)
    }
    guard scratch.count > 0 else { return nil }
    links[id]?.inFlight += scratch.count
    links[id]?.bytesSent += UInt64(scratch.count)
    links[id]?.lastSent = lastTick
    return scratch.bytes
  }

  /// Appends pieces of requested chunks while the window has room.
  private mutating func writePieces(for id: LinkID) {
    while let upload = links[id]?.uploads.first,
      scratch.count + ProtocolLimits.bulkPiece <= ProtocolLimits.transmitWindow
    {
      guard let chunk = maps[upload.map]?.chunks[upload.chunk] else {
        links[id]?.uploads.removeFirst()
        continue
      }
      let end = min(upload.offset + ProtocolLimits.bulkPiece, chunk.bytes.count)
      let piece = MapPiece(
        map: upload.map, chunk: upload.chunk, codec: chunk.codec, storedSize: chunk.bytes.count, offset: upload.offset,
        bytes: Array(chunk.bytes[upload.offset..<end]))
      scratch.writeFrame(.mapPiece) { piece.write(to: &$0) }
      if end == chunk.bytes.count {
        links[id]?.uploads.removeFirst()
      } else {
        links[id]?.uploads[0].offset = end
      }
    }
  }
}
