import AnchorReplication
import PeerProtocol
import WorldModel

/// The mailbox of an iterator of ``Session/Events``.
typealias EventMailbox = ReaderMailbox<EventBacklog>

/// An update of an anchor as it waits for a reader of events.
struct AnchorUpdate: UpdateNote {
  let anchor: AnchorID
  /// Where the latest of the updates came from.
  private(set) var origin: AnchorOrigin

  init(_ anchor: AnchorID, origin: AnchorOrigin) {
    self.anchor = anchor
    self.origin = origin
  }

  mutating func absorb(_ later: Self) -> Bool {
    origin = later.origin
    return true
  }
}

/// The events that a reader has not read, as many as its bounds allow.
///
/// An app reads events in a loop that may stop for seconds, while a session changes a thousand times a second. A queue
/// without a bound fills the memory. One that drops the oldest loses the only *left* of a peer, and the app shows it
/// permanently. One that makes the session wait lets one reader hold up all peers.
///
/// So what is out of date is not kept. An event of a state replaces the unread one about the same subject, in its
/// place, and a thousand updates of an anchor are one note: the anchor is looked up when the reader takes it. Not over
/// an end, though: what a peer was before it left must not become what it is after its return
/// (``Session/Event/Group``), or the reader ends with the wrong state. Which event replaces what is one table
/// (`SessionEvent+Unread.swift`).
///
/// Events that cannot be merged have a bound for each kind (``Session/Event/Bound``). Beyond it all of that kind are
/// dropped, not some, and a problem says so: a reader can start over from the state, but not from a gap that it does
/// not know of. Messages are neither: each counts, so their senders are held back instead, by the bytes that wait here
/// (``messageBytes``).
struct EventBacklog: Backlog {
  /// The events of a change besides an update.
  typealias WholeChange = (SetChange, borrowing AnchorSet, borrowing Roster, borrowing FrameView) -> [Session.Event]

  private var unread = Unread<Session.Event, AnchorUpdate>()
  /// Where an event stands that a later one about the same subject replaces, unless its group has ended since.
  private var replaceable: [Session.Event.Subject: Int] = [:]
  /// Where the last end of a group stands.
  private var ends: [Session.Event.Group: Int] = [:]
  /// Unread events under each bound: a place for each case.
  private var counts = InlineArray<4, Int>(repeating: 0)
  /// Cost of the unread messages, by sender (bytes): the node keeps it within a window.
  private(set) var messageBytes: [PeerID: Int] = [:]
  /// Cost of the messages that were taken since the session last looked for that (bytes).
  var takenMessageBytes = 0
  private let log: LogDesk?

  /// A backlog of a new reader.
  ///
  /// - Parameter log: Receives what is dropped; a reader that never reads is told nothing.
  init(log: LogDesk? = nil) { self.log = log }

  var isEmpty: Bool { unread.isEmpty }
  /// How many events are unread.
  var count: Int { unread.count }
  var hasNotes: Bool { unread.hasNotes }
  /// Never: what is dropped is told of by an event.
  var isOverrun: Bool { false }

  // MARK: Writing

  /// Adds an event, or lets it replace an unread one.
  mutating func append(_ event: Session.Event) {
    let (bound, relation) = event.unreadRule
    switch relation {
    case .follows: unread.append(event)
    case .replaces(let subject):
      if let index = place(of: subject) { return unread.replace(index, with: event) }
      seal(subject, before: event)
      replaceable[subject] = unread.append(event)
    case .ends(let subject):
      seal(subject, before: event)
      replaceable[subject] = nil
      unread.append(event)
    case .endsAll(let group): ends[group] = unread.append(event)
    }
    if let bound { tally(bound) }
  }

  /// Where an unread event about a subject stands that a later one may replace.
  private func place(of subject: Session.Event.Subject) -> Int? {
    guard let index = replaceable[subject] else { return nil }
    if let end = subject.group.flatMap({ ends[$0] }), end > index { return nil }
    return index
  }

  /// Adds messages, of which none replaces another or falls under a bound.
  mutating func append(_ messages: MessageRun, from sender: Peer) {
    messageBytes[sender.id, default: 0] += messages.cost
    unread.reserve(messages.count)
    for bytes in messages { unread.append(.message(bytes, from: sender)) }
  }

  /// Notes an update of an anchor, or lets it become one with an unread update.
  @inline(__always)
  mutating func note(_ update: AnchorUpdate) {
    let before = unread.count
    unread.note(update)
    if unread.count > before { tally(.anchors) }
  }

  /// Adds what happened to anchors, in order; `anchors` holds them as they are after all of it, and `whole` gives the events
  /// of a change besides an update.
  mutating func append(
    _ changes: [SetChange], in anchors: borrowing AnchorSet, _ roster: borrowing Roster,
    _ frames: borrowing FrameView, isRead: Bool, whole: WholeChange
  ) {
    // Anchors that came and went at once: nothing is left of them to be told before their end.
    var gone: Set<AnchorID> = []
    var next = 0
    if isRead { unread.reserve(changes.count) }
    for index in changes.indices {
      guard case .updated(let fields) = changes.span[index].kind else {
        let events = whole(changes[index], anchors, roster, frames)
        if events.isEmpty { gone.insert(changes[index].id) }
        for event in events { append(event) }
        continue
      }
      if fields.hasLock { for event in whole(changes[index], anchors, roster, frames) { append(event) } }
      let id = changes.span[index].id
      guard fields.hasOthers, gone.isEmpty || !gone.contains(id) else { continue }
      let origin = changes.span[index].origin
      if !isRead {
        note(AnchorUpdate(id, origin: origin))
      } else {
        // The reader gets everything at once, so no bound is counted.
        frames.read(id, next: &next, in: anchors) { unread.append(.anchorUpdated($0, origin: origin)) }
      }
    }
  }

  /// Lets updates that follow this event be news of their own; those before the end of an anchor show it as it was last.
  private mutating func seal(_ subject: Session.Event.Subject, before event: Session.Event) {
    guard case .anchor(let anchor) = subject else { return }
    if case .anchorRemoved(let last, _) = event {
      unread.settle(anchor) { .anchorUpdated(last, origin: $0.origin) }
    } else {
      unread.seal(anchor)
    }
  }

  // MARK: Reading

  mutating func take() -> [Session.Event] {
    forgetCounts()
    return unread.take { _, _ in }
  }

  mutating func take(from anchors: borrowing AnchorSet, in frames: borrowing FrameView) -> [Session.Event] {
    forgetCounts()
    var next = 0
    return unread.take { anchors.read($0, next: &next, in: frames, into: &$1) }
  }

  private mutating func forgetCounts() {
    forgetPlaces()
    counts = InlineArray(repeating: 0)
    for bytes in messageBytes.values { takenMessageBytes += bytes }
    messageBytes.removeAll(keepingCapacity: true)
  }

  mutating func settle(from anchors: borrowing AnchorSet, in frames: borrowing FrameView) {
    var next = 0
    unread.settleAll { anchors.read($0, next: &next, in: frames, into: &$1) }
    // The noted updates stand among the others now.
    forgetPlaces()
  }

  /// Lets no event replace one of those that are unread now.
  private mutating func forgetPlaces() {
    replaceable.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  // MARK: Bounds

  /// Counts an event, and drops all of its kind when they are too many.
  @inline(__always)
  private mutating func tally(_ bound: Session.Event.Bound) {
    counts[bound.rawValue] += 1
    if counts[bound.rawValue] > bound.capacity { drop(bound) }
    assert(counts[bound.rawValue] <= bound.capacity, "more events wait than may")
  }

  /// Drops everything under a bound, and says so.
  private mutating func drop(_ bound: Session.Event.Bound) {
    unread.drop(notes: bound == .anchors) { $0.unreadRule.bound == bound }
    // The remaining events stand elsewhere now.
    forgetPlaces()
    counts[bound.rawValue] = 0
    log?.write(.slowApp, bound.advice)
    append(.problem(SessionError(.consumerTooSlow, bound.advice)))
  }
}

extension ReaderMailbox where Contents == EventBacklog {
  /// Cost of a sender's messages that the reader has not taken (bytes).
  func unreadMessages(of sender: PeerID) -> Int { look { $0.messageBytes[sender] ?? 0 } }

  /// Cost of the messages that the reader has taken since this was last asked (bytes).
  func takenMessages() -> Int {
    var taken = 0
    update { taken = exchange(&$0.takenMessageBytes, with: 0) }
    return taken
  }

  /// Adds messages, in order.
  func put(_ messages: MessageRun, from sender: Peer) { update { $0.append(messages, from: sender) } }

  /// Adds events, in order.
  func put(_ events: [Session.Event]) {
    update { backlog in for event in events { backlog.append(event) } }
  }

  /// Adds what happened to anchors, in order; `anchors` holds them as they are after all of it, and `whole` gives the events
  /// of a change besides an update.
  func put(
    _ changes: [SetChange], in anchors: borrowing AnchorSet, _ roster: borrowing Roster,
    _ frames: borrowing FrameView, whole: EventBacklog.WholeChange
  ) {
    update(in: anchors, roster, frames) { $0.append(changes, in: $2, $3, $4, isRead: $1, whole: whole) }
  }
}

extension AnchorSet {
  /// Appends the event of an update: the anchor as it is now; none for one that is gone or has no place in this peer's frame.
  ///
  /// `next` is that of ``AnchorSet/slot(showing:next:)``.
  func read(
    _ update: AnchorUpdate, next: inout Int, in frames: borrowing FrameView, into events: inout [Session.Event]
  ) {
    frames.read(update.anchor, next: &next, in: self) { events.append(.anchorUpdated($0, origin: update.origin)) }
  }
}
