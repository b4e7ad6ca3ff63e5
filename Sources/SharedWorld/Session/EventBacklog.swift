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
/// Updates of anchors are only noted: the anchor is looked up when the reader takes the event.
struct EventBacklog: Backlog {
  /// The events of a change besides an update.
  typealias WholeChange = (SetChange, borrowing AnchorSet, borrowing Roster, borrowing FrameView) -> [Session.Event]

  /// A kind of events that falls under one bound.
  private enum Kind {
    /// Changes of anchors and live poses.
    case anchors
    case problems
    /// Unreliable messages.
    case unreliable
    /// All else.
    case status
  }

  private var unread = Unread<Session.Event, AnchorUpdate>()
  /// Where an event stands that a later one about the same thing replaces.
  private var replaceable: [Session.Event.Subject: Int] = [:]
  private var anchorEvents = 0
  /// Cost of the unread messages, by sender (bytes): the node keeps it within a window.
  private(set) var messageBytes: [PeerID: Int] = [:]
  /// Cost of the messages that were taken since the session last looked for that (bytes).
  var takenMessageBytes = 0
  private var problems = 0
  private var unreliableMessages = 0
  private var statusEvents = 0
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
    let subject = event.subject
    if let subject, event.replacesUnread, let index = replaceable[subject] { return unread.replace(index, with: event) }
    if case .anchor(let anchor) = subject { seal(anchor, before: event) }
    // News of a peer after it came or went must not stand before that.
    if let peer = event.arrival { replaceable = replaceable.filter { $0.key.peer != peer } }
    let index = unread.append(event)
    if let subject { replaceable[subject] = event.replacesUnread ? index : nil }
    if let kind = Self.kind(of: event), isOver(kind, with: event) { drop(kind) }
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
    guard unread.count > before else { return }
    anchorEvents += 1
    if anchorEvents > Session.Events.capacity { drop(.anchors) }
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
  private mutating func seal(_ anchor: AnchorID, before event: Session.Event) {
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
    replaceable.removeAll(keepingCapacity: true)
    (anchorEvents, problems, unreliableMessages, statusEvents) = (0, 0, 0, 0)
    for bytes in messageBytes.values { takenMessageBytes += bytes }
    messageBytes.removeAll(keepingCapacity: true)
  }

  mutating func settle(from anchors: borrowing AnchorSet, in frames: borrowing FrameView) {
    var next = 0
    unread.settleAll { anchors.read($0, next: &next, in: frames, into: &$1) }
    // The noted updates stand among the others now.
    replaceable = [:]
  }

  // MARK: Bounds

  /// The bound of an event; nil for messages, of which senders hold back what is too much.
  private static func kind(of event: Session.Event) -> Kind? {
    switch event {
    case .anchorAdded, .anchorUpdated, .anchorRemoved, .anchorRestored, .editSuperseded, .fieldOverwritten,
      .ownershipChanged, .anchorDragged, .dragEnded, .participantMoved, .participantGone:
      .anchors
    case .message: nil
    case .unreliableMessage: .unreliable
    case .problem, .messageReturned: .problems
    case .candidateFound, .candidateLost, .discoveryAvailable, .discoveryUnavailable, .nobodyFound, .invitationReceived,
      .invitationEnded, .invitationFailed, .codeShown, .codeEnded, .peerJoined, .peerReconnecting, .peerReconnected,
      .peerLeft, .newDevice,
      .hostChanged, .lockChanged, .roleChanged, .sessionMerged, .mapProgress, .mapReceived, .mapFailed, .peerMapChanged,
      .alignmentChanged,
      .synchronised,
      .groupsChanged, .messagesFailed, .resourceOffered, .resourceProgress, .resourceReceived, .resourceFailed,
      .resourceSettled, .attachmentChanged, .ended:
      .status
    }
  }

  /// Counts an event; whether there are too many of its kind now.
  private mutating func isOver(_ kind: Kind, with event: Session.Event) -> Bool {
    switch kind {
    case .anchors:
      anchorEvents += 1
      return anchorEvents > Session.Events.capacity
    case .problems:
      problems += 1
      return problems > Session.Events.problemCapacity
    case .unreliable:
      unreliableMessages += 1
      return unreliableMessages > Session.Events.unreliableCapacity
    case .status:
      statusEvents += 1
      // Nothing comes after the end, and a reader must learn of it.
      if case .ended = event { return false }
      return statusEvents > Session.Events.capacity
    }
  }

  /// Drops everything of a kind, and says so.
  private mutating func drop(_ kind: Kind) {
    unread.drop(notes: kind == .anchors) { Self.kind(of: $0) == kind }
    // The remaining events stand elsewhere now.
    replaceable = [:]
    let advice: String
    switch kind {
    case .anchors:
      anchorEvents = 0
      advice = "changes of anchors were dropped because they were not read; read session.anchors() again"
    case .problems:
      problems = 0
      advice = "problems were dropped because they were not read; read events faster"
    case .unreliable:
      unreliableMessages = 0
      advice = "unreliable messages were dropped because they were not read; read events faster, or use fewer keys"
    case .status:
      statusEvents = 0
      advice = "events were dropped because they were not read; read session.state() again"
    }
    log?.write(.slowApp, advice)
    append(.problem(SessionError(.consumerTooSlow, advice)))
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

extension Session.Event {
  /// The subject of an event that a later one may replace while nobody has read it.
  enum Subject: Hashable, Sendable {
    /// An anchor.
    case anchor(AnchorID)
    /// An anchor in a peer's hand.
    case drag(AnchorID, PeerID)
    /// A peer's device.
    case participant(PeerID)
    /// A map on its way.
    case map(MapID)
    /// A resource on its way to or from a peer.
    case resource(ResourceID, PeerID)
    /// An attachment of the session.
    case attachment(ResourceID)
    /// How far a peer has come with the session's map.
    case peerMap(PeerID)
    /// The groups that a peer is in.
    case groups(PeerID)
    /// A peer's part in an owned session.
    case role(PeerID)
    /// How a peer's frame lies.
    case alignment(PeerID)
    /// The unreliable messages of a peer under a key.
    case unreliable(PeerID, String)
    /// A service on the network.
    case candidate(Candidate.ID)

    /// The member that it is about; nil for what is there without it.
    var peer: PeerID? {
      switch self {
      case .drag(_, let peer), .participant(let peer), .resource(_, let peer), .peerMap(let peer), .groups(let peer),
        .role(let peer), .alignment(let peer), .unreliable(let peer, _):
        peer
      case .anchor, .map, .attachment, .candidate: nil
      }
    }
  }

  /// The peer that has joined or left by this.
  fileprivate var arrival: PeerID? {
    if case .peerJoined(let peer) = self { peer.id } else if case .peerLeft(let peer, _) = self { peer.id } else { nil }
  }

  /// The subject of this event, if it may be replaced or ends that an earlier one may be.
  var subject: Subject? {
    switch self {
    case .anchorAdded(let anchor, _), .anchorUpdated(let anchor, _), .anchorRemoved(let anchor, _),
      .anchorRestored(let anchor, _):
      .anchor(anchor.id)
    case .ownershipChanged(let anchor, _): .anchor(anchor)
    case .editSuperseded(let edit), .fieldOverwritten(let edit): .anchor(edit.anchor)
    case .anchorDragged(let pose): .drag(pose.anchor, pose.peer.id)
    case .dragEnded(let anchor, let peer): .drag(anchor, peer.id)
    case .participantMoved(let pose): .participant(pose.peer.id)
    case .participantGone(let peer): .participant(peer.id)
    case .mapProgress(let progress): .map(progress.mapID)
    case .mapReceived(let receipt): .map(receipt.mapID)
    case .resourceProgress(let progress), .resourceSettled(let progress, _): .resource(progress.id, progress.peer.id)
    case .resourceReceived(let receipt): .resource(receipt.offer.id, receipt.offer.from.id)
    case .resourceFailed(let offer, _): .resource(offer.id, offer.from.id)
    case .attachmentChanged(let attachment): .attachment(attachment.id)
    case .peerMapChanged(let peer, _), .peerJoined(let peer), .peerLeft(let peer, _): .peerMap(peer.id)
    case .alignmentChanged(let peer, _): .alignment(peer.id)
    case .groupsChanged(let peer, _): .groups(peer.id)
    case .roleChanged(let peer, _): .role(peer.id)
    case .candidateFound(let candidate), .candidateLost(let candidate): .candidate(candidate.id)
    case .unreliableMessage(_, let key, let peer): .unreliable(peer.id, key)
    case .discoveryAvailable, .discoveryUnavailable, .nobodyFound, .invitationReceived, .invitationEnded,
      .invitationFailed, .peerReconnecting, .peerReconnected, .codeShown, .codeEnded, .newDevice, .hostChanged,
      .lockChanged,
      .sessionMerged, .mapFailed, .synchronised,
      .message, .messagesFailed, .messageReturned, .resourceOffered, .problem, .ended:
      nil
    }
  }

  /// Whether it takes the place of an unread event of its kind about the same thing.
  var replacesUnread: Bool {
    switch self {
    case .anchorUpdated, .anchorDragged, .participantMoved, .mapProgress, .peerMapChanged, .alignmentChanged,
      .unreliableMessage, .groupsChanged, .roleChanged, .candidateFound, .resourceProgress, .attachmentChanged:
      true
    case .anchorAdded, .anchorRemoved, .anchorRestored, .editSuperseded, .fieldOverwritten, .ownershipChanged,
      .dragEnded, .participantGone, .mapReceived, .mapFailed, .peerJoined, .peerLeft, .peerReconnecting,
      .peerReconnected, .candidateLost, .discoveryAvailable, .discoveryUnavailable, .nobodyFound, .invitationReceived,
      .invitationEnded, .invitationFailed, .codeShown, .codeEnded, .newDevice, .hostChanged, .lockChanged,
      .sessionMerged, .synchronised, .message,
      .messagesFailed, .messageReturned, .resourceOffered, .resourceReceived, .resourceFailed, .resourceSettled,
      .problem, .ended:
      false
    }
  }
}
