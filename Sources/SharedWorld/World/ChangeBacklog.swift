import AnchorReplication
import PeerProtocol
import WorldModel

/// The mailbox of a reader of ``Session/World/changes(matching:)``.
typealias ChangeMailbox = ReaderMailbox<ChangeBacklog>

/// An update of an anchor as it waits for a reader of changes.
struct ChangeNote: UpdateNote {
  let anchor: AnchorID
  let author: Peer?
  private(set) var sessionTime: SessionTime
  let origin: AnchorOrigin

  init(_ change: SetChange, by author: Peer?) {
    anchor = change.id
    self.author = author
    sessionTime = SessionTime(milliseconds: change.sessionMilliseconds)
    origin = change.origin
  }

  /// Updates of one author are one change.
  mutating func absorb(_ later: Self) -> Bool {
    guard author == later.author, origin == later.origin else { return false }
    sessionTime = later.sessionTime
    return true
  }

  /// Appends the change that this stands for; none for an anchor that is gone or has no place in this peer's frame.
  func append(
    to changes: inout [AnchorChanges.Element], from anchors: borrowing AnchorSet, in frames: borrowing FrameView,
    naming peer: (PeerID) -> Peer
  ) {
    guard let anchor = frames.anchor(self.anchor, in: anchors) else { return }
    changes.append(change(anchor, owner: anchors.lock(of: self.anchor)?.owner.map(peer)))
  }

  /// The news for the reader: the anchor as it is, and who owns it.
  func change(_ anchor: Anchor, owner: Peer?) -> AnchorChanges.Element {
    .change(
      AnchorChange(
        kind: .updated, anchor: anchor, owner: owner, author: author, sessionTime: sessionTime, origin: origin))
  }
}

/// The unread changes of one reader, and which anchors its filter lets it see.
///
/// For a reader of all anchors updates are only noted. Whether an anchor meets a filter is seen from the anchor at the time of the
/// change, and so a change behind a filter stands whole.
struct ChangeBacklog: Backlog {
  typealias Element = AnchorChanges.Element

  private let filter: AnchorFilter
  private let isFiltered: Bool
  /// A peer by its id; it is called on the session's loop.
  private let peer: @Sendable (PeerID) -> Peer
  private var unread = Unread<Element, ChangeNote>()
  /// The anchors that the reader was told of and not yet that they went; only behind a filter.
  private var shown: Set<AnchorID> = []
  /// Whether changes were dropped, so that the reader has to begin again.
  private(set) var isOverrun = false

  init(filter: AnchorFilter, naming peer: @escaping @Sendable (PeerID) -> Peer) {
    (self.filter, self.peer) = (filter, peer)
    isFiltered = filter != .all
  }

  var isEmpty: Bool { unread.isEmpty && !isOverrun }
  var hasNotes: Bool { unread.hasNotes }

  mutating func take() -> [Element] { unread.take { _, _ in } }

  mutating func take(from anchors: borrowing AnchorSet, in frames: borrowing FrameView) -> [Element] {
    unread.take { $0.append(to: &$1, from: anchors, in: frames, naming: peer) }
  }

  mutating func settle(from anchors: borrowing AnchorSet, in frames: borrowing FrameView) {
    unread.settleAll { $0.append(to: &$1, from: anchors, in: frames, naming: peer) }
  }

  // MARK: Writing

  /// Begins with the anchors that are there.
  mutating func begin(_ anchors: [AnchorChange], isRestart: Bool) {
    let present = isFiltered ? anchors.filter(matches) : anchors
    isOverrun = false
    shown = isFiltered ? Set(present.map(\.anchor.id)) : []
    unread = Unread()
    if isRestart { unread.append(.restarted) }
    for change in present { unread.append(.change(change)) }
    unread.append(.current)
  }

  /// A change as readers see it, with the anchor as it is after all of them; nil for what they are not told.
  typealias WholeChange = (SetChange, borrowing AnchorSet, borrowing Roster, borrowing FrameView) -> AnchorChange?

  /// Adds what happened to anchors, in order; the parameters are those of
  /// ``ReaderMailbox/put(_:in:_:_:whole:author:)``.
  mutating func append(
    _ changes: [SetChange], in anchors: borrowing AnchorSet, _ roster: borrowing Roster,
    _ frames: borrowing FrameView, isRead: Bool, whole: WholeChange, author: (ActorID, borrowing Roster) -> Peer?
  ) {
    // Anchors that came and went at once are not told of.
    var gone: Set<AnchorID> = []
    for change in changes where gone.isEmpty || !gone.contains(change.id) {
      if !isFiltered, !isRead, case .updated = change.kind {
        note(ChangeNote(change, by: change.author.flatMap { author($0, roster) }))
      } else if let told = whole(change, anchors, roster, frames) {
        append(told)
      } else if case .added = change.kind {
        gone.insert(change.id)
      }
    }
  }

  /// Adds a change as this reader sees it.
  mutating func append(_ change: AnchorChange) {
    guard !isOverrun, let kind = isFiltered ? kind(of: change) : change.kind else { return }
    guard unread.count < Session.Events.capacity else { return overrun() }
    if kind == .removed { unread.settle(change.anchor.id) { $0.change(change.anchor, owner: nil) } }
    unread.append(
      .change(
        AnchorChange(
          kind: kind, anchor: change.anchor, owner: change.owner, author: change.author,
          sessionTime: change.sessionTime, origin: change.origin)))
  }

  private mutating func note(_ note: ChangeNote) {
    guard !isOverrun else { return }
    unread.note(note)
    if unread.count > Session.Events.capacity { overrun() }
  }

  // MARK: Bounds

  /// Lets the reader begin again, because anchors have other places.
  mutating func restart() { if !isOverrun { overrun() } }

  /// A slow reader is told once that it has to begin again, and not before it has read what is left.
  private mutating func overrun() {
    isOverrun = true
    unread = Unread()
  }

  private func matches(_ change: AnchorChange) -> Bool { filter.matches(change.anchor, owner: change.owner?.id) }

  /// The change as a reader behind a filter sees it; nil when it does not.
  private mutating func kind(of change: AnchorChange) -> AnchorChange.Kind? {
    let id = change.anchor.id
    if change.kind == .removed { return shown.remove(id) == nil ? nil : .removed }
    guard matches(change) else { return shown.remove(id) == nil ? nil : .removed }
    return shown.insert(id).inserted ? .added : .updated
  }
}

extension ReaderMailbox where Contents == ChangeBacklog {
  convenience init(filter: AnchorFilter, naming peer: @escaping @Sendable (PeerID) -> Peer) {
    self.init(ChangeBacklog(filter: filter, naming: peer))
  }

  /// Begins with the anchors that are there.
  func begin(_ anchors: [AnchorChange], isRestart: Bool) { update { $0.begin(anchors, isRestart: isRestart) } }

  /// Lets the reader begin again, because anchors have other places.
  func restart() { update { $0.restart() } }

  /// Adds changes, in order, as this reader sees them.
  func put(_ changes: [AnchorChange]) {
    update { backlog in for change in changes { backlog.append(change) } }
  }

  /// Adds what happened to anchors, in order; `anchors` holds them as they are after all of it.
  ///
  /// - Parameters:
  ///   - whole: A change as readers see it; nil for what they are not told.
  ///   - author: The peer of an actor.
  func put(
    _ changes: [SetChange], in anchors: borrowing AnchorSet, _ roster: borrowing Roster,
    _ frames: borrowing FrameView, whole: ChangeBacklog.WholeChange, author: (ActorID, borrowing Roster) -> Peer?
  ) {
    update(in: anchors, roster, frames) {
      $0.append(changes, in: $2, $3, $4, isRead: $1, whole: whole, author: author)
    }
  }
}
