package import AnchorReplication
package import Basics
package import WorldModel

/// The statements of an owned session that count, joined from all members.
///
/// In a session with an owner, who belongs to it must not depend on who hosts: any member may become host. So the
/// creator and the moderators that it names sign what they rule, and every member checks it. A log of such statements
/// would have to be kept whole, and an order of statements by different signers would need a clock that nobody can
/// check.
///
/// Each signer has one register for each subject, in which the statement with the highest serial stays. The creator's
/// count always, those of others while the creator's make them moderators; what counts no more is dropped. So two books
/// that have exchanged their statements hold the same, in whatever order these came, and everything else follows from
/// the book.
///
/// - Only the creator names moderators: two that removed each other at once would need an order that no peer can see.
/// - A removal says how many of the peer's operations count, or those who learn of it late would hold more than others.
///   An operation cannot be taken out of a state again, so a member that had applied more says so, signed, and the cut
///   rises.
/// - Each signer may speak of so many subjects, and the first ones by id stay: a limit that depended on the order of
///   arrival would let books differ permanently.
///
/// Time ends admissions and drops no statement, since clocks differ: the digest of a book depends on none. The reasons
/// are in Documentation/Decisions/0020-owned-sessions.md.
package struct StatementBook: Sendable, Equatable {
  /// The register of a raised cut.
  private struct RaiseKey: Comparable {
    let signer: PeerID
    let ruling: SHA256Digest
    let incarnation: UInt64

    static func < (left: Self, right: Self) -> Bool {
      (left.signer, left.ruling, left.incarnation) < (right.signer, right.ruling, right.incarnation)
    }
  }

  /// Subjects of the creator, and of one moderator; the first ones in the order of their ids stay.
  package static let subjectsOfCreator = 1024
  package static let subjectsOfModerator = 256
  /// Raised cuts of one signer.
  package static let raisesOfSigner = 64

  /// The creator of the session.
  package let creator: PeerID
  private let rules: ProtocolRules
  /// By subject and signer.
  private var rulings: Table<PeerID, Table<PeerID, Statement>> = [:]
  /// How many subjects a signer has ruled on.
  private var subjectCounts: Table<PeerID, Int> = [:]
  /// By the hash of the statement whose cut is raised.
  private var raises: Table<SHA256Digest, Table<RaiseKey, Statement>> = [:]
  /// By signer.
  private var raiseCounts: Table<PeerID, Int> = [:]
  /// The present time, by which admissions end (milliseconds since 1970); no statement is dropped because of it.
  package var time: UInt64 = 0

  /// A session of which nothing is known but its creator.
  package init(creator: PeerID, rules: ProtocolRules = .all) {
    self.creator = creator
    self.rules = rules
  }

  package static func == (left: Self, right: Self) -> Bool { left.statements == right.statements }

  /// All statements, those first on which others depend.
  package var statements: [Statement] { signed.map(\.statement) }

  /// The number of statements.
  package var count: Int { subjectCounts.values.reduce(0, +) + raiseCounts.values.reduce(0, +) }

  /// All statements with their signers, those first on which others depend.
  package var signed: [(statement: Statement, signer: PeerID)] {
    let ruled = rulings.flatMap { subject, words in words.map { (subject: subject, signer: $0.key, word: $0.value) } }
    let own = ruled.filter { $0.signer == creator }.inOrder { $0.subject < $1.subject }
    let others = ruled.filter { $0.signer != creator }.inOrder { ($0.signer, $0.subject) < ($1.signer, $1.subject) }
    let raised = raises.values.flatMap { $0 }.inOrder { $0.key < $1.key }
    return (own + others).map { ($0.word, $0.signer) } + raised.map { ($0.value, $0.key.signer) }
  }

  /// The hash of all statements.
  package var digest: SHA256Digest {
    var writer = ByteWriter()
    for statement in statements { writer.write(statement.hash) }
    return SHA256Digest(hashing: writer.bytes)
  }

  // MARK: Joining

  /// Whether a statement of this signer is news that would count; its signature has to be checked then.
  package func accepts(_ statement: Statement, by signer: PeerID) -> Bool {
    guard counts(statement, by: signer) else { return false }
    if statement.kind == .raise {
      let known = raises[statement.named[0]]?[raiseKey(of: statement, by: signer)]
      return known.map { statement.cuts[0].sequence > $0.cuts[0].sequence } ?? true
    }
    return rulings[statement.subject]?[signer].map { statement.replaces($0) } ?? true
  }

  /// Adds a statement whose signature is that of its signer; whether that has changed anything.
  @discardableResult
  package mutating func add(_ statement: Statement, by signer: PeerID) -> Bool {
    guard accepts(statement, by: signer) else { return false }
    if statement.kind == .raise { return raise(statement, at: raiseKey(of: statement, by: signer)) }
    let subject = statement.subject
    let wasModerator = naming(of: subject) != nil
    let before = store(statement, of: subject, by: signer)
    let limit = signer == creator ? Self.subjectsOfCreator : Self.subjectsOfModerator
    let isFull = subjectCounts[signer] ?? 0 > limit
    if isFull, let last = rulings.keys.filter({ rulings[$0]?[signer] != nil }).max() {
      store(nil, of: last, by: signer)
    }
    assert(subjectCounts[signer] ?? 0 <= limit, "a signer has more subjects than it may")
    // Raises that the earlier statement named have gone with it.
    if let gone = before.flatMap({ raises[$0.hash] }) { drop(Array(gone.keys)) }
    if isFull || signer == creator && (wasModerator || naming(of: subject) != nil) { prune() }
    return rulings[subject]?[signer] != nil
  }

  /// Puts a statement into its register, or empties it; returns what was there.
  @discardableResult
  private mutating func store(_ statement: Statement?, of subject: PeerID, by signer: PeerID) -> Statement? {
    let before = exchange(&rulings[subject, default: [:]][signer], with: statement)
    if rulings[subject]?.isEmpty == true { rulings[subject] = nil }
    subjectCounts[signer, default: 0] += (statement == nil ? 0 : 1) - (before == nil ? 0 : 1)
    assert(subjectCounts[signer] ?? 0 >= 0, "a signer with fewer subjects than none")
    return before
  }

  private mutating func raise(_ statement: Statement, at key: RaiseKey) -> Bool {
    if exchange(&raises[key.ruling, default: [:]][key], with: statement) == nil {
      raiseCounts[key.signer, default: 0] += 1
    }
    if raiseCounts[key.signer] ?? 0 > Self.raisesOfSigner,
      let last = raises.values.lazy.flatMap(\.keys).filter({ $0.signer == key.signer }).max()
    {
      drop([last])
    }
    assert(raiseCounts[key.signer] ?? 0 <= Self.raisesOfSigner, "a signer raises more cuts than it may")
    return raises[key.ruling]?[key] != nil
  }

  private mutating func drop(_ keys: [RaiseKey]) {
    for key in keys {
      raises[key.ruling]?[key] = nil
      if raises[key.ruling]?.isEmpty == true { raises[key.ruling] = nil }
      raiseCounts[key.signer, default: 0] -= 1
      assert(raiseCounts[key.signer] ?? 0 >= 0, "a raise was dropped twice")
    }
  }

  /// Adds all statements of another book of the session.
  package mutating func merge(_ other: StatementBook) {
    for (statement, signer) in other.signed { add(statement, by: signer) }
  }

  /// Drops what counts no more after a moderator was named or is none any more; raised cuts depend on both.
  private mutating func prune() {
    for (subject, words) in rulings {
      for (signer, statement) in words where !counts(statement, by: signer) { store(nil, of: subject, by: signer) }
    }
    let keys = raises.values.flatMap { $0 }.filter { !counts($0.value, by: $0.key.signer) }
    drop(keys.map(\.key))
  }

  private func raiseKey(of statement: Statement, by signer: PeerID) -> RaiseKey {
    RaiseKey(signer: signer, ruling: statement.named[0], incarnation: statement.cuts[0].incarnation)
  }

  /// Whether a statement counts beside those that are here.
  private func counts(_ statement: Statement, by signer: PeerID) -> Bool {
    guard statement.subject != creator else { return false }
    guard statement.kind != .raise else {
      return isKnown(signer) && signer != statement.subject
        && rulings[statement.subject]?.values.contains { $0.mayCut && $0.hash == statement.named[0] } == true
    }
    guard signer != creator else { return true }
    guard let naming = naming(of: signer), statement.serial > naming.serial else { return false }
    return statement.role != .moderator && self.naming(of: statement.subject) == nil
  }

  /// Whether a peer is, or was, a member.
  private func isKnown(_ peer: PeerID) -> Bool { peer == creator || rulings[peer] != nil }

  // MARK: The meaning

  /// The statement by which a peer is a moderator; nil when it is none.
  package func naming(of peer: PeerID) -> Statement? {
    guard let naming = rulings[peer]?[creator], naming.kind == .admission,
      naming.role == .moderator
    else { return nil }
    return naming
  }

  /// The statements about a peer with their signers: the creator's first, then those of moderators.
  private func rulings(of peer: PeerID) -> [(statement: Statement, signer: PeerID)] {
    let found = rulings[peer] ?? [:]
    return (found.filter { $0.key == creator } + found.filter { $0.key != creator }).map { ($0.value, $0.key) }
  }

  /// The statements about a peer that no admission undoes; a moderator's undoes none of the creator's.
  private func inForce(
    of peer: PeerID, besides left: PeerID? = nil
  ) -> [(statement: Statement, signer: PeerID)] {
    let all = rulings(of: peer).filter { $0.signer != left }
    return all.filter { word in
      !all.contains { admission in
        admission.statement.kind == .admission && admission.statement.named.contains(word.statement.hash)
          && (admission.signer == creator || word.signer != creator)
      }
    }
  }

  /// The removals of a peer that no admission undoes; of one whose admissions have all ended those.
  package func removalsInForce(of peer: PeerID) -> [Statement] {
    let words = inForce(of: peer).map(\.statement)
    let removals = words.filter { $0.kind == .removal }
    guard removals.isEmpty else { return removals }
    let admissions = words.filter { $0.kind == .admission }
    return admissions.allSatisfy { $0.hasEnded(at: time) } ? admissions : []
  }

  /// The role of a peer; nil of one that is no member.
  ///
  /// A removal in force wins over every admission, and of those the one that allows the least.
  package func role(of peer: PeerID) -> SessionRole? {
    if peer == creator { return .creator }
    guard let role = admissions(of: peer).map(\.role).min(by: { $0.rank < $1.rank }) else { return nil }
    return naming(of: peer) == nil ? role : .moderator
  }

  /// When a peer is admitted no more by what is known (milliseconds since 1970); 0 for never.
  package func end(of peer: PeerID) -> UInt64 {
    let ends = admissions(of: peer).map(\.until)
    return ends.contains(0) ? 0 : ends.max() ?? 0
  }

  /// The admissions in force that have not ended; none of a removed peer.
  private func admissions(of peer: PeerID) -> [Statement] {
    let words = inForce(of: peer).map(\.statement)
    guard !words.contains(where: { $0.kind == .removal }) else { return [] }
    return words.filter { $0.kind == .admission && !$0.hasEnded(at: time) }
  }

  /// The statements that an admission of this signer has to name, so that its subject has this role: removals, and admissions that
  /// allow less.
  package func obstacles(to role: SessionRole, of peer: PeerID, by signer: PeerID) -> [SHA256Digest] {
    let words = inForce(of: peer, besides: signer).filter { word in
      (word.signer != creator || signer == creator)
        && (word.statement.kind == .removal || word.statement.role.rank < role.rank)
    }
    return words.map(\.statement.hash)
  }

  /// The role in which newcomers are admitted: a member's, unless the creator has said another.
  var newcomerRole: SessionRole {
    guard let word = rulings[Statement.newcomers]?[creator], word.kind == .admission else { return .member }
    return word.role
  }

  /// Whether an admission of this signer gives its subject a role: a moderator's does not against the creator's word, which for a
  /// peer of which it has not said anything is that on newcomers.
  package func mayGive(_ role: SessionRole, to peer: PeerID, by signer: PeerID) -> Bool {
    guard signer != creator else { return true }
    let words = inForce(of: peer).filter { $0.signer == creator }.map(\.statement)
    guard !words.isEmpty else { return newcomerRole != .guest || role == .guest }
    return !words.contains { $0.kind == .removal || $0.role.rank < role.rank }
  }

  /// When the next admission ends (milliseconds since 1970); nil if none does.
  package var nextEnd: UInt64? {
    rulings.values.lazy.flatMap(\.values).map(\.until).filter { $0 > time }.min()
  }

  /// All peers that any statement is about, and the creator, in the order of their ids.
  var subjects: [PeerID] {
    KeySet(rulings.keys).subtracting([Statement.none, Statement.newcomers]).union([creator]).sorted
  }

  /// The statements in force by which no more of a peer's operations count: its removals, or its admissions as a guest.
  package func restrictions(of peer: PeerID) -> [Statement] {
    let removals = removalsInForce(of: peer)
    guard removals.isEmpty, rules.contains(.guestsWriteNothing) else { return removals }
    return admissions(of: peer).filter { $0.role == .guest }
  }

  /// Of each run of a removed peer or a guest how many of its operations count; nil of a peer that may write.
  package func cuts(of peer: PeerID) -> [UInt64: UInt64]? {
    let restrictions = restrictions(of: peer)
    guard !restrictions.isEmpty else { return nil }
    var cuts: [UInt64: UInt64] = [:]
    func raise(_ cut: Statement.Cut) { cuts[cut.incarnation] = max(cuts[cut.incarnation] ?? 0, cut.sequence) }
    for restriction in restrictions {
      for cut in restriction.cuts { raise(cut) }
      guard rules.contains(.raisedCuts) else { continue }
      for statement in (raises[restriction.hash] ?? [:]).values { raise(statement.cuts[0]) }
    }
    return cuts
  }

  /// Whether the session is locked: by the latest word of the creator and the moderators.
  package var isLocked: Bool { lock?.kind == .lock }

  private var lock: Statement? {
    (rulings[Statement.none] ?? [:]).values.max { ($0.serial, $0.hash) < ($1.serial, $1.hash) }
  }

  /// The statements that show what a peer is: a removal in force, or an admission, and the naming of its signer.
  package func proof(of peer: PeerID) -> [Statement] {
    let removed = removalsInForce(of: peer)
    let ruling = inForce(of: peer).first { found in
      removed.isEmpty
        ? found.statement.kind == .admission && !found.statement.hasEnded(at: time) : removed.contains(found.statement)
    }
    guard let ruling else { return [] }
    guard ruling.signer != creator, let naming = naming(of: ruling.signer) else { return [ruling.statement] }
    return [naming, ruling.statement]
  }

  // MARK: The next statements

  /// The serial of the next statement of a signer about a subject.
  package func nextSerial(of signer: PeerID, about subject: PeerID) -> UInt64 {
    var last = rulings[subject]?[signer]?.serial ?? 0
    if subject == Statement.none { last = max(last, lock?.serial ?? 0) }
    if let naming = naming(of: signer) { last = max(last, naming.serial) }
    // Statements that a moderator made before it was named again count no more.
    if signer == creator {
      last = max(last, rulings.values.lazy.compactMap { $0[subject]?.serial }.max() ?? 0)
    }
    return min(last + 1, Statement.greatestSerial)
  }

  /// The subjects of which the creator has to speak itself when a moderator is none any more, so that its work stays.
  package func heirlooms(of moderator: PeerID) -> [PeerID] {
    subjects.filter { $0 != moderator && $0 != creator && rulings[$0]?[moderator] != nil }
  }

  /// Whether a signer may say something about one more subject.
  package func hasRoom(for signer: PeerID, about subject: PeerID) -> Bool {
    guard rulings[subject]?[signer] == nil else { return true }
    return subjectCounts[signer] ?? 0 < (signer == creator ? Self.subjectsOfCreator : Self.subjectsOfModerator)
  }
}
