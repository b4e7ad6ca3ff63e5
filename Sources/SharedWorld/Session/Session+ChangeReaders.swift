import AnchorReplication
import PeerProtocol
import WorldModel

extension Session {
  /// Lets a reader begin with the anchors that are there; it gets every change after that.
  func begin(_ mailbox: ChangeMailbox, isRestart: Bool) {
    changeReaders.removeAll { $0.mailbox == nil || $0.mailbox === mailbox }
    let present: [AnchorChange]? = try? read { node, now in
      let time = node.sessionTime(at: now)
      return node.allAnchors.map {
        AnchorChange(present: $0, owner: node.anchors.lock(of: $0.id)?.owner, at: time)
      }
    }
    mailbox.begin(present ?? [], isRestart: isRestart, hasEnded: hasEnded)
    if !hasEnded { changeReaders.append(ChangeReader(mailbox: mailbox)) }
  }

  /// Hands changes to those who read them.
  func publish(_ changes: [AnchorChange]) {
    changeReaders.removeAll { $0.mailbox == nil }
    for reader in changeReaders { reader.mailbox?.put(changes) }
  }

  func endChangeReaders() {
    for reader in changeReaders { reader.mailbox?.end() }
    changeReaders = []
  }
}

/// A mailbox for as long as somebody reads it.
struct ChangeReader {
  weak var mailbox: ChangeMailbox?
}
