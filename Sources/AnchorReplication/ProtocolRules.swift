/// The rules of the protocol that a deliberately wrong build may break, to show that each is needed; an app has them all.
///
/// Tests and the simulator leave one out and have to see it. They stand here because the anchors are the lowest part of the
/// protocol that has any.
package struct ProtocolRules: OptionSet, Equatable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Every rule: the correct protocol.
  package static let all = Self(rawValue: 1 << 53 - 1)

  /// Every rule but these.
  package static func allBut(_ broken: Self) -> Self { all.subtracting(broken) }

  // MARK: Election

  /// A lease learnt from a third party lasts only as long as that one believes in the host (rule 1).
  package static let partialHearsay = Self(rawValue: 1 << 0)
  /// A Beat of an older reign does not renew the lease (rule 1).
  package static let currentBeats = Self(rawValue: 1 << 1)
  /// A restarted process is another node.
  package static let freshIdentity = Self(rawValue: 1 << 2)
  /// A node with a lease objects to a candidate (rule 2).
  package static let objections = Self(rawValue: 1 << 3)
  /// A node with a lease ignores the Beats of other hosts (rule 2).
  package static let faithfulFollowers = Self(rawValue: 1 << 4)
  /// A follower that is ranked better than its host does not take over (rule 2).
  package static let modestJoiners = Self(rawValue: 1 << 5)
  /// A claim is above the highest epoch seen (rule 3).
  package static let claimsAboveAll = Self(rawValue: 1 << 6)
  /// Two hosts that hear each other merge (rule 4).
  package static let merges = Self(rawValue: 1 << 7)
  /// A merge compares sizes before epochs (rule 4).
  package static let sizeFirst = Self(rawValue: 1 << 8)
  /// A host that waits for the answer to its Offer yields to no other host (rule 4).
  package static let offerLock = Self(rawValue: 1 << 9)
  /// The winner of a merge takes a new epoch (rule 4).
  package static let reclaims = Self(rawValue: 1 << 10)
  /// A node that is not host answers an Ack with a StepDown (rule 5).
  package static let stepDownReplies = Self(rawValue: 1 << 11)
  /// The old host steps down at the new host's Beat, and not when it sends Handover (rule 6).
  package static let handoverByBeat = Self(rawValue: 1 << 12)
  /// A process that stood still extends its deadlines (rule 7).
  package static let stallCompensation = Self(rawValue: 1 << 13)

  // MARK: Replication

  /// An edit waits until its anchor's birth is known.
  package static let birthGate = Self(rawValue: 1 << 14)
  /// A state merge drops entries the other side has seen and removed.
  package static let mergeContext = Self(rawValue: 1 << 15)
  /// A restarted process writes as an actor of its own.
  package static let freshActor = Self(rawValue: 1 << 16)
  /// Vectors are compared again and again, not only when a link begins.
  package static let periodicVectors = Self(rawValue: 1 << 17)
  /// A stream begins again when the other side loses its link to an author.
  package static let relayRestart = Self(rawValue: 1 << 18)

  // MARK: Membership and ownership

  /// Wrong records of a peer are corrected by that peer and by those linked to it.
  package static let reassertion = Self(rawValue: 1 << 19)
  /// Records about others, and about this node, are believed only from members that can know them.
  package static let judgment = Self(rawValue: 1 << 20)
  /// A restarted process remembers from its record the members and the removed peers.
  package static let remembersMembers = Self(rawValue: 1 << 21)
  /// A restarted process remembers from its record whether the session is locked.
  package static let remembersRules = Self(rawValue: 1 << 22)
  /// A restarted process remembers from its record the highest epoch.
  package static let remembersEpoch = Self(rawValue: 1 << 23)
  /// A host frees the anchors of owners that are gone or whose lease has expired.
  package static let freesOrphans = Self(rawValue: 1 << 24)

  // MARK: Messages

  /// Messages that were on their way leave again on another link, and when nothing acknowledges them.
  package static let messageResend = Self(rawValue: 1 << 25)
  /// A message is delivered only behind the one that its sender names.
  package static let messageChain = Self(rawValue: 1 << 26)
  /// A receiver acknowledges only what it has handed to its app.
  package static let honestReports = Self(rawValue: 1 << 27)
  /// A sender stays within the window of a receiver, which refuses what exceeds it.
  package static let messageWindow = Self(rawValue: 1 << 28)
  /// Messages to a new start of a receiver form a new chain, and those to the old one fail.
  package static let freshChains = Self(rawValue: 1 << 29)
  /// A sender keeps no more for all receivers together than it may.
  package static let messageTotal = Self(rawValue: 1 << 48)
  /// A member retains no more to pass on than it may, and drops the rest.
  package static let relayBound = Self(rawValue: 1 << 52)
  /// A member passes messages on in the order in which they came.
  package static let relayOrder = Self(rawValue: 1 << 49)

  // MARK: Frames

  /// A frame that nothing aligns is unaligned, not this peer's.
  package static let unknownIsUnaligned = Self(rawValue: 1 << 30)
  /// Frames are placed by all measurements, whatever the order in which they came.
  package static let measurementOrder = Self(rawValue: 1 << 31)
  /// A pose stays in the frame in which it was written when its author begins another one.
  package static let posesKeepFrames = Self(rawValue: 1 << 32)
  /// Frames are placed by measurements that their owners confirm, before those of others.
  package static let confirmedFirst = Self(rawValue: 1 << 33)

  // MARK: Unreliable messages

  /// A receiver drops an unreliable message that is older than the last one of its key.
  package static let unreliableOrder = Self(rawValue: 1 << 34)
  /// Each start of a sender numbers its unreliable messages for itself.
  package static let unreliableStarts = Self(rawValue: 1 << 35)
  /// Of the unreliable messages that wait only the newest of each key are retained, as many as may wait.
  package static let unreliableSlots = Self(rawValue: 1 << 36)

  // MARK: Registers

  /// A new link begins with the words of all members.
  package static let wordsOnNewLinks = Self(rawValue: 1 << 37)
  /// Words that the other side of a link lacks, as its digest shows, leave again.
  package static let wordDigests = Self(rawValue: 1 << 42)
  /// A word whose number is far from the known one counts from those on the shortest ways to its author alone.
  package static let wordVouching = Self(rawValue: 1 << 43)

  // MARK: Resources

  /// Both ends of a new link say again how far each resource is.
  package static let resourceWords = Self(rawValue: 1 << 38)
  /// A resource ends with the start of the peer at its other end.
  package static let resourceEnds = Self(rawValue: 1 << 39)
  /// Chunks of resources are proven before they are kept.
  package static let resourceProof = Self(rawValue: 1 << 40)

  // MARK: Drivers

  /// A peer is admitted only when the drivers of both ends have authenticated the other one.
  package static let bothDrivers = Self(rawValue: 1 << 41)

  // MARK: Owned sessions

  /// In an owned session a peer is a member by a signed admission alone.
  package static let signedAdmission = Self(rawValue: 1 << 44)
  /// A member that had applied more of a removed peer's operations than the removal says raises the cut.
  package static let raisedCuts = Self(rawValue: 1 << 45)
  /// In an owned session a removal counts only if it is signed by one who may remove.
  package static let signedRemoval = Self(rawValue: 1 << 46)
  /// Operations of a removed peer beyond its cut are ignored.
  package static let cuts = Self(rawValue: 1 << 47)
  /// A guest of an owned session writes nothing that counts.
  package static let guestsWriteNothing = Self(rawValue: 1 << 50)
  /// In an owned session a map counts only if the role of its provider allows it.
  package static let mapsByRole = Self(rawValue: 1 << 51)
}
