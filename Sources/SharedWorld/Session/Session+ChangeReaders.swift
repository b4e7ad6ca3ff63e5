import AnchorReplication
import PeerProtocol
import PeerTransport
import Synchronization
import WorldModel

/// Where readers get the anchors of updates that were only noted: the session, on whose loop alone they may be looked at.
final class AnchorSource: Sendable {
  private struct Owner {
    weak var session: Session?
  }

  private let owner = Mutex(Owner())

  /// Lets readers ask this session from now on.
  func begin(with session: Session) {
    owner.withLock { $0.session = session }
  }

  /// Has the session look at what is unread of messages, soon.
  func reviewUnread() {
    guard let session = owner.withLock({ $0.session }) else { return }
    session.loop.execute { session.assumeIsolated { $0.reviewUnread() } }
  }

  /// Has what is unread in a mailbox given to who waits for it: at once on the session's own thread, else when that comes to it.
  func serve(_ mailbox: EventMailbox) {
    guard let session = owner.withLock({ $0.session }) else { return }
    session.onLoop { session in session.lookUp { anchors, _ in mailbox.deliver { anchors.event(of: $0) } } }
  }
}

extension Session {
  /// Runs `body` on the loop: at once if that is here.
  nonisolated func onLoop(_ body: @escaping @Sendable (isolated Session) -> Void) {
    if loop.isIsolatingCurrentContext() == true {
      assumeIsolated { body($0) }
    } else {
      loop.execute { self.assumeIsolated { body($0) } }
    }
  }

  /// Has what is unread in a mailbox given to who waits for it.
  nonisolated func serve(_ mailbox: ChangeMailbox) {
    onLoop { session in
      session.lookUp { anchors, _ in mailbox.deliver { session.read($0, in: anchors) } }
    }
  }

  /// Lends the anchors and the roster to be read.
  func lookUp(_ body: (borrowing AnchorSet, borrowing Roster) -> Void) {
    driver?.read { node, _ in node.lend { anchors, roster in body(anchors, roster) } }
  }

  /// Lets a reader begin with the anchors that are there; it gets every change after that.
  func begin(_ mailbox: ChangeMailbox, isRestart: Bool) {
    changeReaders.removeAll { $0.mailbox == nil || $0.mailbox === mailbox }
    let present: [AnchorChange]? = try? read { node, now in
      let time = node.sessionTime(at: now)
      return node.allAnchors.map {
        AnchorChange(present: $0, owner: node.anchors.lock(of: $0.id)?.owner, at: time)
      }
    }
    mailbox.begin(present ?? [], isRestart: isRestart)
    if hasEnded { mailbox.end() } else { changeReaders.append(ChangeReader(mailbox: mailbox)) }
  }

  /// Ends the reading of changes; readers of events keep what they have not read, now that the anchors go.
  func endChangeReaders() {
    lookUp { anchors, _ in
      for mailbox in hub.receivers { mailbox.settle { anchors.event(of: $0) } }
      for reader in changeReaders { reader.mailbox?.settle { read($0, in: anchors) } }
    }
    for reader in changeReaders { reader.mailbox?.end() }
    changeReaders = []
  }
}

/// A mailbox for as long as somebody reads it.
struct ChangeReader {
  weak var mailbox: ChangeMailbox?
}
