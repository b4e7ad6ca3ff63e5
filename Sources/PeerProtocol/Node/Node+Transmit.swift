import Basics
import WorldModel

extension Node {
  /// The next bytes for a link, the most urgent lane first: control, operations, poses, map pieces.
  ///
  /// Nil when nothing waits or the link has taken its fill.
  mutating func takeBytes(for id: LinkID) -> [UInt8]? {
    guard let sending = links.update(id, { $0.beginSending() }) ?? nil else { return nil }
    guard sending.control <= ProtocolLimits.controlQueue else {
      end(id, .limitExceeded, at: lastTick)
      return nil
    }
    scratch.removeAll()
    if sending.control > 0 { links[id]?.moveControl(to: &scratch) }
    switch sending.phase {
    case .member: writeLanes(sending, for: id)
    case .bulk: writePieces(for: id)
    case .greeting, .stranger: break
    }
    let count = scratch.count
    guard count > 0 else { return nil }
    let now = lastTick
    links.update(id) { $0.noteSent(count, at: now) }
    return scratch.take()
  }

  /// Appends what a member's link has to send besides control frames.
  private mutating func writeLanes(_ sending: Link.Sending, for id: LinkID) {
    if sending.isSendingSnapshot { writeSnapshot(for: id) }
    streamOperations(for: id)
    if sending.hasPoses { writeEphemeral(for: id) }
    // What was begun on a link that has since been replaced ends there.
    if sending.hasUploads || !isMemberLink(id) { writePieces(for: id) }
  }
}
