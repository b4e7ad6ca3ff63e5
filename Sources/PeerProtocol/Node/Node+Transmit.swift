import WorldModel

extension Node {
  /// The next bytes for a link, the most urgent lane first: control, operations, poses, map pieces.
  ///
  /// Nil when nothing waits or the link has taken its fill.
  mutating func takeBytes(for id: LinkID) -> [UInt8]? {
    guard let waiting = links[id]?.control.count, let isWritable = links[id]?.isWritable else { return nil }
    // Whoever does not read at all never makes the link writable again.
    guard waiting <= ProtocolLimits.controlQueue else {
      end(id, .limitExceeded, at: lastTick)
      return nil
    }
    guard isWritable else {
      links[id]?.dropDrags()
      return nil
    }
    scratch.removeAll()
    links[id]?.moveControl(to: &scratch)
    switch links[id]?.phase {
    case .member:
      writeOperations(for: id)
      writeEphemeral(for: id)
      writePieces(for: id)
    case .bulk: writePieces(for: id)
    default: break
    }
    guard scratch.count > 0 else { return nil }
    links[id]?.noteSent(scratch.count, at: lastTick)
    return scratch.take()
  }
}
