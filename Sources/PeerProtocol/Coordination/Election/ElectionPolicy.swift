/// Deliberate mistakes for tests: each one breaks one rule, and the simulator has to notice.
///
/// The default is the correct protocol. Nothing but tests ever sets a flag.
package struct ElectionPolicy: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// No mistake.
  package static let correct: Self = []
  /// A lease learnt from a third party lasts a full LEASE (breaks rule 1).
  package static let hearsayGrantsFullLease = Self(rawValue: 1 << 0)
  /// A restarted process keeps the identity of its earlier run.
  package static let identityWithoutIncarnation = Self(rawValue: 1 << 1)
  /// A merge compares epochs before sizes (breaks rule 4).
  package static let epochFirstMerge = Self(rawValue: 1 << 2)
  /// A node with a lease does not object to a candidate (breaks rule 2).
  package static let noPreNack = Self(rawValue: 1 << 3)
  /// A process that stood still believes its old deadlines (breaks rule 7).
  package static let noStallCompensation = Self(rawValue: 1 << 4)
  /// A host that waits for the answer to its Offer yields to another one (breaks rule 4).
  package static let noOfferLock = Self(rawValue: 1 << 5)
  /// A node that is not host leaves an Ack without a StepDown (breaks rule 5).
  package static let noStepDownReply = Self(rawValue: 1 << 6)
  /// A follower that is ranked better than its host takes over (breaks rule 2).
  package static let joinerTakesOver = Self(rawValue: 1 << 7)
  /// A claim uses the last host's epoch and not the highest one seen (breaks rule 3).
  package static let claimWithoutMaxEpoch = Self(rawValue: 1 << 8)
  /// A node with a lease follows any Beat (breaks rule 2).
  package static let followsForeignBeats = Self(rawValue: 1 << 9)
  /// Two hosts that hear each other do nothing (breaks rule 4).
  package static let noMerge = Self(rawValue: 1 << 10)
  /// The winner of a merge keeps its epoch (breaks rule 4).
  package static let mergeWithoutReclaim = Self(rawValue: 1 << 11)
  /// The old host steps down when it sends Handover and not at the new host's Beat (breaks rule 6).
  package static let handoverWithoutBeat = Self(rawValue: 1 << 12)
  /// A Beat of an older reign renews the lease (breaks rule 1).
  package static let acceptsStaleBeats = Self(rawValue: 1 << 13)
}
