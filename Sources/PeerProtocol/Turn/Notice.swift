package import WorldModel

/// What organs tell each other. The switchboard says who hears each of them, in which order (`Node+Notices`).
package enum Notice: Sendable {
  /// The ways between members have changed, and perhaps who can be reached.
  case graphChanged(members: Bool)
  /// The election has something to do.
  case elect(ElectionInput)
  /// This node is about to follow another host, and has not told it so.
  case follows(NodeID)
  /// The election said something.
  case election(ElectionOutput)
  /// A member has told all how far it has come with the session's map.
  case mapStatus(MapStatus, FloodHeader, isOwnWord: Bool)
  /// A neighbour was told of the links of a member, and now hears what else there is of that one.
  case announced(NodeID, on: LinkRef)
  /// A member has announced a map of which something is wanted.
  case mapAnnounced
  /// Members compare what they have: a round of anti-entropy has begun.
  case antiEntropy
  /// So much is still to come from a member that a bulk link to it is worth having.
  case wantsBulk(PeerID)
}

/// Notices on their way: those of one call stand together, and are delivered with all that they cause before those of an
/// earlier call go on.
struct NoticeStack: Sendable {
  private var told: [Notice] = []
  /// Where the notices begin that belong to the call under way.
  private var base = 0

  init() {}

  /// Whether the call under way has told anything.
  var isEmpty: Bool { told.count == base }

  /// Adds a notice of the call under way.
  mutating func push(_ notice: Notice) { told.append(notice) }

  /// The notices of one call while they are delivered.
  struct Batch {
    fileprivate let start: Int
    fileprivate var next: Int
    fileprivate let end: Int
  }

  /// Begins to deliver what the call under way has told; each delivery is a call of its own.
  mutating func begin() -> Batch {
    defer { base = told.count }
    return Batch(start: base, next: base, end: told.count)
  }

  /// The next notice of a batch, when all that the one before caused has been delivered.
  func next(of batch: inout Batch) -> Notice? {
    guard batch.next < batch.end else { return nil }
    defer { batch.next += 1 }
    return told[batch.next]
  }

  /// Forgets a batch that is delivered.
  mutating func end(_ batch: Batch) {
    told.removeSubrange(batch.start...)
    base = batch.start
  }
}
