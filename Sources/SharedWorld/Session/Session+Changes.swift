import AnchorReplication
import PeerProtocol
import PeerTransport
import Synchronization
import WorldModel

extension Session {
  /// Tells readers of changes of anchors, after the events before them: readers see all news in one order.
  func publish(_ changes: [SetChange], after earlier: inout [Event]) {
    hub.publish(exchange(&earlier, with: []))
    worldDesk.readers.removeAll { $0.mailbox == nil }
    lookUp { anchors, roster, frames in
      for mailbox in hub.receivers {
        mailbox.put(changes, in: anchors, roster, frames, whole: events(of:in:_:_:))
      }
      for reader in worldDesk.readers {
        reader.mailbox?.put(changes, in: anchors, roster, frames, whole: told(of:in:_:_:), author: author(_:in:))
      }
    }
    takeTouches(changes)
  }

  /// The events of a change besides that the anchor was updated; none for an anchor that is gone by now, or has no place in this
  /// peer's frame.
  private func events(
    of change: SetChange, in anchors: borrowing AnchorSet, _ roster: borrowing Roster, _ frames: borrowing FrameView
  ) -> [Session.Event] {
    let origin = change.origin
    switch change.kind {
    case .removed(let anchor, let stamp):
      return frames.anchor(anchor, written: stamp).map { [.anchorRemoved($0, origin: origin)] } ?? []
    case .added:
      guard let anchor = frames.anchor(change.id, in: anchors) else { return [] }
      let added = Session.Event.anchorAdded(anchor, origin: origin)
      guard let removed = anchors.restoredFrom(change.id) else { return [added] }
      return [added, .anchorRestored(anchor, from: removed)]
    case .updated(let fields):
      guard fields.hasLock, let lock = anchors.lock(of: change.id) else { return [] }
      return [.ownershipChanged(change.id, owner: lock.owner.map(peer))]
    case .editSupersededByRemoval(let value): return [.editSuperseded(lost(value, to: change, roster))]
    case .fieldOverwritten(let value): return [.fieldOverwritten(lost(value, to: change, roster))]
    }
  }

  /// A change as those who read changes see it; nil for what is none of an anchor.
  private func told(
    of change: SetChange, in anchors: borrowing AnchorSet, _ roster: borrowing Roster, _ frames: borrowing FrameView
  ) -> AnchorChange? {
    let kind: AnchorChange.Kind
    let anchor: Anchor?
    switch change.kind {
    case .added: (kind, anchor) = (.added, frames.anchor(change.id, in: anchors))
    case .updated: (kind, anchor) = (.updated, frames.anchor(change.id, in: anchors))
    case .removed(let last, let stamp): (kind, anchor) = (.removed, frames.anchor(last, written: stamp))
    case .editSupersededByRemoval, .fieldOverwritten: return nil
    }
    guard let anchor else { return nil }
    return AnchorChange(
      kind: kind, anchor: anchor, owner: kind == .removed ? nil : anchors.lock(of: change.id)?.owner.map(peer),
      author: author(of: change, in: roster), sessionTime: SessionTime(milliseconds: change.sessionMilliseconds),
      origin: change.origin)
  }

  private func lost(
    _ value: AnchorFieldValue, to change: SetChange, _ roster: borrowing Roster
  ) -> LostEdit {
    LostEdit(anchor: change.id, value: LostEdit.Value(value), author: author(of: change, in: roster))
  }

  /// The peer that changed an anchor; nil when nobody in the roster is known to be it, as for the anchors of a map.
  private func author(of change: SetChange, in roster: borrowing Roster) -> Peer? {
    guard let actor = change.author else { return nil }
    return author(actor, in: roster)
  }

  private func author(_ actor: ActorID, in roster: borrowing Roster) -> Peer? {
    if actor.peerPrefix == identity.peerID.prefix { return localPeer }
    return roster.entries.first { $0.peerID.prefix == actor.peerPrefix }.map { peer($0.peerID) }
  }
}

extension LostEdit.Value {
  init(_ value: AnchorFieldValue) {
    switch value {
    case .pose(let pose): self = .transform(pose.transform)
    case .name(let name): self = .name(name)
    case .payload(let payload): self = .payload(payload)
    case .flags(let flags): self = .flags(flags)
    case .lock: self = .ownership
    case .kind(let kind): self = .kind(kind)
    }
  }
}

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
    session.onLoop { session in
      session.lookUp { anchors, _, frames in mailbox.deliver(anchors, in: frames) }
    }
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

  /// Calls `body` in the session, at once where the caller is on its thread already.
  ///
  /// For what does not wait and is called often. A task that prefers ``executor`` would else be queued twice for each call,
  /// there and back, and stay on one thread meanwhile: Swift compares the executor that a task prefers too, and an actor's
  /// job runs without one.
  nonisolated(nonsending) func callNow<Value: Sendable>(
    _ body: @Sendable (isolated Session) throws(SessionError) -> Value
  ) async throws(SessionError) -> Value {
    if let value = try callHere(body) { return value }
    return try await body(self)
  }

  /// Calls `body` if the caller is on the session's thread; nil if not.
  private nonisolated func callHere<Value: Sendable>(
    _ body: @Sendable (isolated Session) throws(SessionError) -> Value
  ) throws(SessionError) -> Value? {
    guard loop.isIsolatingCurrentContext() == true else { return nil }
    return try assumeIsolated { session in Result { () throws(SessionError) in try body(session) } }.get()
  }

  /// Has what is unread in a mailbox given to who waits for it.
  nonisolated func serve(_ mailbox: ChangeMailbox) {
    onLoop { session in
      session.lookUp { anchors, _, frames in mailbox.deliver(anchors, in: frames) }
    }
  }

  /// Lends the anchors, the roster and the frames to be read.
  func lookUp(_ body: (borrowing AnchorSet, borrowing Roster, borrowing FrameView) -> Void) {
    driver?.read { node, _ in node.lend(body) }
  }

  /// Lets a reader begin with the anchors that are there; it gets every change after that.
  func begin(_ mailbox: ChangeMailbox, isRestart: Bool) {
    worldDesk.readers.removeAll { $0.mailbox == nil || $0.mailbox === mailbox }
    let present: [AnchorChange]? = try? read { node, now in
      let time = SessionTime(milliseconds: node.sessionTime(at: now))
      return node.placedAnchors.map {
        AnchorChange(present: $0, owner: node.anchors.lock(of: $0.id)?.owner.map(peer), at: time)
      }
    }
    mailbox.begin(present ?? [], isRestart: isRestart)
    if hasEnded { mailbox.end() } else { worldDesk.readers.append(ChangeReader(mailbox: mailbox)) }
  }

  /// Ends the reading of changes; readers of events keep what they have not read, now that the anchors go.
  func endChangeReaders() {
    lookUp { anchors, _, frames in
      for mailbox in hub.receivers { mailbox.settle(from: anchors, in: frames) }
      for reader in worldDesk.readers { reader.mailbox?.settle(from: anchors, in: frames) }
    }
    for reader in worldDesk.readers { reader.mailbox?.end() }
    worldDesk.readers = []
  }
}

// MARK: - Snapshots

extension Session {
  /// The session as it was after its latest turn, for a render loop: no `await`, from any thread.
  ///
  /// Before the first read nothing is made. From then on a change is in the next snapshot at once if the one before was read, else
  /// after four milliseconds at most, and a reader that comes before has it made: it waits for the session's thread, as long as one
  /// turn of that takes. So it does where nobody has read for a second.
  ///
  /// A snapshot costs its reader a pointer. It costs the session the anchors that have changed, and a copy of the list of all: hold
  /// one for a frame, not for the life of the app.
  public nonisolated var snapshot: Snapshot {
    let (latest, isStale) = board.read()
    guard isStale else { return latest }
    loop.executeAndWait { self.assumeIsolated { $0.publishSnapshot() } }
    return board.read().0
  }

  /// The session at this moment, which ``snapshot`` shows from then on.
  public func makeSnapshot() -> Snapshot {
    if !hasEnded { publishSnapshot() }
    return board.read().0
  }

  /// Lets the next snapshot show what has changed, if the app reads any.
  func updateSnapshot() {
    guard board.isWanted, !hasEnded else { return }
    if board.wasRead { return publishSnapshot() }
    board.becomeStale()
    guard worldDesk.snapshots.timer?.deadline == nil, loop.now < worldDesk.snapshots.lastRead + SnapshotDesk.patience
    else { return }
    let timer = worldDesk.snapshots.timer ?? makeTimer { $0.publishSnapshot() }
    timer.deadline = loop.now + SnapshotDesk.pause
    worldDesk.snapshots.timer = timer
  }

  /// Shows the session as it is now.
  private func publishSnapshot() {
    guard !hasEnded else { return }
    if board.wasRead { worldDesk.snapshots.lastRead = loop.now }
    worldDesk.snapshots.timer?.deadline = nil
    publishSnapshot(hasEnded: false)
  }

  /// Shows the session as it was last; no snapshot follows.
  func showEnd() {
    worldDesk.snapshots.timer = nil
    publishSnapshot(hasEnded: true)
  }

  private func publishSnapshot(hasEnded: Bool) {
    worldDesk.snapshots.revision += 1
    let (anchors, digest, poses) =
      driver?.read { node, _ in
        (node.placedAnchors, node.digest, node.livePoses.compactMap(node.worldFrames.update))
      } ?? ([], SHA256Digest(words: .zero), [])
    board.publish(
      Snapshot(
        revision: worldDesk.snapshots.revision, state: state, anchors: anchors, digest: digest,
        participants: poses.filter { $0.subject == .participant }.compactMap(livePose),
        drags: poses.filter { $0.subject != .participant }.compactMap(livePose), hasEnded: hasEnded))
  }
}

/// A mailbox for as long as somebody reads it.
struct ChangeReader {
  weak var mailbox: ChangeMailbox?
}
