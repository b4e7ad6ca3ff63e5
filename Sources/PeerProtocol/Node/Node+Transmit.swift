import WorldModel

extension Node {
  /// The next bytes for a link, the most urgent lane first: control, operations, map pieces.
  ///
  /// Nil when nothing waits or the link has taken its fill.
  mutating func takeBytes(for id: LinkID) -> [UInt8]? {
    guard let link = links[id], link.isWritable else { return nil }
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
      writePieces(for: id)
    }
    guard scratch.count > 0 else { return nil }
    links[id]?.inFlight += scratch.count
    links[id]?.bytesSent += UInt64(scratch.count)
    links[id]?.lastSent = lastTick
    return scratch.bytes
  }
}
