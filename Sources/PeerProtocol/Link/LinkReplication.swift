import AnchorReplication
import Basics

/// How far the anchors at the two ends of a link have been brought together.
package struct LinkReplication: Sendable {
  /// Where this side reads its log for the other one; nil until the other side's vector is known.
  var cursor: LogCursor?
  /// Whether the other side still lacks what it lacked when its vector came: then nothing is left to other links.
  var isCatchingUp = false
  /// Whose operations this side brings the other one; nil until it is looked up again.
  var relayed: RelayedActors?
  /// Whose operations were passed on when the log was last read; those of others were passed over.
  var passedOn: Set<ActorID> = []
  /// Members that brought the other side their operations themselves when last looked at.
  var suppliers = NodeSet()
  /// Parts of a large operation that are arriving.
  var operations = OperationAssembly()
  /// A snapshot that is arriving, and one that is leaving.
  var incomingSnapshot = SnapshotAssembly(limit: ReplicationLimits.default.snapshotBytes)
  var outgoingSnapshot: SnapshotChunks?
  /// A vector that is arriving.
  var incomingVector = SnapshotAssembly(limit: ProtocolLimits.vector)
  /// What the other side had when it last told.
  var acknowledged: VersionVector?
  /// How many of this side's own operations the other side had when its first vector came.
  var acknowledgedAtStart: UInt64?

  /// Whether a snapshot leaves, which everything else of the anchors has to wait for.
  var isSendingSnapshot: Bool { outgoingSnapshot != nil }

  /// Moves the parts of a large operation out, so that they are added to without being copied.
  mutating func takeOperations() -> OperationAssembly { exchange(&operations, with: OperationAssembly()) }

  /// Notes what the other side has as its snapshot shows: nothing of that has to go back, by a log that never held it.
  mutating func note(_ vector: VersionVector, in anchors: borrowing AnchorSet) {
    guard var cursor = takeCursor() else { return }
    anchors.advance(&cursor, by: vector)
    self.cursor = cursor
  }

  /// Moves the cursor out, so that it is changed without being copied.
  private mutating func takeCursor() -> LogCursor? { exchange(&cursor, with: nil) }

  /// Moves the stream of operations out; nil when there is none, or a snapshot has to leave before it.
  mutating func takeStream() -> LinkStream? {
    guard !isSendingSnapshot, let cursor = takeCursor() else { return nil }
    return LinkStream(cursor: cursor, isCatchingUp: isCatchingUp, relayed: relayed, passedOn: passedOn)
  }

  /// Puts back what ``takeStream()`` gave.
  mutating func putBack(_ stream: LinkStream) {
    cursor = stream.cursor
    isCatchingUp = stream.isCatchingUp
    passedOn = stream.passedOn
  }
}

/// The operations that leave on a link: where its log is read, and for whom.
struct LinkStream {
  var cursor: LogCursor
  var isCatchingUp: Bool
  let relayed: RelayedActors?
  var passedOn: Set<ActorID>

  /// Whether the other side has all that the log had when it was last read.
  var isSettled: Bool { !isCatchingUp && relayed != nil }
  /// Whether the log was last read for others, or for nobody yet.
  var isRelayNew: Bool { relayed?.actors != passedOn }
}

/// Whose operations one member brings another.
struct RelayedActors: Sendable {
  /// Own ones, and those of actors that have no link to the other side.
  var actors: Set<ActorID>
  /// Whether there are any of other members.
  var hasOthers: Bool
}

/// What a node remembers between two rounds of anti-entropy.
struct ReplicationState: Sendable {
  /// What this node had applied at the last round, and at the one before.
  var current = VersionVector()
  var previous = VersionVector()
  /// From when on members' clocks are judged by the session time.
  var clocksJudgedFrom = Instant.zero
  /// Maps whose anchors this node brought in itself, and so passes on itself.
  var ownImports: Set<ActorID> = []
}
