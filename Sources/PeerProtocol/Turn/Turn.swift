package import AnchorReplication
package import Basics
import WorldModel

/// What one call of the node works on: the time, the mesh as all organs see it, the replicated anchors, and what is asked for.
///
/// The node lends it to one organ after the other. Between calls it keeps what belongs to no organ alone.
package struct Turn: Sendable {
  /// What the node was told at its start.
  package let configuration: NodeConfiguration
  /// This start of this peer.
  package let me: NodeID
  /// The time of this call.
  package internal(set) var now: Instant
  /// What the organs let each other see.
  package internal(set) var mesh: Mesh
  /// The replicated anchors: apps, owners and drags edit them, `Replication` brings them together with those of the others.
  package internal(set) var anchors: AnchorSet
  /// Orders and frames.
  var outbox = Outbox()
  /// What organs have told each other and nobody has heard yet.
  var notices = NoticeStack()
  /// The source of every random choice but those of the election, which has its own.
  var random: SeededRandom
  private var nextNumber: UInt64 = 1
  /// Heads what this node floods.
  var floods = FloodSource()

  init(_ configuration: NodeConfiguration, mesh: Mesh, anchors: AnchorSet, random: SeededRandom, at now: Instant) {
    self.configuration = configuration
    me = NodeID(peer: configuration.peerID, incarnation: configuration.incarnation)
    self.mesh = mesh
    self.anchors = anchors
    self.random = random
    self.now = now
  }

  /// The time all members share (milliseconds).
  var sessionTime: UInt64 { mesh.reign.clock.time(at: now) }

  /// A number that was not given before.
  mutating func freshNumber() -> UInt64 {
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// Asks the driver for something.
  mutating func emit(_ order: Output) { outbox.append(order) }

  /// Tells the app.
  mutating func report(_ event: NodeEvent) { outbox.append(.event(event)) }

  /// Tells the other organs, after this call of the present one.
  mutating func tell(_ notice: Notice) { notices.push(notice) }

  /// Sends one frame on a link; nothing happens when that has ended.
  @inline(__always)
  mutating func send(_ type: FrameType, on link: LinkRef, _ build: (inout ByteWriter) -> Void = { _ in }) {
    outbox.write(type, on: link, build)
  }

  /// Lets a link's waiting bytes leave after this turn.
  mutating func flush(_ link: LinkRef) { outbox.flush(link) }
}

/// The replicated anchors.
extension Turn {
  /// Edits the anchors at the present session time; what changed is on its way when the turn is over.
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

  /// Lets what waits for any member leave after this turn.
  mutating func flushMembers() {
    for member in mesh.links.members { outbox.flush(member.link) }
  }

  /// Tells the app what has changed of the anchors since it was last told.
  mutating func reportAnchors() {
    let changes = anchors.takeChanges()
    if !changes.isEmpty { report(.anchors(changes)) }
  }
}
