import Basics
import Testing

@testable import ServiceDiscovery

@Suite struct LivenessTableTests {
  private typealias Table = LivenessTable

  private let start = ContinuousClock.now
  private let lamp: ServiceInstance
  private let info: DiscoveryInfo

  init() throws {
    lamp = try ServiceDiscoveryTests.instance("lamp")
    info = try ServiceDiscoveryTests.info("1")
  }

  /// A table that has the lamp from the back-end.
  private func makeTable() -> LivenessTable {
    var table = LivenessTable(own: nil, seed: 1)
    #expect(table.take(.found(lamp, info), at: start) == [.found(lamp, info)])
    return table
  }

  /// Puts every question that is due until the table says something; returns that, the questions, and the time it took.
  private func run(
    _ table: inout LivenessTable, from begin: ContinuousClock.Instant
  ) throws -> (events: [DiscoveryEvent], asked: [Duration], time: Duration) {
    var (now, asked): (ContinuousClock.Instant, [Duration]) = (begin, [])
    for _ in 0..<100 {
      now = max(now, try #require(table.deadline))
      let due = table.questions(at: now)
      if !due.isEmpty {
        table.asked(due, at: now)
        asked.append(now - begin)
      }
      let events = table.expire(at: now)
      if !events.isEmpty { return (events, asked, now - begin) }
    }
    return ([], asked, now - begin)
  }

  @Test func dropsAServiceThatDoesNotAnswerAfterAFailedDial() throws {
    var table = makeTable()
    table.reconfirm(lamp, at: start)
    // A second failed dial does not begin the questions again.
    let (events, asked, time) = try run(&table, from: start)
    #expect(events == [.lost(lamp)])
    #expect(asked == Table.doubts)
    #expect(time == Table.doubts[3] + Table.patience)
  }

  @Test func aSecondFailedDialDoesNotPutTheEndOff() throws {
    var table = makeTable()
    table.reconfirm(lamp, at: start)
    table.asked(table.questions(at: start), at: start)
    table.reconfirm(lamp, at: start + .seconds(1))
    #expect(try run(&table, from: start).time == Table.doubts[3] + Table.patience)
  }

  @Test func dropsAServiceWhoseGoodbyeTheBackEndDoesNotReport() throws {
    var table = makeTable()
    table.hearGoodbye(lamp, at: start)
    let (events, asked, _) = try run(&table, from: start)
    #expect(events == [.lost(lamp)])
    #expect(asked.first == Table.goodbyeTime)
    var other = makeTable()
    other.hearGoodbye(lamp, at: start)
    #expect(other.take(.lost(lamp), at: start + .seconds(1)) == [.lost(lamp)])
    #expect(other.deadline == nil)
  }

  @Test func retainsAServiceThatAnswersAfterAFailedDial() throws {
    var table = makeTable()
    table.reconfirm(lamp, at: start)
    table.asked(table.questions(at: start), at: start)
    #expect(table.hear(lamp, at: start + .milliseconds(20)).isEmpty)
    #expect(try #require(table.deadline) >= start + Table.rounds[0])
  }

  @Test func asksBeforeTheLifetimeIsOverAndDropsWhatIsSilent() throws {
    var table = makeTable()
    let (events, asked, time) = try run(&table, from: start)
    #expect(events == [.lost(lamp)])
    #expect(asked.count == Table.rounds.count)
    #expect(zip(asked, Table.rounds).allSatisfy { ($1...($1 + Table.jitter)).contains($0) })
    #expect(time == Table.lifetime)
  }

  @Test func asksNobodyThatIsHeard() throws {
    var table = makeTable()
    for second in stride(from: 100, to: 1000, by: 100) {
      let now = start + .seconds(second)
      #expect(table.questions(at: now).isEmpty)
      #expect(table.expire(at: now).isEmpty)
      #expect(table.hear(lamp, at: now).isEmpty)
    }
  }

  @Test func silenceIsNoSignWhileMessagesAreLost() throws {
    var table = makeTable()
    // A flood hides all answers, for an hour and until a moment before the end of the service.
    for now in stride(from: 119, to: 3600, by: 119).map({ start + .seconds($0) }) {
      table.missMessages(at: now)
      #expect(table.expire(at: now).isEmpty)
    }
    let end = start + .seconds(3600)
    table.missMessages(at: end)
    #expect(try run(&table, from: end).time == Table.lifetime)
  }

  @Test func aServiceInDoubtIsAskedAnewWhenMessagesWereLost() throws {
    var table = makeTable()
    table.reconfirm(lamp, at: start)
    for question in Table.doubts { table.asked(table.questions(at: start + question), at: start + question) }
    let end = start + Table.doubts[3] + Table.patience
    table.missMessages(at: end)
    #expect(table.expire(at: end).isEmpty)
    #expect(try run(&table, from: end).time == Table.doubts[3] + Table.patience)
  }

  @Test func listsAServiceAgainThatIsHeardAndAsksForItMoreAndMoreSeldom() throws {
    var table = makeTable()
    table.reconfirm(lamp, at: start)
    let gone = start + (try run(&table, from: start).time)
    let (events, asked, _) = try run(&table, from: gone)
    #expect(events.isEmpty)
    #expect(asked.first == Table.pauses.first)
    let pauses = zip(asked, asked.dropFirst()).map { $1 - $0 }
    #expect(pauses == pauses.sorted() && pauses.last == Table.pauses.last)
    #expect(table.hear(lamp, at: gone + .seconds(9)) == [.found(lamp, info)])
    #expect(table.take(.lost(lamp), at: gone + .seconds(10)) == [.lost(lamp)])
  }

  @Test func saysNothingTwiceOfAServiceThatTheBackEndWithdrawsLater() throws {
    var table = makeTable()
    table.reconfirm(lamp, at: start)
    _ = try run(&table, from: start)
    #expect(table.take(.lost(lamp), at: start + .seconds(60)).isEmpty)
    #expect(table.deadline == nil)
    #expect(table.hear(lamp, at: start + .seconds(61)).isEmpty)
    #expect(table.take(.found(lamp, info), at: start + .seconds(62)) == [.found(lamp, info)])
  }

  @Test func aChangedRecordIsASignOfLife() throws {
    var table = makeTable()
    table.reconfirm(lamp, at: start)
    _ = try run(&table, from: start)
    let changed = try ServiceDiscoveryTests.info("2")
    #expect(table.take(.updated(lamp, changed), at: start + .seconds(60)) == [.found(lamp, changed)])
  }

  @Test func anAnswerListsAServiceBeforeTheBackEndDoes() throws {
    var table = LivenessTable(own: try instance("self"), seed: 1)
    #expect(table.answer(lamp, info, at: start) == [.found(lamp, info)])
    #expect(table.answer(try instance("self"), info, at: start).isEmpty)
    #expect(table.take(.found(lamp, info), at: start + .seconds(1)).isEmpty)
    // A record that has changed in between is news.
    #expect(try run(&table, from: start + .seconds(1)).time == Table.lifetime)
  }

  @Test func anAnswerThatTheBackEndNeverReportsIsDropped() throws {
    var table = LivenessTable(own: nil, seed: 1)
    #expect(table.answer(lamp, info, at: start) == [.found(lamp, info)])
    let (events, _, time) = try run(&table, from: start)
    #expect(events == [.lost(lamp)])
    #expect(time == Table.reportTime + Table.doubts[3] + Table.patience)
    #expect(table.deadline == nil)
  }

  @Test func answersAloneFillNoMemory() throws {
    var table = LivenessTable(own: nil, seed: 1)
    for number in 0..<300 { _ = table.answer(try instance("forged\(number)"), info, at: start) }
    let lost = table.take(.unavailable(reason: "over"), at: start)
    #expect(lost.count == Table.maximumUnreported + 1)
    #expect(table.answer(lamp, info, at: start) == [.found(lamp, info)])
  }

  @Test func aServiceThatIsHeardAndNotReportedIsListedAfterAWhileAndAskedLikeOthers() throws {
    var table = LivenessTable(own: try instance("self"), seed: 1)
    #expect(table.overhear(lamp, info, at: start).isEmpty)
    #expect(table.overhear(try instance("self"), info, at: start).isEmpty)
    // To be heard again does not put it off.
    #expect(table.overhear(lamp, info, at: start + .seconds(1)).isEmpty)
    let (events, asked, time) = try run(&table, from: start)
    #expect(events == [.found(lamp, info)] && asked.isEmpty && time == Table.reportTime)
    let changed = try ServiceDiscoveryTests.info("2")
    #expect(table.overhear(lamp, changed, at: start + time) == [.updated(lamp, changed)])
    #expect(try run(&table, from: start + time).events == [.lost(lamp)])
    #expect(table.deadline == nil)
  }

  @Test func aServiceThatIsHeardIsTheBackEndsOnceThatReportsItAndNobodysAfterItsGoodbye() throws {
    var table = LivenessTable(own: nil, seed: 1)
    #expect(table.overhear(lamp, info, at: start).isEmpty)
    #expect(table.take(.found(lamp, info), at: start) == [.found(lamp, info)])
    #expect(table.take(.lost(lamp), at: start) == [.lost(lamp)])
    #expect(table.overhear(lamp, info, at: start).isEmpty)
    table.hearGoodbye(lamp, at: start)
    #expect(table.deadline == nil)
    #expect(table.overhear(lamp, info, at: start).isEmpty)
    #expect(table.take(.advertised(lamp), at: start) == [.advertised(lamp)])
    #expect(table.deadline == nil)
  }

  @Test func attackServicesThatAreHeardKeepNoneOfAnotherMachineFromTheList() throws {
    var table = LivenessTable(own: nil, seed: 1)
    for number in 0..<5000 {
      let forged = try instance("forged\(number)")
      table.sources.add(forged, of: .ipv4(1))
      #expect(table.overhear(forged, info, at: start).isEmpty)
    }
    table.sources.add(lamp, of: .ipv4(2))
    #expect(table.overhear(lamp, info, at: start).isEmpty)
    let listed = table.expire(at: start + Table.reportTime)
    #expect(listed.count == Table.maximumUnreported && listed.contains(.found(lamp, info)))
    // One of the list gives way to a service of a third machine.
    let door = try instance("door")
    table.sources.add(door, of: .ipv4(3))
    let events = table.answer(door, info, at: start + Table.reportTime)
    #expect(events.count == 2 && events.last == .found(door, info) && !events.contains(.lost(lamp)))
  }

  @Test func ourOwnNameIsNeverListed() throws {
    var table = makeTable()
    #expect(table.take(.advertised(lamp), at: start) == [.lost(lamp), .advertised(lamp)])
    #expect(table.answer(lamp, info, at: start).isEmpty)
  }

  @Test func asksManyServicesInFewMessagesThatAreApart() throws {
    var table = LivenessTable(own: nil, seed: 1)
    for number in 0..<40 { _ = table.take(.found(try instance("lamp\(number)"), info), at: start) }
    let doubted = try instance("lamp39")
    let late = start + Table.rounds[0] + Table.jitter
    table.reconfirm(doubted, at: late)
    let first = table.questions(at: late)
    #expect(first.count == Table.batch)
    #expect(first[0] == doubted)
    table.asked(first, at: late)
    #expect(table.questions(at: late).isEmpty)
    #expect(try #require(table.deadline) == late + Table.spacing)
    let second = table.questions(at: late + Table.spacing)
    #expect(second.count == Table.batch && Set(second).isDisjoint(with: first))
  }
}
