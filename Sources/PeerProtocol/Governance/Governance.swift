import AnchorReplication
import Basics
import WorldModel

/// The organ of owned sessions: what the creator and the moderators have signed, and what follows from it.
///
/// It holds nothing in an open session, and says nothing there.
struct Governance: Organ {
  /// An owned session.
  private struct Charge: Sendable {
    let genesis: Genesis
    let session: SHA256Digest
    var book: StatementBook
    /// When this node gives up waiting for its own admission; nil once it has it.
    var admissionDeadline: Instant?
    /// When the next admission ends.
    var nextEnd: Instant?
  }

  /// A link.
  private struct Line: Sendable {
    /// The genesis that the other end has said, and the statements that came with it to a node that is in no owned session.
    var said: (genesis: Genesis, book: StatementBook)?
    /// Whether this side has said its own.
    var isTold = false
    /// Charters that have come.
    var charters = 0
    /// How often a digest makes this side send all statements.
    var pause = RestartPause()
  }

  private var charge: Charge?
  private var lines = PerLink<Line>()
  /// How long this process stood still, which its clock does not count.
  private var stoodStill = Duration.zero

  init() {}

  // MARK: The session

  /// Begins an owned session if this node is to; one that an earlier start was in stays what it was.
  mutating func begin(_ record: NodeRecord?, in turn: inout Turn) {
    guard let signatures = turn.configuration.signatures else { return }
    if let kept = record?.governance {
      hold(kept.genesis, in: turn)
      for statement in kept.statements { take(statement, in: turn) }
    } else if record?.roster.isEmpty ?? true, let nonce = turn.configuration.genesisNonce {
      let limit = turn.configuration.memberLimit
      let isCurated = turn.configuration.curatesMaps
      hold(Genesis(creator: signatures.publicKey, limit: limit, isCurated: isCurated, nonce: nonce), in: turn)
      if turn.configuration.newcomersAreGuests { _ = rule(.admission, on: Statement.newcomers, as: .guest, in: turn) }
    }
    if charge != nil { conclude([], in: &turn) }
  }

  private mutating func hold(_ genesis: Genesis, in turn: borrowing Turn) {
    guard let signatures = turn.configuration.signatures else { return }
    let book = StatementBook(creator: signatures.peerID(genesis.creator), rules: turn.configuration.rules)
    charge = Charge(genesis: genesis, session: genesis.session, book: book)
  }

  /// The part of the record that is kept over the end of the process; nil in an open session.
  private var record: GovernanceRecord? { charge.map { GovernanceRecord($0.genesis, $0.book.statements) } }

  // MARK: Links

  /// A link carries its peer's traffic from now on: it is told of the session, and of what is known of the two ends.
  mutating func carried(_ link: LinkRef, in turn: inout Turn) {
    guard charge != nil, let peer = turn.mesh.links[link]?.peer else { return }
    if !lines.has(link) { lines.begin(link, with: Line()) }
    guard lines.update(link, { !exchange(&$0.isTold, with: true) }) == true else { return }
    sendCharter(to: peer, on: link, in: &turn)
    guard turn.mesh.governance.removed.contains(peer), turn.configuration.rules.contains(.signedRemoval) else { return }
    turn.tell(.close(link, .kicked))
  }

  private func sendCharter(to peer: PeerID, on link: LinkRef, in turn: inout Turn) {
    guard let charge else { return }
    var statements: [Statement] = []
    for statement in charge.book.proof(of: turn.me.peer) + charge.book.proof(of: peer)
    where !statements.contains(statement) { statements.append(statement) }
    let charter = Charter(charge.genesis, statements)
    turn.send(.charter, on: link) { charter.write(to: &$0) }
  }

  /// A link is a member's from now on: it is sent all statements.
  mutating func linked(_ link: LinkRef, in turn: inout Turn) { sendAll(on: link, in: &turn) }

  private func sendAll(on link: LinkRef, in turn: inout Turn) {
    if let charge { send(charge.book.statements, on: link, in: &turn) }
  }

  private func send(_ statements: [Statement], on link: LinkRef, in turn: inout Turn) {
    for start in stride(from: 0, to: statements.count, by: StatementsFrame.limit) {
      let frame = StatementsFrame(Array(statements[start..<min(start + StatementsFrame.limit, statements.count)]))
      turn.send(.statements, on: link) { frame.write(to: &$0) }
    }
  }

  /// A link is gone.
  mutating func unlinked(_ link: LinkRef, in turn: inout Turn) {
    guard lines.end(link)?.said != nil else { return }
    var view = turn.mesh.governance
    view.said[link.id] = nil
    turn.mesh.publish(governance: view)
  }

  /// This node has accepted the peer at the other end of a link: it signs an admission, if it may and there is none.
  mutating func accepted(_ link: LinkRef, in turn: inout Turn) {
    guard let charge, let peer = turn.mesh.links[link]?.peer else { return }
    if charge.book.role(of: peer) == nil, turn.mesh.governance.roles[turn.me.peer]?.mayRule == true,
      let admission = rule(.admission, on: peer, as: charge.book.newcomerRole, in: turn)
    {
      conclude([admission], in: &turn)
    }
    sendCharter(to: peer, on: link, in: &turn)
  }

  /// This node, alone before, enters the owned session of the peer at the other end of a link.
  mutating func adopt(_ link: LinkRef, in turn: inout Turn) {
    guard charge == nil, let said = lines[link]?.said else { return }
    charge = Charge(
      genesis: said.genesis, session: said.genesis.session, book: said.book,
      admissionDeadline: turn.now + ProtocolTimes.admission)
    conclude([], in: &turn)
    // From now on the other end takes statements of this node.
    if let peer = turn.mesh.links[link]?.peer { sendCharter(to: peer, on: link, in: &turn) }
  }

  // MARK: Time

  /// When this node gives up waiting for its admission, or another one ends.
  func deadline(in turn: inout Turn) -> Instant? {
    [charge?.admissionDeadline, charge?.nextEnd].compactMap(\.self).min()
  }

  /// Leaves a session whose creator and moderators do not admit this node, and ends admissions.
  mutating func tick(in turn: inout Turn) {
    if let end = charge?.nextEnd, end <= turn.now { conclude([], in: &turn) }
    guard let deadline = charge?.admissionDeadline, deadline <= turn.now else { return }
    charge?.admissionDeadline = nil
    turn.tell(.finish(.refused))
  }

  /// Gives the others the time in which this process stood still to admit this node.
  mutating func excuse(_ gap: Duration, in turn: inout Turn) {
    if let deadline = charge?.admissionDeadline { charge?.admissionDeadline = deadline + gap }
  }

  /// Counts the time in which this process stood still: admissions end by the clock of the world.
  mutating func clockJumped(by gap: Duration, in turn: inout Turn) {
    stoodStill += gap
    if charge?.nextEnd != nil { conclude([], in: &turn) }
  }

  /// How long the admission of a peer lasts; nil for one without an end, and for none.
  func roleTime(of peer: PeerID, at now: Instant, in turn: borrowing Turn) -> Duration? {
    let time = time(at: now, in: turn)
    return turn.mesh.governance.ends[peer].map { .milliseconds($0 - min($0, time)) }
  }

  /// The time here (milliseconds since 1970).
  private func time(at now: Instant, in turn: borrowing Turn) -> UInt64 {
    let passed = (now.nanoseconds + Int64(stoodStill / .nanoseconds(1))) / 1_000_000
    return turn.configuration.wallClock + UInt64(max(0, passed))
  }

  /// Tells the members the hash of all statements; at the pace of anti-entropy.
  func compare(in turn: inout Turn) {
    guard let charge else { return }
    let digest = StatementsDigest(charge.book.digest)
    for member in turn.mesh.links.members { turn.send(.statementsDigest, on: member.link) { digest.write(to: &$0) } }
  }

  // MARK: Frames

  /// The frames of this organ.
  enum Frame {
    case charter, statements, digest
  }

  /// Takes a frame about an owned session.
  mutating func receive(
    _ frame: Frame, _ body: RawSpan, on link: LinkRef, in turn: inout Turn
  ) throws(DecodingFailure) {
    guard turn.configuration.signatures != nil else { return }
    switch frame {
    case .charter: try receive(Charter(body: body), on: link, in: &turn)
    case .statements:
      let statements = try StatementsFrame(body: body).statements
      if let charge, turn.mesh.governance.said[link.id] == charge.session {
        try take(statements, from: link, in: &turn)
      }
    case .digest:
      let digest = try StatementsDigest(body: body).digest
      let now = turn.now
      // The hash itself costs as much as the book is long.
      guard let charge, lines.update(link, { $0.pause.admits(at: now) }) ?? true, charge.book.digest != digest else {
        return
      }
      sendAll(on: link, in: &turn)
    }
  }

  /// Takes the first word about the session of the other end.
  private mutating func receive(_ charter: Charter, on link: LinkRef, in turn: inout Turn) throws(DecodingFailure) {
    guard let signatures = turn.configuration.signatures else { return }
    if !lines.has(link) { lines.begin(link, with: Line()) }
    guard var line = lines[link] else { return }
    line.charters += 1
    guard line.charters <= ProtocolLimits.charters else { throw .invalid("too many charters", offset: 0) }
    let session = charter.genesis.session
    var view = turn.mesh.governance
    view.said[link.id] = session
    turn.mesh.publish(governance: view)
    var book = StatementBook(
      creator: signatures.peerID(charter.genesis.creator), rules: turn.configuration.rules)
    if let said = line.said, said.genesis == charter.genesis { book = said.book }
    line.said = (charter.genesis, book)
    lines[link] = line
    guard let charge else { return try keep(charter.statements, on: link, in: turn) }
    guard charge.session == session else {
      if turn.mesh.links.member(link) == nil { turn.tell(.close(link, .refused)) }
      return
    }
    try take(charter.statements, from: link, in: &turn)
    if turn.mesh.links.member(link) == nil { turn.tell(.recognized(link)) }
  }

  /// Keeps the statements of a session that this node may be about to enter.
  private mutating func keep(
    _ statements: [Statement], on link: LinkRef, in turn: borrowing Turn
  ) throws(DecodingFailure) {
    guard var said = lines[link]?.said else { return }
    for statement in statements { try Self.add(statement, to: &said.book, of: said.genesis.session, in: turn) }
    lines[link]?.said = said
  }

  /// Takes statements of the session, and hands on what is new.
  private mutating func take(
    _ statements: [Statement], from link: LinkRef, in turn: inout Turn
  ) throws(DecodingFailure) {
    guard var charge = exchange(&charge, with: nil) else { return }
    var news: [Statement] = []
    var failure: DecodingFailure?
    do throws(DecodingFailure) {
      for statement in statements
      where try Self.add(statement, to: &charge.book, of: charge.session, in: turn) { news.append(statement) }
    } catch {
      failure = error
    }
    self.charge = charge
    if !news.isEmpty { conclude(news, except: link, in: &turn) }
    if let failure { throw failure }
  }

  /// Takes a statement that this node has kept itself.
  private mutating func take(_ statement: Statement, in turn: borrowing Turn) {
    guard var own = exchange(&charge, with: nil) else { return }
    _ = try? Self.add(statement, to: &own.book, of: own.session, in: turn)
    charge = own
  }

  /// Adds a statement if it counts; whether it was news.
  ///
  /// A false signature is no honest member's.
  @discardableResult
  private static func add(
    _ statement: Statement, to book: inout StatementBook, of session: SHA256Digest, in turn: borrowing Turn
  ) throws(DecodingFailure) -> Bool {
    guard let signatures = turn.configuration.signatures else { return false }
    let signer = signatures.peerID(statement.key)
    guard book.accepts(statement, by: signer) else { return false }
    let bytes = statement.signedBytes(in: session)
    guard signatures.verify(statement.signature, bytes, statement.key) else {
      throw .invalid("a statement with a false signature", offset: 0)
    }
    return book.add(statement, by: signer)
  }

  // MARK: Commands

  /// Removes a peer permanently; refused if this node may not.
  mutating func remove(_ peer: PeerID, in turn: inout Turn) -> Answer {
    guard let charge, mayRule(on: peer, in: turn) else { return .refused(.notPermitted) }
    guard charge.book.hasRoom(for: turn.me.peer, about: peer) else { return .refused(.tooManyStatements) }
    var statements = heirlooms(of: peer, in: turn)
    guard let removal = rule(.removal, on: peer, in: turn) else { return .refused(.notPermitted) }
    statements.append(removal)
    conclude(statements, in: &turn)
    return .done
  }

  /// Gives a peer a role, also one that was removed; refused if this node may not.
  ///
  /// - Parameter time: After how long it is admitted no more; nil for never, as it must be of moderators.
  mutating func setRole(
    _ role: SessionRole, of peer: PeerID, for time: Duration?, in turn: inout Turn
  ) -> Answer {
    let end = time.map { self.time(at: turn.now, in: turn) + UInt64(max(1, min($0 / .milliseconds(1), 1e15))) } ?? 0
    guard let charge, role != .creator, mayRule(on: peer, in: turn),
      role != .moderator || charge.book.creator == turn.me.peer && end == 0,
      charge.book.mayGive(role, to: peer, by: turn.me.peer)
    else { return .refused(.notPermitted) }
    guard charge.book.role(of: peer) != role || charge.book.end(of: peer) != end else { return .done }
    guard charge.book.hasRoom(for: turn.me.peer, about: peer) else { return .refused(.tooManyStatements) }
    var statements = role == .moderator ? [] : heirlooms(of: peer, in: turn)
    guard let admission = rule(.admission, on: peer, as: role, until: end, in: turn) else {
      return .refused(.notPermitted)
    }
    statements.append(admission)
    conclude(statements, in: &turn)
    return .done
  }

  /// Locks the session, or opens it again; refused if this node may not.
  mutating func setLocked(_ isLocked: Bool, in turn: inout Turn) -> Answer {
    guard let charge, turn.mesh.governance.roles[turn.me.peer]?.mayRule == true else { return .refused(.notPermitted) }
    guard charge.book.isLocked != isLocked else { return .done }
    guard let statement = rule(isLocked ? .lock : .unlock, on: Statement.none, in: turn) else {
      return .refused(.notPermitted)
    }
    conclude([statement], in: &turn)
    return .done
  }

  /// Whether this node may admit and remove a peer: moderators those that are none.
  private func mayRule(on peer: PeerID, in turn: borrowing Turn) -> Bool {
    guard let charge, peer != turn.me.peer, peer != charge.book.creator else { return false }
    let mine = charge.book.role(of: turn.me.peer)
    return mine == .creator || mine == .moderator && charge.book.naming(of: peer) == nil
  }

  /// The creator says itself what a moderator said that is none any more: what it ruled stays.
  private mutating func heirlooms(of peer: PeerID, in turn: borrowing Turn) -> [Statement] {
    guard let charge, charge.book.naming(of: peer) != nil, charge.book.creator == turn.me.peer else { return [] }
    return charge.book.heirlooms(of: peer).compactMap { subject in
      if subject == Statement.none { return rule(charge.book.isLocked ? .lock : .unlock, on: subject, in: turn) }
      guard let role = charge.book.role(of: subject) else { return rule(.removal, on: subject, in: turn) }
      return rule(.admission, on: subject, as: role, until: charge.book.end(of: subject), in: turn)
    }
  }

  /// Signs a statement and adds it; nil when it cannot be signed.
  private mutating func rule(
    _ kind: Statement.Kind, on peer: PeerID, as role: SessionRole = .member, until end: UInt64 = 0,
    in turn: borrowing Turn
  ) -> Statement? {
    guard let signatures = turn.configuration.signatures, var own = exchange(&charge, with: nil) else { return nil }
    defer { charge = own }
    let me = turn.me.peer
    let undone = kind == .admission ? own.book.obstacles(to: role, of: peer, by: me) : []
    let cutsOff = kind == .removal || kind == .admission && role == .guest
    let statement = Statement(
      key: signatures.publicKey, kind, of: peer, serial: own.book.nextSerial(of: me, about: peer), role: role,
      until: end, naming: Array(undone.prefix(Statement.undoneLimit)),
      cuts: cutsOff ? Self.cuts(of: peer, own.book, in: turn) : []
    ).signed(by: signatures, in: own.session)
    guard let statement, own.book.add(statement, by: me) else { return nil }
    return statement
  }

  /// The cuts that a removal of this node names: what it has applied, and what other removals let count.
  private static func cuts(of peer: PeerID, _ book: StatementBook, in turn: borrowing Turn) -> [Statement.Cut] {
    let cuts = (book.cuts(of: peer) ?? [:]).merging(turn.anchors.applied(of: peer), uniquingKeysWith: max)
    // Runs beyond the limit are raised by statements of their own.
    return cuts.inOrder { $0.key < $1.key }.prefix(Statement.cutLimit).map {
      Statement.Cut(incarnation: $0, sequence: $1)
    }
  }

  // MARK: Consequences

  /// Raises the cuts of removed peers of which this node has applied more; called after operations came another way than from
  /// members.
  mutating func review(in turn: inout Turn) {
    guard charge != nil else { return }
    conclude([], in: &turn)
  }

  /// Publishes what follows from the statements, and hands on those that are new.
  private mutating func conclude(_ news: [Statement], except link: LinkRef? = nil, in turn: inout Turn) {
    let time = time(at: turn.now, in: turn)
    charge?.book.time = time
    let news = news + raisedCuts(in: turn)
    guard let charge else { return }
    let before = turn.mesh.governance
    var view = before
    view.record = record
    view.session = charge.session
    view.roles = [:]
    view.ends = [:]
    view.removed = []
    var cuts = ActorCuts()
    for peer in charge.book.subjects {
      view.roles[peer] = charge.book.role(of: peer)
      let end = charge.book.end(of: peer)
      if end > 0 { view.ends[peer] = end }
      guard let ends = charge.book.cuts(of: peer) else { continue }
      if view.roles[peer] == nil { view.removed.insert(peer) }
      if turn.configuration.rules.contains(.cuts) { cuts.cut(peer, to: ends) }
    }
    view.isLocked = charge.book.isLocked
    self.charge?.nextEnd = charge.book.nextEnd.map { turn.now + .milliseconds(min($0 - charge.book.time, 1 << 50)) }
    view.isInForce = view.roles[turn.me.peer] != nil
    if view.isInForce { self.charge?.admissionDeadline = nil }
    turn.mesh.publish(governance: view)
    turn.anchors.cuts = cuts
    for member in turn.mesh.links.members where member.link != link && !news.isEmpty {
      send(news, on: member.link, in: &turn)
    }
    for peer in view.removed.subtracting(before.removed) {
      // Its link ends by this; the charter says why, whatever it knew.
      if let link = turn.mesh.links.carrier(of: peer) { sendCharter(to: peer, on: link, in: &turn) }
    }
    for peer in KeySet(before.roles.keys).union(KeySet(view.roles.keys)) where before.roles[peer] != view.roles[peer] {
      turn.report(.roleChanged(peer, view.roles[peer]))
    }
    turn.tell(.governanceChanged)
  }

  /// Signs that this node had applied more of removed peers and guests than what was ruled on them lets count.
  private mutating func raisedCuts(in turn: borrowing Turn) -> [Statement] {
    guard let signatures = turn.configuration.signatures, var own = exchange(&charge, with: nil) else { return [] }
    defer { charge = own }
    guard own.book.role(of: turn.me.peer) != nil, turn.configuration.rules.contains(.raisedCuts) else { return [] }
    var raised: [Statement] = []
    let applied = turn.anchors.appliedByPeer
    for peer in own.book.subjects where peer != turn.me.peer {
      guard let cuts = own.book.cuts(of: peer), let ruling = own.book.restrictions(of: peer).first else { continue }
      for (incarnation, sequence) in (applied[peer.prefix] ?? [:]).inOrder(by: { $0.key < $1.key })
      where sequence > cuts[incarnation] ?? 0 {
        let cut = Statement.Cut(incarnation: incarnation, sequence: sequence)
        let raise = Statement(
          key: signatures.publicKey, .raise, of: peer, serial: 0, naming: [ruling.hash], cuts: [cut])
        guard let raise = raise.signed(by: signatures, in: own.session), own.book.add(raise, by: turn.me.peer) else {
          continue
        }
        raised.append(raise)
      }
    }
    return raised
  }
}
