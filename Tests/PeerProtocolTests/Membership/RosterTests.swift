import Basics
import PeerProtocol
import Testing
import WorldModel

@Suite("Roster")
struct RosterTests {
  private func entry(_ number: UInt8, version: UInt32 = 1, status: RosterEntry.Status = .present) -> RosterEntry {
    RosterEntry(
      peerID: PeerID(SHA256Digest(hashing: [number])), version: version, status: status, incarnation: UInt64(number),
      name: "peer \(number)", addresses: [])
  }

  @Test("the higher version stands, whatever the order of arrival")
  func higherVersionStands() {
    let versions = [entry(1, version: 1), entry(1, version: 3), entry(1, version: 2, status: .left)]
    for first in 0..<3 {
      var roster = Roster()
      for offset in 0..<3 { _ = roster.merge(versions[(first + offset) % 3]) }
      #expect(roster.entries == [entry(1, version: 3)])
    }
  }

  @Test("entries of one version are ordered totally, so two members that hear them in any order agree")
  func tiesAreTotal() {
    var random = SeededRandom(seed: 7)
    let entries = (0..<200).map { _ in
      var entry = entry(1, version: UInt32(random.below(2)))
      entry.status = random.chance(percent: 50) ? .present : .left
      entry.incarnation = UInt64(random.below(2))
      entry.name = random.chance(percent: 50) ? "a" : "b"
      return entry
    }
    var (forward, backward) = (Roster(), Roster())
    for entry in entries { _ = forward.merge(entry) }
    for entry in entries.reversed() { _ = backward.merge(entry) }
    #expect(forward == backward)
  }

  @Test("a 65th present peer is not admitted, and one that left makes room")
  func boundsMembers() {
    var roster = Roster()
    let limit = UInt8(ProtocolLimits.members)
    let merged = (0..<limit).map { roster.merge(entry($0)) }
    #expect(merged.allSatisfy { $0 })
    let last = [entry(200), entry(0, version: 2, status: .left), entry(200)].map { roster.merge($0) }
    #expect(last == [false, true, true])
  }

  @Test("a newcomer takes a member's number of any height; a removal so far ahead of what it knows it does not take")
  func newcomerTakesHighVersions() {
    var roster = Roster()
    let merged = [
      entry(1, version: 200_000), entry(2, version: 200_000, status: .kicked), entry(3, version: 1 << 31 + 1),
      entry(1, version: 400_000),
    ].map { roster.merge($0) }
    #expect(merged == [true, false, false, false])
  }

  @Test("what a member says of itself is believed against a number it cannot have come to, but brings nobody back in")
  func ownWordStands() {
    let me = entry(1).peerID
    var roster = Roster(restoring: [entry(1, version: 1 << 30)])
    let tellers = [entry(2).peerID, me]
    let merged = tellers.map { roster.merge(entry(1, version: 2), from: $0) } + [roster.merge(entry(1), from: me)]
    #expect(merged == [false, true, false] && roster[me]?.version == 2)
    roster = Roster(restoring: [entry(1, version: 1 << 30, status: .kicked)])
    let isBack = roster.merge(entry(1, version: 2), from: me)
    #expect(!isBack)
    roster = Roster(restoring: [entry(1, version: 1 << 30)])
    let isOut = [RosterEntry.Status.left, .kicked].map {
      roster.merge(entry(1, version: 2, status: $0), from: tellers[0])
    }
    #expect(isOut == [false, true], "a liar that tells each member another number is removed all the same")
  }

  @Test("behind the last number comes the first: a peer can always be removed, and can always leave")
  func numbersGoRound() {
    let last = entry(1, version: 1 << 31)
    for status in [RosterEntry.Status.left, .kicked] {
      var (roster, other) = (Roster(restoring: [last]), Roster(restoring: [last]))
      let out = roster.update(last.peerID) { $0.status = status }
      #expect(out == entry(1, version: 1, status: status))
      let isNews = [entry(1, version: 1, status: status), last, entry(1, version: 65_537)].map { other.merge($0) }
      #expect(isNews == [true, false, true], "no number is the last, and none is far behind one that is close to it")
    }
    #expect(entry(1, version: 65_536).replaces(last) && !entry(1, version: 65_537).replaces(last))
    #expect(!last.replaces(entry(1, version: 65_536)) && !entry(1, version: 0).replaces(entry(1, version: 1)))
  }

  @Test("a peer whose numbers are used up asserts itself with the first one, and is quiet when it is known rightly")
  func assertsItself() {
    var roster = Roster(restoring: [entry(1, version: 1 << 31, status: .left)])
    let asserted = [roster.restate(entry(1, version: 0)), roster.restate(entry(1, version: 0))]
    #expect(asserted == [entry(1, version: 1), nil] && roster.entries == [entry(1, version: 1)])
  }

  @Test("an update counts the change")
  func updateRaisesVersion() {
    var roster = Roster()
    _ = roster.merge(entry(1, version: 4))
    let peer = entry(1).peerID
    let kicked = roster.update(peer) { $0.status = .kicked }
    #expect(kicked?.version == 5)
    #expect(roster[peer]?.status == .kicked)
    let same = roster.update(peer) { _ in }
    #expect(same == nil)
  }
}

@Suite("Dial plan")
struct DialPlanTests {
  private let addresses = Sample.addresses

  @Test("addresses are tried in turn, staggered, and after a failure at once")
  func triesInTurn() {
    var random = SeededRandom(seed: 1)
    var plan = DialPlan(addresses: addresses, start: .zero)
    let first = plan.attempt(DialID(rawValue: 1), at: .zero, random: &random)
    let tooSoon = plan.attempt(DialID(rawValue: 2), at: .zero, random: &random)
    plan.failed(DialID(rawValue: 1), refused: true, at: .zero + .milliseconds(5))
    let second = plan.attempt(DialID(rawValue: 2), at: .zero + .milliseconds(5), random: &random)
    #expect([first, tooSoon, second] == [addresses[0], nil, addresses[1]])
  }

  @Test("the next address is raced after 0.25 s, and not while somebody answers at the one before")
  func races() {
    var random = SeededRandom(seed: 1)
    var plan = DialPlan(addresses: addresses, start: .zero)
    _ = plan.attempt(DialID(rawValue: 1), at: .zero, random: &random)
    #expect(plan.nextAttempt == .zero + .milliseconds(250))
    plan.connected(DialID(rawValue: 1), at: .zero + .milliseconds(100))
    #expect(plan.nextAttempt == .zero + .milliseconds(1_100))
    plan.failed(DialID(rawValue: 1), refused: false, at: .zero + .milliseconds(200))
    #expect(plan.nextAttempt == .zero + .milliseconds(200))
    plan.connected(DialID(rawValue: 1), at: .zero + .milliseconds(300))
    #expect(plan.nextAttempt == .zero + .milliseconds(200), "a dial that has ended holds nothing up")
  }

  @Test("while somebody answers at the last address nobody is dialled again, and after that soon")
  func waitsForAnAnswer() {
    var random = SeededRandom(seed: 1)
    var plan = DialPlan(addresses: [addresses[0]], start: .zero)
    let (one, two) = (DialID(rawValue: 1), DialID(rawValue: 2))
    _ = plan.attempt(one, at: .zero, random: &random)
    plan.connected(one, at: .zero + .milliseconds(1))
    plan.hasten(to: .zero + .seconds(3))
    #expect(plan.nextAttempt == .distantFuture, "a second dial would make both slower")
    let failed = Instant.zero + .seconds(10)
    plan.failed(one, refused: false, at: failed)
    #expect(plan.nextAttempt > failed && plan.nextAttempt <= failed + ProtocolTimes.dialBackoffMost)
    _ = plan.attempt(two, at: plan.nextAttempt, random: &random)
    plan.connected(two, at: failed + .seconds(5))
    plan.opened(two, at: failed + .seconds(6))
    #expect(plan.nextAttempt < failed + .seconds(12), "where the link comes to nothing the next dial is due")
  }

  @Test("rounds of refusals are spaced further and further, up to a limit, and known as refusals")
  func backsOff() {
    var random = SeededRandom(seed: 1)
    var plan = DialPlan(addresses: [addresses[0]], start: .zero)
    var now = Instant.zero
    var pauses: [Duration] = []
    for number in 1...10 {
      let dial = DialID(rawValue: UInt64(number))
      let address = plan.attempt(dial, at: now, random: &random)
      #expect(address == addresses[0])
      plan.failed(dial, refused: true, at: now)
      #expect(plan.allRefused)
      pauses.append(plan.nextAttempt - now)
      now = plan.nextAttempt
    }
    #expect(pauses[1] > pauses[0] && pauses[3] > pauses[2])
    let most = ProtocolTimes.dialTurn + ProtocolTimes.dialBackoffMost + .milliseconds(100)
    #expect(pauses.allSatisfy { $0 <= most })
    #expect(pauses[9] >= ProtocolTimes.dialBackoffMost)
  }

  @Test("news brings the next attempt close and lets the pauses start anew, once a second")
  func newsHastens() {
    var random = SeededRandom(seed: 1)
    var plan = DialPlan(addresses: [addresses[0]], start: .zero)
    var now = Instant.zero
    for number in 1...8 {
      _ = plan.attempt(DialID(rawValue: UInt64(number)), at: now, random: &random)
      if number < 8 { now = plan.nextAttempt }
    }
    let late = plan.nextAttempt
    plan.hasten(to: now + .milliseconds(100))
    #expect(plan.nextAttempt == now + .milliseconds(100) && plan.nextAttempt < late)
    now = plan.nextAttempt
    _ = plan.attempt(DialID(rawValue: 9), at: now, random: &random)
    let pause = plan.nextAttempt - now
    #expect(pause < ProtocolTimes.dialTurn + ProtocolTimes.dialBackoff * 2)
    plan.hasten(to: now + .milliseconds(500))
    #expect(plan.nextAttempt == now + pause, "news of the same second counts once")
  }

  @Test("links that do not last let the pauses go on growing")
  func briefLinksBackOff() {
    var random = SeededRandom(seed: 1)
    var plan = DialPlan(addresses: [addresses[0]], start: .zero)
    var now = Instant.zero
    var pauses: [Duration] = []
    for number in 1...6 {
      _ = plan.attempt(DialID(rawValue: UInt64(number)), at: now, random: &random)
      plan.opened(DialID(rawValue: UInt64(number)), at: now)
      var next = DialPlan(addresses: [addresses[0]], start: now)
      next.goOn(from: plan, at: now, random: &random)
      plan = next
      pauses.append(plan.nextAttempt - now)
      now = plan.nextAttempt
    }
    #expect(pauses[1] > pauses[0] && pauses[2] > pauses[1])
    #expect(pauses[5] >= ProtocolTimes.dialBackoffMost)
  }
}
