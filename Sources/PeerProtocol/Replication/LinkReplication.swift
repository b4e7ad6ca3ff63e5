import AnchorReplication
import Basics

/// How far the anchors at the two ends of a link have been brought together.
struct LinkReplication: Sendable {
  /// Where this side reads its log for the other one; nil until the other side's vector is known.
  var cursor: LogCursor?
  /// Whether the other side still lacks what it lacked when its vector came: then nothing is left to other links.
  var isCatchingUp = false
  /// Whose operations this side brings the other one; nil until it is looked up again.
  var relayed: RelayedActors?
  /// Whose operations were passed on when the log was last read; those of others were passed over.
  var passedOn: KeySet<ActorID> = []
  /// Members that brought the other side their operations themselves when last looked at.
  var suppliers = NodeSet()
  /// Parts of a large operation that are arriving.
  var operations = OperationAssembly()
  /// A snapshot that is arriving, and one that is leaving.
  var incomingSnapshot = SnapshotAssembly(limit: ReplicationLimits.default.snapshotBytes)
  var outgoingSnapshot: SnapshotChunks?
  /// How often the other side's vector makes a snapshot leave, and how often the feed begin again.
  private var snapshotPause = RestartPause()
  private var streamPause = RestartPause()
  /// A vector that is arriving.
  var incomingVector = SnapshotAssembly(limit: ProtocolLimits.vector)
  /// Whether the other side has asked for this side's vector and gets it with the next bytes.
  var owesVector = false
  /// The operations that the other side had when it last told.
  var acknowledged: VersionVector?
  /// How many of this side's own operations the other side had when its first vector came.
  var acknowledgedAtStart: UInt64?
  /// Since when the other end stamps what it writes too far ahead; nil when it does not.
  private var aheadSince: Instant?
  /// Whether something that came was left out, so that there may be a gap before what follows.
  private(set) var hasLeftOut = false

  /// Whether the other side has been sent what it lacked when its vector came.
  var isCaughtUp: Bool { cursor != nil && !isSendingSnapshot && !isCatchingUp }

  /// Whether a snapshot leaves, which everything else of the anchors has to wait for.
  var isSendingSnapshot: Bool { outgoingSnapshot != nil }

  /// Whether the other side's vector may make a snapshot leave now; then it counts.
  mutating func beginSnapshot(at now: Instant) -> Bool {
    !isSendingSnapshot && snapshotPause.admits(at: now)
  }

  /// Whether the other side's vector may make the feed begin again now; then it counts.
  mutating func beginAgain(at now: Instant) -> Bool { streamPause.admits(at: now) }

  /// Leaves out what does not count: there may be a gap before what follows.
  mutating func leaveOut() { hasLeftOut = true }

  /// Leaves out what the other end stamped too far ahead; false when it has done so for too long.
  ///
  /// The other end may go by a session time that has not come here yet. Anti-entropy brings what it wrote again.
  mutating func leaveOut(at now: Instant) -> Bool {
    leaveOut()
    let since = aheadSince ?? now
    aheadSince = since
    return now < since + ProtocolTimes.clockSettling
  }

  /// Notes that what the other end wrote was taken.
  mutating func hasTaken() { aheadSince = nil }

  /// Moves the parts of a large operation out, so that they are added to without being copied.
  mutating func takeOperations() -> OperationAssembly { exchange(&operations, with: OperationAssembly()) }

  /// Moves the parts of a snapshot that is arriving out, and expects another one from its beginning.
  mutating func takeSnapshot() -> SnapshotAssembly {
    defer { incomingSnapshot.reset() }
    return incomingSnapshot
  }

  /// Moves the parts of a vector that is arriving out, and expects another one from its beginning.
  mutating func takeVector() -> SnapshotAssembly {
    defer { incomingVector.reset() }
    return incomingVector
  }

  /// Notes what the other side says it has, `own` of this side's operations among it; whether it is the first it says.
  mutating func note(_ vector: VersionVector, own: UInt64, wantsAnswer: Bool) -> Bool {
    let isFirst = cursor == nil
    acknowledged = vector
    if isFirst { acknowledgedAtStart = own }
    if wantsAnswer { owesVector = true }
    return isFirst
  }

  /// Notes what the other side has as its snapshot shows: nothing of that has to go back, by a log that never held it.
  mutating func note(_ vector: VersionVector, in anchors: borrowing AnchorSet) {
    guard var cursor = takeCursor() else { return }
    anchors.advance(&cursor, by: vector)
    self.cursor = cursor
  }

  /// Moves the cursor out, so that it is changed without being copied.
  private mutating func takeCursor() -> LogCursor? { exchange(&cursor, with: nil) }

  /// Moves the feed of operations out; nil when there is none, or a snapshot has to leave before it.
  mutating func takeFeed() -> LinkFeed? {
    guard !isSendingSnapshot, let cursor = takeCursor() else { return nil }
    return LinkFeed(cursor: cursor, isCatchingUp: isCatchingUp, relayed: relayed, passedOn: passedOn)
  }

  /// Puts back what ``takeFeed()`` gave.
  mutating func putBack(_ feed: LinkFeed) {
    cursor = feed.cursor
    isCatchingUp = feed.isCatchingUp
    passedOn = feed.passedOn
  }
}

/// The operations that leave on a link: where its log is read, and for whom.
struct LinkFeed {
  var cursor: LogCursor
  var isCatchingUp: Bool
  let relayed: RelayedActors?
  var passedOn: KeySet<ActorID>

  /// Whether the other side has all that the log had when it was last read.
  var isSettled: Bool { !isCatchingUp && relayed != nil }
  /// Whether the log was last read for others, or for nobody yet.
  var isRelayNew: Bool { relayed?.actors != passedOn }

  /// Appends what the log has for the other side; false when it no longer has all of that.
  mutating func write(in turn: inout Turn) -> Bool {
    let (own, actors) = (turn.anchors.actor, relayed?.actors ?? [])
    passedOn = actors
    while ProtocolLimits.transmitWindow - turn.outbox.scratch.count >= 4096 {
      let isCatchingUp = isCatchingUp
      switch writeBatch(in: &turn, skip: { !isCatchingUp && $0 != own && !actors.contains($0) }) {
      case .batch: continue
      case .snapshotNeeded: return false
      case .upToDate where isCatchingUp: self.isCatchingUp = false
      case .upToDate: return true
      }
    }
    return true
  }

  /// Appends one frame of operations from the log, if there is anything to tell.
  private mutating func writeBatch(in turn: inout Turn, skip: (ActorID) -> Bool) -> LogRead {
    // Nothing was written since the log was last read to its end.
    if turn.anchors.isAtEnd(cursor) { return .upToDate }
    var writer = exchange(&turn.outbox.scratch, with: ByteWriter())
    defer { turn.outbox.scratch = writer }
    let start = writer.count
    let room = ProtocolLimits.transmitWindow - start - FrameHead.size
    var read = LogRead.upToDate
    writer.writeFrame(.operations) { read = turn.anchors.readLog(&cursor, limit: room, skip: skip, into: &$0) }
    if read != .batch { writer.truncate(to: start) }
    return read
  }
}

/// Whose operations one member brings another.
struct RelayedActors: Sendable {
  /// Own ones, and those of actors that have no link to the other side.
  private(set) var actors: KeySet<ActorID>
  /// The slots of those others.
  let others: NodeSet

  /// Those that this node brings `neighbor`, `own` among them.
  init(_ own: KeySet<ActorID>, to neighbor: NodeID, in turn: borrowing Turn) {
    (actors, others) = (own, turn.mesh.dependants(neighbor))
    var rest = others
    while let slot = rest.popFirst() {
      guard let other = turn.mesh.graph.node(at: slot) else { continue }
      actors.insert(ActorID(peer: other.peer, incarnation: other.incarnation))
    }
  }

  /// Whether there are any of other members.
  var hasOthers: Bool { !others.isEmpty }
}
