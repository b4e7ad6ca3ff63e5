import Basics

/// The one table of what members spread in registers: who keeps how much of it, and which bytes are valid.
///
/// A new fact that every member says of itself, and that all are to know, is a topic here, an organ that says it
/// (``Turn/say(_:key:_:)``) and hears of changes (`Node+Notices.swift`), and nothing else: no frame, digest or repair of its own.
package enum WordTopic: UInt8, Sendable, CaseIterable {
  /// The groups that a member is in.
  case groups = 1
  /// How far a member has come with the session's map.
  case mapStatus = 2
  /// The frames in which a member writes.
  case declarations = 3
  /// How two frames lie to each other, as a member has measured it.
  case measurements = 4
  /// The attachments of a member.
  case attachments = 5
  /// Attachments of others that a member removes.
  case removals = 6

  /// One row of the table.
  struct Rule {
    /// The longest key, 0 where an author has one word (bytes).
    var largestKey = 0
    /// The longest body (bytes).
    let largestBody: Int
    /// Words of one author that are kept, those with the highest versions.
    var mostOfAuthor = 1
    /// Words of nodes that are no members that are kept, of all of them together.
    var mostOfStrangers = 4 * ProtocolLimits.members
    /// Whether words count after their author is a member no more.
    ///
    /// Words of nodes that are no members are kept in any case, since they may come before the membership is known. Those that
    /// do not count are in no digest: members that know different ones would send each other everything permanently.
    var outlives = false
  }

  /// The row of this topic.
  var rule: Rule {
    switch self {
    case .groups: Rule(largestBody: GroupList.largest)
    case .mapStatus: Rule(largestBody: MapStatus.size)
    case .declarations:
      Rule(largestBody: DeclarationList.largest, mostOfStrangers: ProtocolLimits.frameAuthors, outlives: true)
    case .measurements:
      Rule(
        largestKey: 2 * WorldFrame.wireSize, largestBody: FrameMeasurement.bodySize,
        mostOfAuthor: ProtocolLimits.measurementsOfObserver, mostOfStrangers: ProtocolLimits.measurementsOfStrangers,
        outlives: true)
    case .attachments: Rule(largestBody: AttachmentList.largest, outlives: true)
    case .removals:
      Rule(
        largestKey: AttachmentName.size, largestBody: 1, mostOfAuthor: ProtocolLimits.removalsOfMember,
        mostOfStrangers: ProtocolLimits.removalsOfStrangers, outlives: true)
    }
  }

  /// Checks what a word says; an empty body says that there is nothing any more.
  func check(_ word: SpreadWord) throws(DecodingFailure) {
    guard word.key.count <= rule.largestKey, word.body.count <= rule.largestBody else {
      throw .invalid("a key or a body that is longer than its topic allows", offset: 0)
    }
    guard !word.body.isEmpty else { return }
    switch self {
    case .groups: _ = try word.value(as: GroupList.self)
    case .mapStatus: _ = try word.value(as: MapStatus.self)
    case .declarations: _ = try word.value(as: DeclarationList.self)
    case .measurements: _ = try FrameMeasurement(word)
    case .attachments: _ = try AttachmentList(word)
    case .removals: _ = try AttachmentName(word)
    }
  }
}
