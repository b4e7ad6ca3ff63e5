import WorldModel

extension Node {
  /// The next bytes for a link, the most urgent lane first: control, operations, poses, map pieces.
  ///
  /// Nil when nothing waits or the link has taken its fill.
  mutating func takeBytes(for id: LinkID) -> [UInt8]? {
    guard links[id]?.isWritable == true, let waiting = links[id]?.control.count else {
      _ = links[id]?.takeEphemeral()
      return nil
    }
    guard waiting <= ProtocolLimits.controlQueue else {
      end(id, .limitExceeded, at: lastTick)
      return nil
    }
    scratch.removeAll()
    links[id]?.moveControl(to: &scratch)
    if links[id]?.phase == .member {
      writeOperations(for: id)
      writeEphemeral(for: id)
      writePieces(for: id)
    }
    guard scratch.count > 0 else { return nil }
    links[id]?.noteSent(scratch.count, at: lastTick)
    return scratch.take()
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
