package import AnchorReplication
package import Basics
import WorldModel

/// The working state of one call of the node: the time, the mesh that all organs read, the anchors, and the outputs.
///
/// The node lends it to one organ after the other. Between calls it holds the state that belongs to no single organ.
package struct Turn: Sendable {
  /// The configuration of the node, constant from its start.
  package let configuration: NodeConfiguration
  /// This start of this peer.
  package let me: NodeID
  /// The time of this call.
  package var now: Instant
  /// The time of the last call that ran timers.
  var lastTick: Instant
  /// Whether the part of this node in the session is over.
  var hasEnded = false
  /// The state that the organs publish to each other.
  package var mesh: Mesh
  /// The replicated anchors: apps, owners and drags edit them; `Replication` merges those of other members.
  package internal(set) var anchors: AnchorSet
  /// The words that members spread of themselves; changed by ``say(_:key:_:)`` and ``hear(_:_:from:)`` alone.
  var words = WordBook()
  /// Orders and frames.
  package var outbox = Outbox()
  /// Notices that are not delivered yet.
  package var notices = NoticeStack()
  /// The source of every random choice except the election's, which has its own.
  var random: SeededRandom
  private var nextNumber: UInt64 = 1
  /// Numbers the frames that this node floods.
  var floods = FloodSource()

  /// The state before the first call.
  package init(
    _ configuration: NodeConfiguration, mesh: Mesh, anchors: AnchorSet, random: SeededRandom, at now: Instant
  ) {
    self.configuration = configuration
    me = NodeID(peer: configuration.peerID, incarnation: configuration.incarnation)
    self.mesh = mesh
    self.anchors = anchors
    self.random = random
    self.now = now
    lastTick = now
  }

  /// The time all members share (milliseconds).
  var sessionTime: UInt64 { mesh.reign.clock.time(at: now) }

  /// A number that was not returned before.
  mutating func freshNumber() -> UInt64 {
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// Appends an order for the driver.
  mutating func emit(_ order: Output) { outbox.append(order) }

  /// Appends an event for the app.
  mutating func report(_ event: NodeEvent) { outbox.append(.event(event)) }

  /// Sends a notice to the other organs, delivered after this call of the present one.
  package mutating func tell(_ notice: Notice) { notices.push(notice) }

  /// Sends one frame on a link; no effect when the link has ended.
  @inline(__always)
  mutating func send(_ type: FrameType, on link: LinkRef, _ build: (inout ByteWriter) -> Void = { _ in }) {
    outbox.write(type, on: link, build)
  }

  /// Schedules a link's waiting bytes to leave after this turn.
  mutating func flush(_ link: LinkRef) { outbox.flush(link) }
}

/// The replicated anchors.
extension Turn {
  /// Edits the anchors at the present session time; the operations leave after this turn.
  mutating func edit<R>(
    _ change: (inout AnchorSet, _ sessionTime: UInt64) throws(AnchorError) -> R
  ) throws(AnchorError) -> R {
    defer { reportAnchors() }
    let result = try change(&anchors, sessionTime)
    flushMembers()
    return result
  }

  /// Carries out one edit of the app.
  @inline(__always)
  mutating func edit(_ edit: AnchorEdit) throws(AnchorError) {
    try self.edit { anchors, time throws(AnchorError) in _ = try anchors.apply(edit, at: time) }
  }

  /// Carries out edits of the app one after the other, up to the first that is refused.
  mutating func edit(_ edits: [AnchorEdit]) throws(AnchorError) {
    try edit { anchors, time throws(AnchorError) in for edit in edits { try anchors.apply(edit, at: time) } }
  }

  /// Schedules the waiting bytes of every member to leave after this turn.
  mutating func flushMembers() {
    for member in mesh.links.members { outbox.flush(member.link) }
  }

  /// Reports the anchor changes since the last report to the app.
  mutating func reportAnchors() {
    let changes = anchors.takeChanges()
    if !changes.isEmpty { report(.anchors(changes)) }
  }
}
