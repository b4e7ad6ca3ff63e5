package import AnchorReplication
package import Basics
package import WorldModel

/// The statements of an owned session that count, joined from all members.
///
/// Each signer has one register for each subject, in which the statement with the highest serial stays. The creator's count
/// always, those of others while the creator's make them moderators; what counts no more is dropped. So two books that have
/// exchanged their statements hold the same, in whatever order these came, and everything else follows from the book.
package struct StatementBook: Sendable, Equatable {
  /// A register.
  private struct Place: Hashable, Comparable {
    let signer: PeerID
    let subject: PeerID

    static func < (left: Self, right: Self) -> Bool {
      (left.signer, left.subject) < (right.signer, right.subject)
    }
  }

  /// The register of a raised cut.
  private struct RaisePlace: Hashable, Comparable {
    let signer: PeerID
    let removal: SHA256Digest
    let incarnation: UInt64

    static func < (left: Self, right: Self) -> Bool {
      (left.signer, left.removal, left.incarnation) < (right.signer, right.removal, right.incarnation)
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
  private var rulings: [Place: Statement] = [:]
  private var raises: [RaisePlace: Statement] = [:]

  /// A session of which nothing is known but its creator.
  package init(creator: PeerID, rules: ProtocolRules = .all) {
    self.creator = creator
    self.rules = rules
  }

  package static func == (left: Self, right: Self) -> Bool { left.statements == right.statements }

  /// All statements, those first on which others depend.
  package var statements: [Statement] { signed.map(\.statement) }

  /// The number of statements.
  package var count: Int { rulings.count + raises.count }

  /// All statements with their signers, those first on which others depend.
  package var signed: [(statement: Statement, signer: PeerID)] {
    let places = rulings.keys.sorted()
    let own = places.filter { $0.signer == creator } + places.filter { $0.signer != creator }
    return own.compactMap { place in rulings[place].map { ($0, place.signer) } }
      + raises.keys.sorted().compactMap { place in raises[place].map { ($0, place.signer) } }
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
      let known = raises[raisePlace(of: statement, by: signer)]
      return known.map { statement.cuts[0].sequence > $0.cuts[0].sequence } ?? true
    }
    return rulings[Place(signer: signer, subject: statement.subject)].map { statement.replaces($0) } ?? true
  }

  /// Adds a statement whose signature is that of its signer; whether that has changed anything.
  @discardableResult
  package mutating func add(_ statement: Statement, by signer: PeerID) -> Bool {
    guard accepts(statement, by: signer) else { return false }
    if statement.kind == .raise {
      let place = raisePlace(of: statement, by: signer)
      raises[place] = statement
      let own = raises.keys.filter { $0.signer == signer }
      if own.count > Self.raisesOfSigner, let last = own.max() { raises[last] = nil }
      return raises[place] != nil
    }
    let place = Place(signer: signer, subject: statement.subject)
    let isChange = exchange(&rulings[place], with: statement) != nil
    let own = rulings.keys.filter { $0.signer == signer }
    let limit = signer == creator ? Self.subjectsOfCreator : Self.subjectsOfModerator
    if own.count > limit, let last = own.max() { rulings[last] = nil }
    if isChange || signer == creator { prune() }
    return rulings[place] != nil
  }

  /// Adds all statements of another book of the session.
  package mutating func merge(_ other: StatementBook) {
    for (statement, signer) in other.signed { add(statement, by: signer) }
  }

  /// Drops what counts no more; the creator's statements decide on the moderators', and both on the raised cuts.
  private mutating func prune() {
    for (place, statement) in rulings where !counts(statement, by: place.signer) { rulings[place] = nil }
    for (place, statement) in raises where !counts(statement, by: place.signer) { raises[place] = nil }
  }

  private func raisePlace(of statement: Statement, by signer: PeerID) -> RaisePlace {
    RaisePlace(signer: signer, removal: statement.named[0], incarnation: statement.cuts[0].incarnation)
  }

  /// Whether a statement counts beside those that are here.
  private func counts(_ statement: Statement, by signer: PeerID) -> Bool {
    guard statement.subject != creator else { return false }
    guard statement.kind != .raise else {
      return isKnown(signer) && removals(of: statement.subject).contains { $0.hash == statement.named[0] }
    }
    guard signer != creator else { return true }
    guard let naming = naming(of: signer), statement.serial > naming.serial else { return false }
    return statement.role == .member && self.naming(of: statement.subject) == nil
  }

  /// Whether a peer is, or was, a member.
  private func isKnown(_ peer: PeerID) -> Bool { peer == creator || rulings.keys.contains { $0.subject == peer } }

  // MARK: The meaning

  /// The statement by which a peer is a moderator; nil when it is none.
  package func naming(of peer: PeerID) -> Statement? {
    guard let naming = rulings[Place(signer: creator, subject: peer)], naming.kind == .admission,
      naming.role == .moderator
    else { return nil }
    return naming
  }

  /// The moderators in the order of their ids.
  private var moderators: [PeerID] {
    rulings.keys.filter { $0.signer == creator }.map(\.subject).filter { naming(of: $0) != nil }.sorted()
  }

  /// The statements about a peer with their signers: the creator's first, then those of moderators.
  private func rulings(of peer: PeerID) -> [(statement: Statement, signer: PeerID)] {
    let found = rulings.filter { $0.key.subject == peer }.sorted { $0.key < $1.key }
    let own = found.filter { $0.key.signer == creator } + found.filter { $0.key.signer != creator }
    return own.map { ($0.value, $0.key.signer) }
  }

  private func removals(of peer: PeerID) -> [Statement] {
    rulings(of: peer).map(\.statement).filter { $0.kind == .removal }
  }

  /// The removals of a peer that no admission undoes; a moderator's undoes none of the creator's.
  package func removalsInForce(of peer: PeerID) -> [Statement] {
    let all = rulings(of: peer)
    return all.filter { removal in
      removal.statement.kind == .removal
        && !all.contains { admission in
          admission.statement.kind == .admission && admission.statement.named.contains(removal.statement.hash)
            && (admission.signer == creator || removal.signer != creator)
        }
    }.map(\.statement)
  }

  /// The role of a peer; nil of one that is no member.
  ///
  /// A removal in force wins over every admission.
  package func role(of peer: PeerID) -> SessionRole? {
    if peer == creator { return .creator }
    let all = rulings(of: peer)
    guard all.contains(where: { $0.statement.kind == .admission }), removalsInForce(of: peer).isEmpty else {
      return nil
    }
    return naming(of: peer) == nil ? .member : .moderator
  }

  /// All peers that any statement is about, and the creator, in the order of their ids.
  var subjects: [PeerID] {
    Set(rulings.keys.map(\.subject)).subtracting([Statement.none]).union([creator]).sorted()
  }

  /// Of each run of a removed peer how many of its operations count; nil of a peer that is not removed.
  package func cuts(of peer: PeerID) -> [UInt64: UInt64]? {
    let removals = removalsInForce(of: peer)
    guard !removals.isEmpty else { return nil }
    var cuts: [UInt64: UInt64] = [:]
    func raise(_ cut: Statement.Cut) { cuts[cut.incarnation] = max(cuts[cut.incarnation] ?? 0, cut.sequence) }
    for removal in removals { for cut in removal.cuts { raise(cut) } }
    guard rules.contains(.raisedCuts) else { return cuts }
    for (place, statement) in raises where removals.contains(where: { $0.hash == place.removal }) {
      raise(statement.cuts[0])
    }
    return cuts
  }

  /// Whether the session is locked: by the latest word of the creator and the moderators.
  package var isLocked: Bool { lock?.kind == .lock }

  private var lock: Statement? {
    let all = rulings.filter { $0.key.subject == Statement.none }.map(\.value)
    return all.max { ($0.serial, $0.hash) < ($1.serial, $1.hash) }
  }

  /// The statements that show what a peer is: a removal in force, or an admission, and the naming of its signer.
  package func proof(of peer: PeerID) -> [Statement] {
    let removed = removalsInForce(of: peer)
    let ruling = rulings(of: peer).first { found in
      removed.isEmpty ? found.statement.kind == .admission : removed.contains(found.statement)
    }
    guard let ruling else { return [] }
    guard ruling.signer != creator, let naming = naming(of: ruling.signer) else { return [ruling.statement] }
    return [naming, ruling.statement]
  }

  // MARK: The next statements

  /// The serial of the next statement of a signer about a subject.
  package func nextSerial(of signer: PeerID, about subject: PeerID) -> UInt64 {
    var last = rulings[Place(signer: signer, subject: subject)]?.serial ?? 0
    if subject == Statement.none { last = max(last, lock?.serial ?? 0) }
    if let naming = naming(of: signer) { last = max(last, naming.serial) }
    // What a moderator said before it was named again counts no more.
    if signer == creator {
      last = max(last, rulings.filter { $0.key.signer == subject }.map(\.value.serial).max() ?? 0)
    }
    return min(last + 1, Statement.greatestSerial)
  }

  /// The subjects of which the creator has to speak itself when a moderator is none any more, so that its work stays: the subjects on which
  /// only that moderator ruled.
  package func heirlooms(of moderator: PeerID) -> [PeerID] {
    subjects.filter { subject in
      subject != moderator && subject != creator && rulings[Place(signer: moderator, subject: subject)] != nil
    }
  }

  /// Whether a signer may say something about one more subject.
  package func hasRoom(for signer: PeerID, about subject: PeerID) -> Bool {
    guard rulings[Place(signer: signer, subject: subject)] == nil else { return true }
    let limit = signer == creator ? Self.subjectsOfCreator : Self.subjectsOfModerator
    return rulings.keys.count { $0.signer == signer } < limit
  }
}
