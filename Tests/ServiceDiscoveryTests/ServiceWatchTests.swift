import Basics
import Synchronization
import Testing

@testable import ServiceDiscovery

/// A network that answers when the test says so, for the parts that both real back-ends share.
private final class ScriptedNetwork {
  final class Query: RecordQuery {
    let name: String
    let type: RecordType
    let onAnswer: ([UInt8], UInt32) -> Void
    private(set) var isClosed = false

    init(name: String, type: RecordType, onAnswer: @escaping ([UInt8], UInt32) -> Void) {
      self.name = name
      self.type = type
      self.onAnswer = onAnswer
    }

    func close() { isClosed = true }
  }

  private(set) var queries: [Query] = []
  var refuses = false

  var open: [Query] { queries.filter { !$0.isClosed } }

  func ask(
    _ name: String, _ type: RecordType, _ onAnswer: @escaping ([UInt8], UInt32) -> Void
  ) -> (any RecordQuery)? {
    guard !refuses else { return nil }
    queries.append(Query(name: name, type: type, onAnswer: onAnswer))
    return queries.last
  }

  func answer(_ name: String, _ type: RecordType, _ data: [UInt8], interface: UInt32 = 2) {
    for query in open where query.name == name && query.type == type { query.onAnswer(data, interface) }
  }
}

@Suite struct ServiceWatchTests {
  private let network = ScriptedNetwork()
  private let log = EventLog()

  private let listeningTime: Duration = .milliseconds(250)

  private func makeWatch(
    own: ServiceInstance? = nil, maximumQueries: Int = 8, listeningTime: Duration = .zero
  ) -> ServiceWatch {
    ServiceWatch(
      own: own, maximumQueries: maximumQueries, listeningTime: listeningTime, ask: network.ask, log.record)
  }

  @Test func asksForTheRecordAndFindsTheService() throws {
    let watch = makeWatch()
    let lamp = try instance("my lamp")
    watch.add(lamp, interface: 2, at: .now)
    watch.add(lamp, interface: 3, at: .now)
    #expect(network.open.map(\.name) == ["my\\032lamp._test._tcp.local"])
    #expect(log.events.isEmpty)
    network.answer(lamp.recordName, .text, try info("1").encoded)
    network.answer(lamp.recordName, .text, try info("1").encoded, interface: 3)
    network.answer(lamp.recordName, .text, try info("2").encoded)
    #expect(log.take() == [.found(lamp, try info("1")), .updated(lamp, try info("2"))])
    watch.remove(lamp, interface: 2)
    #expect(network.open.count == 1)
    watch.remove(lamp, interface: 3)
    #expect(network.open.isEmpty)
    #expect(log.take() == [.lost(lamp)])
  }

  private func names(_ letters: String) -> [String] { letters.map { "\($0)._test._tcp.local" } }

  @Test func givesThePlaceOfAnAnsweredQuestionToOneThatWaits() throws {
    let watch = makeWatch(maximumQueries: 2)
    let start = ContinuousClock.now
    for name in ["a", "b", "c"] { watch.add(try instance(name), interface: 1, at: start) }
    #expect(network.open.map(\.name) == names("ab"))
    watch.expire(at: start)
    #expect(network.open.map(\.name) == names("ab"))
    network.answer("a._test._tcp.local", .text, try info("1").encoded)
    watch.expire(at: .now)
    #expect(network.open.map(\.name) == names("bc"))
    #expect(log.take() == [.found(try instance("a"), try info("1"))])
  }

  @Test func givesThePlaceOfASilentServiceToOneThatWaits() throws {
    let watch = makeWatch(maximumQueries: 2)
    let start = ContinuousClock.now
    for name in ["a", "b", "c"] { watch.add(try instance(name), interface: 1, at: start) }
    let end = start + TextQuestions.patience
    #expect(watch.deadline == end)
    watch.expire(at: end - .milliseconds(1))
    #expect(network.open.map(\.name) == names("ab"))
    watch.expire(at: end)
    #expect(Set(network.open.map(\.name)).contains("c._test._tcp.local"))
    #expect(network.open.count == 2)
  }

  @Test func asksAgainAndHearsOfAChangeWhereThereAreMoreServicesThanPlaces() throws {
    let watch = makeWatch(maximumQueries: 1)
    var now = ContinuousClock.now
    let (lamp, door) = (try instance("lamp"), try instance("door"))
    for instance in [lamp, door] { watch.add(instance, interface: 1, at: now) }
    for instance in [lamp, door] {
      network.answer(instance.recordName, .text, try info("1").encoded)
      now = max(now, .now)
      watch.expire(at: now)
    }
    #expect(log.take() == [.found(lamp, try info("1")), .found(door, try info("1"))])
    now = try #require(watch.deadline)
    watch.expire(at: now)
    #expect(network.open.map(\.name) == [lamp.recordName])
    network.answer(lamp.recordName, .text, try info("2").encoded)
    #expect(log.take() == [.updated(lamp, try info("2"))])
  }

  @Test func asksASilentServiceAgainSoonAtFirst() throws {
    let watch = makeWatch(maximumQueries: 1)
    let start = ContinuousClock.now
    func open(after seconds: Double) -> [String] {
      watch.expire(at: start + .seconds(seconds))
      return network.open.map(\.name)
    }
    for name in ["a", "b"] { watch.add(try instance(name), interface: 1, at: start) }
    // The turn of the first one ends after 2 s without an answer: it rests a second, and two the next time.
    #expect(open(after: 2) == names("b"))
    network.answer("b._test._tcp.local", .text, [0])
    #expect(open(after: 2.9) == names("b"))
    #expect(open(after: 3) == names("a"))
    #expect(open(after: 12.9) == names("a"))
    #expect(open(after: 13) == names("b"))
    network.answer("b._test._tcp.local", .text, [0])
    #expect(open(after: 14.9) == names("b"))
    #expect(open(after: 15) == names("a"))
  }

  @Test func everyServiceIsAskedHoweverManyThereAre() throws {
    let watch = makeWatch(maximumQueries: 6)
    var now = ContinuousClock.now
    for index in 0..<120 { watch.add(try instance("\(index)"), interface: 1, at: now) }
    var rounds = 0
    while log.events.count < 120, rounds < 30 {
      for query in network.open { query.onAnswer([0], 1) }
      now = max(now, .now)
      watch.expire(at: now)
      #expect(network.open.count <= 6)
      rounds += 1
    }
    #expect(Set(log.events).count == 120)
    #expect(rounds == 20)
  }

  @Test func forgedServicesThatNeverAnswerDelayTheOthersAndDoNotHideThem() throws {
    let watch = makeWatch(maximumQueries: 256)
    var now = ContinuousClock.now
    for index in 0..<1_000 { watch.add(try instance("forged \(index)"), interface: 1, at: now) }
    let lamp = try instance("lamp")
    watch.add(lamp, interface: 1, at: now)
    let most = now + TextQuestions.patience * 4
    while !network.open.contains(where: { $0.name == lamp.recordName }), now < most {
      now = try #require(watch.deadline)
      watch.expire(at: now)
    }
    network.answer(lamp.recordName, .text, [0])
    #expect(log.take() == [.found(lamp, DiscoveryInfo())])
  }

  @Test func aServiceThatComesAfterAFloodOfThemIsAskedBeforeMostOfIt() throws {
    let watch = makeWatch(maximumQueries: 1)
    for index in 0..<5_000 { watch.add(try instance("forged \(index)"), interface: 1, at: .now) }
    let lamp = try instance("lamp")
    watch.add(lamp, interface: 1, at: .now)
    var asked: [String] = []
    for _ in 0..<3 {
      asked += network.open.map(\.name)
      for query in network.open { query.onAnswer([0], 1) }
      watch.expire(at: .now)
    }
    #expect(asked[0].hasPrefix("forged\\0320."))
    #expect(asked.contains(lamp.recordName))
  }

  @Test(arguments: [true, false])
  func aServiceWhoseRecordIsHeardIsNotAsked(recordComesFirst: Bool) throws {
    let watch = makeWatch(listeningTime: listeningTime)
    let (lamp, start) = (try instance("lamp"), ContinuousClock.now)
    if recordComesFirst { watch.hear([lamp: try info("1").encoded], at: start) }
    watch.add(lamp, interface: 1, at: start)
    if !recordComesFirst { watch.hear([lamp: try info("1").encoded], at: start + .milliseconds(10)) }
    #expect(log.take() == [.found(lamp, try info("1"))])
    watch.hear([lamp: try info("2").encoded], at: start + .seconds(1))
    #expect(log.take() == [.updated(lamp, try info("2"))])
    #expect(watch.deadline == start + .seconds(1) + TextQuestions.hearing)
    #expect(network.queries.isEmpty)
  }

  @Test func aServiceThatIsHeardNoLongerIsAsked() throws {
    let (watch, lamp, start) = (makeWatch(), try instance("lamp"), ContinuousClock.now)
    watch.hear([lamp: [0]], at: start)
    watch.add(lamp, interface: 1, at: start)
    watch.expire(at: start + TextQuestions.hearing - .milliseconds(1))
    #expect(network.queries.isEmpty)
    watch.expire(at: start + TextQuestions.hearing)
    #expect(network.open.map(\.name) == [lamp.recordName])
    watch.hear([lamp: [0]], at: start + TextQuestions.hearing)
    #expect(network.open.isEmpty)
  }

  @Test func whoHearsOthersListensBeforeItAsks() throws {
    let (watch, start) = (makeWatch(listeningTime: listeningTime), ContinuousClock.now)
    watch.add(try instance("a"), interface: 1, at: start)
    watch.expire(at: start + listeningTime - .milliseconds(1))
    #expect(network.open.isEmpty)
    watch.expire(at: start + listeningTime)
    #expect(network.open.map(\.name) == names("a"))
  }

  @Test func recordsOfServicesThatNobodyReportsFillNoMemory() throws {
    let (watch, lamp, start) = (makeWatch(), try instance("lamp"), ContinuousClock.now)
    for number in 0..<EarlyTexts.maximum { watch.hear([try instance("forged \(number)"): [0]], at: start) }
    watch.hear([lamp: [0]], at: start)
    watch.add(lamp, interface: 1, at: start)
    #expect(log.take().isEmpty)
    let later = start + EarlyTexts.patience
    watch.hear([try instance("door"): [0]], at: later)
    watch.add(try instance("door"), interface: 1, at: later)
    watch.add(try instance("forged 1"), interface: 1, at: later)
    #expect(log.take() == [.found(try instance("door"), DiscoveryInfo())])
  }

  @Test func recordsThatAnotherThreadDoesNotTakeFillNoMemory() throws {
    let heard = HeardTexts()
    #expect(heard.add([0], of: try instance("lamp")))
    #expect(!heard.add([1], of: try instance("lamp")))
    for number in 0..<300 { _ = heard.add([0], of: try instance("forged \(number)")) }
    let texts = heard.take()
    #expect(texts.count == HeardTexts.maximum)
    #expect(texts[try instance("lamp")] == [1])
    #expect(heard.add([0], of: try instance("lamp")))
  }

  @Test func aRefusedQuestionIsPutAgainWithGrowingPauses() throws {
    let watch = makeWatch()
    var now = ContinuousClock.now
    network.refuses = true
    watch.add(try instance("lamp"), interface: 1, at: now)
    var pauses: [Duration] = []
    for _ in 0..<6 {
      let next = try #require(watch.deadline)
      pauses.append(next - now)
      now = next
      watch.expire(at: now)
    }
    #expect(pauses == [0.25, 0.5, 1, 2, 4, 4].map { .milliseconds(Int($0 * 1000)) })
    network.refuses = false
    watch.expire(at: try #require(watch.deadline))
    #expect(network.open.map(\.name) == ["lamp._test._tcp.local"])
  }

  @Test func tellsItsOwnNameOnceAndAgainAfterAnOutage() throws {
    let lamp = try instance("lamp")
    let watch = makeWatch(own: lamp)
    watch.setOwn(lamp)
    watch.setOwn(lamp)
    #expect(log.take() == [.advertised(lamp)])
    watch.removeAll()
    watch.setOwn(lamp)
    #expect(log.take() == [.advertised(lamp)])
  }

  @Test func forgetsEverythingInAnOutage() throws {
    let watch = makeWatch()
    let lamp = try instance("lamp")
    watch.add(lamp, interface: 2, at: .now)
    network.answer(lamp.recordName, .text, [0])
    #expect(log.take() == [.found(lamp, DiscoveryInfo())])
    watch.removeAll()
    #expect(network.open.isEmpty)
    #expect(log.take() == [.lost(lamp)])
  }
}

@Suite struct ResolverTests {
  private let network = ScriptedNetwork()
  private let start = ContinuousClock.now

  private final class Outcome: Sendable {
    let log = Mutex<[Result<[SocketAddress], DiscoveryError>]>([])
    var results: [Result<[SocketAddress], DiscoveryError>] { log.withLock { $0 } }
    @Sendable func record(_ result: Result<[SocketAddress], DiscoveryError>) { log.withLock { $0.append(result) } }
  }

  private func location(port: UInt16, host: String) -> [UInt8] {
    let labels = host.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    return [0, 0, 0, 0, UInt8(port >> 8), UInt8(port & 0xFF)] + labels + [0]
  }

  private func endpoints(_ outcome: Outcome) throws -> [String] {
    try #require(outcome.results.first).get().map(\.description)
  }

  @Test func `attack: records of others lead neither to this machine nor to nobody nor to many`() throws {
    let resolver = Resolver(maximumRunning: 4, ask: network.ask)
    let outcome = Outcome()
    let lamp = try instance("lamp")
    resolver.begin(1, lamp, deadline: start + .seconds(5), outcome.record)
    network.answer(lamp.recordName, .service, location(port: 22, host: "sw-1.local"))
    let forged: [[UInt8]] = [[127, 0, 0, 1], [0, 0, 0, 0], [224, 0, 0, 251], [255, 255, 255, 255], [240, 0, 0, 1]]
    for address in forged { network.answer("sw-1.local", .address, address) }
    let zeros = [UInt8](repeating: 0, count: 15)
    for address in [zeros + [0], zeros + [1], [0xff, 0x02] + zeros.dropFirst(2) + [0xfb]] {
      network.answer("sw-1.local", .address6, address)
    }
    network.answer("sw-1.local", .address, [192, 0, 2, 1])
    resolver.expire(at: .now + Resolution.grace + .milliseconds(1))
    #expect(try endpoints(outcome) == ["192.0.2.1:22"])
  }

  @Test func mergesTheAnswersOfAllInterfaces() throws {
    let resolver = Resolver(maximumRunning: 4, ask: network.ask)
    let outcome = Outcome()
    let lamp = try instance("lamp")
    resolver.begin(1, lamp, deadline: start + .seconds(5), outcome.record)
    for interface: UInt32 in [2, 3] {
      network.answer(lamp.recordName, .service, location(port: 4000, host: "sw-1.local"), interface: interface)
    }
    #expect(network.open.map(\.type) == [.service, .address, .address6])
    network.answer("sw-1.local", .address, [127, 0, 0, 1], interface: 1)
    let linkLocal: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
    for interface: UInt32 in [2, 3, 2] { network.answer("sw-1.local", .address6, linkLocal, interface: interface) }
    network.answer("sw-1.local", .address, [192, 0, 2, 1], interface: 2)
    resolver.expire(at: .now + Resolution.grace + .milliseconds(1))
    #expect(
      try endpoints(outcome) == ["192.0.2.1:4000", "[fe80::1%2]:4000", "[fe80::1%3]:4000", "127.0.0.1:4000"])
    #expect(network.open.isEmpty)
    #expect(resolver.deadline == nil)
  }

  @Test func waitsForTheGraceAfterTheFirstAddressOnly() throws {
    let resolver = Resolver(maximumRunning: 4, ask: network.ask)
    let outcome = Outcome()
    let lamp = try instance("lamp")
    let deadline = start + .seconds(60)
    resolver.begin(1, lamp, deadline: deadline, outcome.record)
    network.answer(lamp.recordName, .service, location(port: 4000, host: "h.local"))
    #expect(resolver.deadline == deadline)
    network.answer("h.local", .address, [192, 0, 2, 1])
    let settlement = try #require(resolver.deadline)
    #expect(settlement < deadline)
    resolver.expire(at: settlement - .milliseconds(1))
    #expect(outcome.results.isEmpty)
    resolver.expire(at: settlement)
    #expect(try endpoints(outcome) == ["192.0.2.1:4000"])
  }

  @Test func timesOutWithoutAnAddress() throws {
    let resolver = Resolver(maximumRunning: 4, ask: network.ask)
    let outcome = Outcome()
    let lamp = try instance("lamp")
    resolver.begin(1, lamp, deadline: start + .seconds(1), outcome.record)
    network.answer(lamp.recordName, .service, location(port: 4000, host: "h.local"))
    resolver.expire(at: start + .milliseconds(999))
    #expect(outcome.results.isEmpty)
    resolver.expire(at: start + .seconds(1))
    #expect(outcome.results == [.failure(.resolutionTimedOut(lamp))])
    #expect(network.open.isEmpty)
  }

  @Test func runsAFewAtATimeInOrder() throws {
    let resolver = Resolver(maximumRunning: 2, ask: network.ask)
    let outcome = Outcome()
    for id in 1...3 { resolver.begin(id, try instance("\(id)"), deadline: start + .seconds(id), outcome.record) }
    #expect(network.open.map(\.name) == ["1._test._tcp.local", "2._test._tcp.local"])
    resolver.cancel(1)
    #expect(outcome.results == [.failure(.cancelled)])
    #expect(network.open.map(\.name) == ["2._test._tcp.local", "3._test._tcp.local"])
    resolver.failAll(.stopped)
    #expect(outcome.results == [.failure(.cancelled), .failure(.stopped), .failure(.stopped)])
    #expect(network.open.isEmpty)
  }

  @Test func asksAgainAfterAnOutage() throws {
    let resolver = Resolver(maximumRunning: 2, ask: network.ask)
    let outcome = Outcome()
    let lamp = try instance("lamp")
    resolver.begin(1, lamp, deadline: start + .seconds(5), outcome.record)
    network.refuses = true
    resolver.suspend()
    resolver.expire(at: start)
    #expect(network.open.isEmpty)
    network.refuses = false
    resolver.resume()
    #expect(network.open.count == 1)
    network.answer(lamp.recordName, .service, location(port: 4000, host: "h.local"))
    network.answer("h.local", .address, [192, 0, 2, 1])
    resolver.expire(at: .now + .seconds(1))
    #expect(try endpoints(outcome) == ["192.0.2.1:4000"])
  }

  @Test func followsTheServiceToANewPortAndIgnoresAFloodOfHosts() throws {
    let resolver = Resolver(maximumRunning: 2, ask: network.ask)
    let outcome = Outcome()
    let lamp = try instance("lamp")
    resolver.begin(1, lamp, deadline: start + .seconds(5), outcome.record)
    for index in 0..<20 {
      network.answer(lamp.recordName, .service, location(port: 4000, host: "h\(index).local"))
    }
    #expect(network.open.count == 1 + 2 * Resolution.maximumHosts)
    network.answer(lamp.recordName, .service, location(port: 5000, host: "h0.local"))
    for index in 0..<100 { network.answer("h0.local", .address, [10, 0, 0, UInt8(index)]) }
    resolver.expire(at: start + .seconds(5))
    let found = try endpoints(outcome)
    #expect(found.prefix(2) == ["10.0.0.0:4000", "10.0.0.0:5000"])
    #expect(found.count == 2 * Resolution.maximumEndpoints)
  }
}
