import AnchorReplication
import Basics
import PeerProtocol
import TestSupport
import Testing
import WorldModel

/// Statements of a made-up session; nobody checks signatures here.
enum Session {
  static func peer(_ number: Int) -> PeerID { PeerID(SHA256Digest(words: SIMD4(UInt64(number) + 1, 0, 0, 0))) }
  static let creator = peer(0)

  static func statement(
    _ signer: Int, _ kind: Statement.Kind, _ subject: PeerID = Statement.none, serial: UInt64 = 1,
    role: SessionRole = .member, until: UInt64 = 0, naming named: [SHA256Digest] = [], cuts: [(UInt64, UInt64)] = []
  ) -> Statement {
    Statement(
      key: peer(signer).bytes, kind, of: subject, serial: serial, role: role, until: until, naming: named,
      cuts: cuts.map { Statement.Cut(incarnation: $0.0, sequence: $0.1) },
      signature: [UInt8](repeating: 0, count: Statement.signatureSize))
  }
}

@Suite("The statements of an owned session")
struct StatementBookTests {
  private typealias Word = (signer: Int, statement: Statement)
  private static let (naming, admission) = (
    Session.statement(0, .admission, Session.peer(1), role: .moderator),
    Session.statement(0, .admission, Session.peer(2))
  )

  private static func book(_ words: [Word], rules: ProtocolRules = .all) -> StatementBook {
    var book = StatementBook(creator: Session.creator, rules: rules)
    for word in words { book.add(word.statement, by: Session.peer(word.signer)) }
    return book
  }

  @Test("only the creator names moderators, and only they and the creator admit")
  func authority() {
    let byStranger = Session.statement(5, .admission, Session.peer(3))
    let byMember = Session.statement(2, .admission, Session.peer(3))
    let byModerator = Session.statement(1, .admission, Session.peer(3), serial: 2)
    let second = Session.statement(1, .admission, Session.peer(4), serial: 2, role: .moderator)
    let book = Self.book([(0, Self.naming), (0, Self.admission), (5, byStranger), (2, byMember), (1, second)])
    #expect(book.role(of: Session.peer(1)) == .moderator && book.role(of: Session.peer(2)) == .member)
    #expect(book.role(of: Session.peer(3)) == nil && book.role(of: Session.peer(4)) == nil)
    #expect(Self.book([(0, Self.naming), (1, byModerator)]).role(of: Session.peer(3)) == .member)
    #expect(Self.book([(1, byModerator), (0, Self.naming)]).role(of: Session.peer(3)) == nil)
  }

  @Test("nobody removes the creator, and a moderator no other one")
  func protected() {
    let removals = [Session.creator, Session.peer(2)].map { Session.statement(1, .removal, $0, serial: 3) }
    let other = Session.statement(0, .admission, Session.peer(2), role: .moderator)
    let book = Self.book([(0, Self.naming), (0, other), (1, removals[0]), (1, removals[1])])
    #expect(book.role(of: Session.creator) == .creator && book.role(of: Session.peer(2)) == .moderator)
  }

  @Test("a removal wins over every admission but one that names it, and the creator's over a moderator's word")
  func removal() {
    let removal = Session.statement(0, .removal, Session.peer(2), serial: 2)
    let again = Session.statement(1, .admission, Session.peer(2), serial: 9)
    var book = Self.book([(0, Self.naming), (0, Self.admission), (0, removal), (1, again)])
    #expect(book.role(of: Session.peer(2)) == nil)
    book.add(Session.statement(1, .admission, Session.peer(2), serial: 10, naming: [removal.hash]), by: Session.peer(1))
    #expect(book.role(of: Session.peer(2)) == nil)
    book.add(Session.statement(0, .admission, Session.peer(2), serial: 3, naming: [removal.hash]), by: Session.creator)
    #expect(book.role(of: Session.peer(2)) == .member && book.cuts(of: Session.peer(2)) == nil)
  }

  @Test("what a moderator said ends with its role, and an old word does not come back with it")
  func demotion() {
    let ruling = Session.statement(1, .admission, Session.peer(3), serial: 2)
    var book = Self.book([(0, Self.naming), (1, ruling)])
    #expect(book.heirlooms(of: Session.peer(1)) == [Session.peer(3)])
    let serial = book.nextSerial(of: Session.creator, about: Session.peer(1))
    #expect(serial == 3)
    book.add(Session.statement(0, .admission, Session.peer(1), serial: serial), by: Session.creator)
    #expect(book.role(of: Session.peer(3)) == nil && book.role(of: Session.peer(1)) == .member)
    book.add(
      Session.statement(0, .admission, Session.peer(1), serial: serial + 1, role: .moderator), by: Session.creator)
    #expect(!book.accepts(ruling, by: Session.peer(1)))
  }

  @Test("cuts join by maximum, raised by members alone")
  func cuts() {
    let removal = Session.statement(0, .removal, Session.peer(2), serial: 2, cuts: [(7, 10)])
    let other = Session.statement(1, .removal, Session.peer(2), serial: 2, cuts: [(7, 12), (8, 1)])
    func raise(_ signer: Int, _ last: UInt64) -> Word {
      (signer, Session.statement(signer, .raise, Session.peer(2), serial: 0, naming: [removal.hash], cuts: [(7, last)]))
    }
    let before: [Word] = [(0, Self.naming), (0, removal), (1, other)]
    #expect(Self.book(before).cuts(of: Session.peer(2)) == [7: 12, 8: 1])
    #expect(Self.book(before + [raise(1, 15)]).cuts(of: Session.peer(2)) == [7: 15, 8: 1])
    #expect(Self.book(before + [raise(1, 15), raise(1, 13)]).cuts(of: Session.peer(2)) == [7: 15, 8: 1])
    #expect(Self.book(before + [raise(5, 15)]).cuts(of: Session.peer(2)) == [7: 12, 8: 1])
    #expect(Self.book(before + [raise(2, 15)]).cuts(of: Session.peer(2)) == [7: 12, 8: 1])
  }

  @Test("of admissions that stand the one counts that allows the least, and another undoes it by its name")
  func roles() {
    let bob = Session.peer(2)
    let publisher = Session.statement(1, .admission, bob, serial: 2, role: .publisher)
    let guest = Session.statement(0, .admission, bob, serial: 2, role: .guest, cuts: [(7, 10)])
    var book = Self.book([(0, Self.naming), (1, publisher)])
    #expect(book.role(of: bob) == .publisher && book.cuts(of: bob) == nil)
    book.add(Self.admission, by: Session.creator)
    #expect(book.role(of: bob) == .member)
    book.add(guest, by: Session.creator)
    #expect(book.role(of: bob) == .guest && book.cuts(of: bob) == [7: 10])
    // What a moderator says against the creator's word has no effect.
    #expect(!book.mayGive(.member, to: bob, by: Session.peer(1)) && book.mayGive(.member, to: bob, by: Session.creator))
    book.add(
      Session.statement(1, .admission, bob, serial: 3, naming: [guest.hash]), by: Session.peer(1))
    #expect(book.role(of: bob) == .guest)
    let obstacles = book.obstacles(to: .publisher, of: bob, by: Session.creator)
    book.add(
      Session.statement(0, .admission, bob, serial: 3, role: .publisher, naming: obstacles), by: Session.creator)
    #expect(book.role(of: bob) == .publisher && book.cuts(of: bob) == nil)
  }

  @Test("a guest's cut is raised as that of a removed peer, until it is a member again")
  func guestCuts() {
    let bob = Session.peer(2)
    let guest = Session.statement(0, .admission, bob, serial: 2, role: .guest, cuts: [(7, 10)])
    let raise = Session.statement(1, .raise, bob, serial: 0, naming: [guest.hash], cuts: [(7, 15)])
    var book = Self.book([(0, Self.naming), (0, Self.admission), (0, guest), (1, raise)])
    #expect(book.cuts(of: bob) == [7: 15] && book.restrictions(of: bob) == [guest])
    #expect(Self.book([(0, Self.naming), (0, guest)], rules: .allBut(.guestsWriteNothing)).cuts(of: bob) == nil)
    let count = book.count
    book.add(Session.statement(0, .admission, bob, serial: 3), by: Session.creator)
    #expect(book.cuts(of: bob) == nil && book.count == count - 1)
  }

  @Test("an admission that has ended is as a removal without cuts, and no statement goes with it")
  func ends() {
    let bob = Session.peer(2)
    let visit = Session.statement(0, .admission, bob, serial: 2, until: 1_000)
    let raise = Session.statement(1, .raise, bob, serial: 0, naming: [visit.hash], cuts: [(7, 15)])
    var book = Self.book([(0, Self.naming), (0, visit), (1, raise)])
    book.time = 999
    #expect(book.role(of: bob) == .member && book.end(of: bob) == 1_000 && book.nextEnd == 1_000)
    #expect(book.cuts(of: bob) == nil)
    let digest = book.digest
    book.time = 1_000
    #expect(book.role(of: bob) == nil && book.removalsInForce(of: bob) == [visit] && book.nextEnd == nil)
    #expect(book.cuts(of: bob) == [7: 15] && book.digest == digest && book.proof(of: bob) == [visit])
    // While another admission lasts the peer stays.
    book.add(Session.statement(1, .admission, bob, serial: 2, until: 2_000), by: Session.peer(1))
    #expect(book.role(of: bob) == .member && book.cuts(of: bob) == nil && book.end(of: bob) == 2_000)
  }

  @Test("a thousand statements are joined one by one, each at the cost of its own subject", .endsHangs)
  func isLinear() {
    var book = Self.book([(0, Self.naming)])
    for number in 10..<StatementBook.subjectsOfCreator {
      book.add(Session.statement(0, .removal, Session.peer(number)), by: Session.creator)
    }
    #expect(book.count == StatementBook.subjectsOfCreator - 9)
    #expect((10..<StatementBook.subjectsOfCreator).allSatisfy { !book.removalsInForce(of: Session.peer($0)).isEmpty })
  }

  @Test("the last word of those who may locks and opens")
  func locks() {
    let lock = Session.statement(1, .lock, serial: 2)
    var book = Self.book([(0, Self.naming), (2, Session.statement(2, .lock)), (1, lock)])
    #expect(book.isLocked)
    let serial = book.nextSerial(of: Session.creator, about: Statement.none)
    book.add(Session.statement(0, .unlock, serial: serial), by: Session.creator)
    #expect(!book.isLocked)
  }

  @Test("one signer has room for so many subjects and raised cuts, and the same stay in any order")
  func limits() {
    let removal = Session.statement(0, .removal, Session.peer(2))
    let rulings = (10..<310).map { Session.statement(1, .removal, Session.peer($0), serial: 2) }
    let raises = (0..<100).map {
      Session.statement(1, .raise, Session.peer(2), serial: 0, naming: [removal.hash], cuts: [(UInt64($0), 1)])
    }
    let words: [Word] = [(0, Self.naming), (0, removal)]
    let some: [Word] = (rulings + raises).map { (1, $0) }
    let (one, other) = (Self.book(words + some), Self.book(words + some.reversed()))
    #expect(one == other && one.digest == other.digest)
    #expect(one.count == 2 + StatementBook.subjectsOfModerator + StatementBook.raisesOfSigner)
    #expect(!one.hasRoom(for: Session.peer(1), about: Session.peer(5)))
  }
}

/// A replica: its book, and how many operations of each peer it has applied.
///
/// Each peer has one run, numbered as itself.
private struct Replica {
  let me: PeerID
  var book: StatementBook
  var applied: [Int: UInt64] = [:]

  func limit(_ author: Int) -> UInt64 {
    book.cuts(of: Session.peer(author)).map { $0[UInt64(author)] ?? 0 } ?? .max
  }

  mutating func receive(_ author: Int, upTo sequence: UInt64) {
    applied[author] = max(applied[author] ?? 0, min(sequence, limit(author)))
  }

  /// Raises the cuts that are below what is applied.
  mutating func raise(_ rules: ProtocolRules) {
    guard rules.contains(.raisedCuts), book.role(of: me) != nil else { return }
    for (author, sequence) in applied where sequence > limit(author) && Session.peer(author) != me {
      guard let removal = book.restrictions(of: Session.peer(author)).first else { continue }
      let raise = Statement(
        key: me.bytes, .raise, of: Session.peer(author), serial: 0, naming: [removal.hash],
        cuts: [Statement.Cut(incarnation: UInt64(author), sequence: sequence)])
      book.add(raise, by: me)
    }
  }

  mutating func take(_ other: Replica, _ rules: ProtocolRules) {
    book.merge(other.book)
    raise(rules)
    for (author, sequence) in other.applied { receive(author, upTo: sequence) }
  }
}

/// Random schedules of members that write, rule, meet and crash, as `revocation.py` models them for one removal.
private struct Schedule {
  private var random: SeededRandom
  private let rules: ProtocolRules
  private var replicas: [Replica]
  private var alive: [Int]
  private var written: [UInt64]

  init(seed: UInt64, rules: ProtocolRules) {
    random = SeededRandom(seed: seed)
    self.rules = rules
    let count = 4 + random.below(5)
    var book = StatementBook(creator: Session.creator, rules: rules)
    for index in 1..<count {
      let role: SessionRole = index < 3 ? .moderator : .member
      book.add(Session.statement(0, .admission, Session.peer(index), role: role), by: Session.creator)
    }
    replicas = (0..<count).map { Replica(me: Session.peer($0), book: book) }
    alive = Array(0..<count)
    written = Array(repeating: 0, count: count)
  }

  /// What differs at rest among the members that live.
  mutating func run() -> String? {
    for _ in 0..<(20 + random.below(120)) { step() }
    let creator = replicas[0]
    for index in alive { replicas[index].take(creator, rules) }
    var isChanged = true
    while isChanged {
      isChanged = false
      for one in members { for other in members where other != one && meet(one, other) { isChanged = true } }
    }
    let first = replicas[members[0]]
    for index in members.dropFirst() {
      let replica = replicas[index]
      if replica.book != first.book { return "statements" }
      // What a guest wrote before it knew that it was one stays with it.
      if replica.book.role(of: replica.me) == .guest { continue }
      if replica.applied.filter({ $0.value > 0 }) != first.applied.filter({ $0.value > 0 }) { return "operations" }
    }
    return nil
  }

  private var members: [Int] { alive.filter { replicas[$0].book.role(of: Session.peer($0)) != nil } }

  private mutating func step() {
    let (one, other) = (alive[random.below(alive.count)], alive[random.below(alive.count)])
    switch random.below(20) {
    case 0..<7:
      written[one] += UInt64(1 + random.below(3))
      replicas[one].applied[one] = written[one]
      // Those that know of its removal end its link.
      if replicas[other].book.role(of: Session.peer(one)) != nil { replicas[other].receive(one, upTo: written[one]) }
    case 7: rule(one, on: random.below(replicas.count))
    case 8 where alive.count > 3 && one != 0: alive.removeAll { $0 == one }
    default: _ = meet(one, other)
    }
  }

  private mutating func rule(_ signer: Int, on subject: Int) {
    let (me, peer) = (Session.peer(signer), Session.peer(subject))
    let serial = replicas[signer].book.nextSerial(of: me, about: peer)
    let isRemoval = random.chance(percent: 60)
    let role: SessionRole = signer == 0 && random.chance(percent: 30) ? .moderator : [.member, .guest][random.below(2)]
    let undone = isRemoval ? [] : replicas[signer].book.obstacles(to: role, of: peer, by: me).prefix(4).map(\.self)
    let cutsOff = isRemoval || role == .guest
    let applied = replicas[signer].applied[subject] ?? 0
    let statement = Session.statement(
      signer, isRemoval ? .removal : .admission, peer, serial: serial, role: isRemoval ? .member : role,
      naming: undone, cuts: cutsOff && applied > 0 ? [(UInt64(subject), applied)] : [])
    replicas[signer].book.add(statement, by: me)
    replicas[signer].raise(rules)
  }

  private mutating func meet(_ one: Int, _ other: Int) -> Bool {
    let before = (replicas[one], replicas[other])
    replicas[one].take(before.1, rules)
    replicas[other].take(replicas[one], rules)
    return replicas[one].book != before.0.book || replicas[one].applied != before.0.applied
      || replicas[other].book != before.1.book || replicas[other].applied != before.1.applied
  }
}

@Suite("Removals converge")
struct RevocationTests {
  private static func failures(_ seeds: ClosedRange<UInt64>, _ rules: ProtocolRules) -> [UInt64: String] {
    seeds.reduce(into: [:]) { failures, seed in
      var schedule = Schedule(seed: seed, rules: rules)
      failures[seed] = schedule.run()
    }
  }

  @Test(
    "at rest all members hold the same statements, and the same operations of those that were removed",
    arguments: Tier.seeds(0...3)
  )
  func converges(_ part: UInt64) {
    let failures = Self.failures(part * 1000 + 1...part * 1000 + (Tier.isCheck ? 1000 : 100), .all)
    #expect(failures.isEmpty)
  }

  @Test("without the rise of the cut they differ")
  func mutantDiverges() {
    let failures = Self.failures(1...200, .allBut(.raisedCuts))
    #expect(failures.values.filter { $0 == "operations" }.count > 20)
  }
}
