import WorldModel

extension Node {
  /// The next bytes for a link, the most urgent lane first: control, operations, poses, map pieces.
  ///
  /// Nil when nothing waits or the link has taken its fill.
  mutating func takeBytes(for link: LinkRef) -> [UInt8]? {
    let id = link.id
    let control = turn.outbox.controlBytes(on: link)
    guard let sending = links.update(id, { $0.beginSending(control: control) }) ?? nil else {
      poses.dropLate(on: link)
      return nil
    }
    guard control <= ProtocolLimits.controlQueue else {
      end(id, .limitExceeded, at: lastTick)
      return nil
    }
    turn.outbox.scratch.removeAll()
    if control > 0 { turn.outbox.moveControl(of: link) }
    switch sending.phase {
    case .member: writeLanes(sending, for: id)
    case .bulk: maps.write(on: link, in: &turn)
    case .greeting, .stranger: break
    }
    let count = turn.outbox.scratch.count
    guard count > 0 else { return nil }
    let now = lastTick
    links.update(id) { $0.noteSent(count, at: now) }
    return turn.outbox.scratch.take()
  }

  /// Appends what a member's link has to send besides control frames.
  private mutating func writeLanes(_ sending: Link.Sending, for id: LinkID) {
    guard let link = directory.link(id) else { return }
    replication.write(on: link, in: &turn)
    poses.write(on: link, in: &turn)
    maps.write(on: link, in: &turn)
  }
}
