internal import Basics

/// Which of the services that a back-end reports are alive.
///
/// A back-end reports a service as long as its pointer is cached: after a crash for its lifetime, 75 minutes if Avahi's
/// daemon has published it. To publish shorter lifetimes is not in our hands, neither with the daemon nor with
/// avahi-core, and the daemon's call for doubts (`DNSServiceReconfirmRecord`) does nothing. To dial everybody now and
/// then would open connections to strangers all day.
///
/// So this table listens beside the back-end. It drops a service that does not answer questions for its own record, put
/// when that has not been heard for its usual lifetime, or at once after a failed dial (RFC 6762 §10.4), and lists it
/// again as soon as it is heard. It also lists services that answered this peer before the back-end has reported them,
/// and those that the back-end does not report although they were heard: Avahi's cache takes nothing more once it is
/// full, and anybody can fill it.
///
/// Silence is a sign only where one could have heard. When messages were lost unread everybody is asked again, and a
/// machine with many services cannot make the table forget those of others (`ServiceSources`). A dead service that
/// somebody answers for stays listed: a failed dial, not this list, decides who is there.
///
/// A pure state machine: its owner passes the events of the back-end and what is heard, and puts the questions.
struct LivenessTable {
  typealias Instant = ContinuousClock.Instant

  /// How long a service counts as alive after it was heard: the lifetime of a record that names a host (RFC 6762 §10).
  static let lifetime: Duration = .seconds(120)
  /// When a service that is not heard is asked, from the last time that it was: after responders and browsers have refreshed their
  /// own records (§5.2: at 80 to 97 %).
  static let rounds: [Duration] = [.seconds(108), .seconds(111), .seconds(114)]
  /// The most that is added to them, so that one peer asks for all.
  static let jitter: Duration = .seconds(2)
  /// When a service in doubt is asked, from the moment of the doubt.
  static let doubts: [Duration] = [.zero, .milliseconds(400), .milliseconds(800), .milliseconds(1400)]
  /// How long the last question waits for an answer, which its responder may hold back for 1 s (§6).
  static let patience: Duration = .milliseconds(1100)
  /// How long a back-end may take to report a service that has answered this peer, before that is in doubt.
  static let reportTime: Duration = .seconds(3)
  /// How long a back-end may take to report a service lost that has said goodbye: its records expire after 1 s (§10.1).
  static let goodbyeTime: Duration = .milliseconds(1500)
  /// The pauses between questions for a service that is gone grow from the first to the second.
  static let pauses = (first: Duration.seconds(4), last: Duration.seconds(128))
  /// Questions in one message; further ones wait for the next.
  static let batch = 16
  /// The least time between messages.
  static let spacing: Duration = .milliseconds(250)
  /// Services at a time that only this table has; of more, those of the machine with the most give way.
  static let maximumUnreported = 256

  /// Services of which the source is remembered: as many as Avahi's cache can hold.
  static let maximumSources = 4096

  private enum Phase {
    case alive
    case doubted
    case gone
    /// It was heard, and is not listed yet: the back-end may report it.
    case overheard
  }

  private struct Row {
    var info: DiscoveryInfo
    /// Whether the back-end reports the service too.
    var isReported: Bool
    var phase: Phase
    /// When the phase began.
    var since: Instant
    /// Added to the times of ``rounds``.
    var jitter: Duration = .zero
    /// Questions that were put in this phase.
    var questions = 0
    var lastQuestion: Instant?

    /// When the next question is put; `nil` when no more is, in this phase.
    var nextQuestion: Instant? {
      switch phase {
      case .alive: questions < rounds.count ? since + rounds[questions] + jitter : nil
      case .doubted: questions < doubts.count ? since + doubts[questions] : nil
      case .gone: (lastQuestion ?? since) + min(pauses.first * (1 << min(questions, 5)), pauses.last)
      case .overheard: nil
      }
    }

    /// When the service is gone unless it is heard.
    var end: Instant {
      if phase == .overheard { return since + reportTime }
      let answered = (lastQuestion ?? since) + patience
      return phase == .alive ? max(answered, since + lifetime) : answered
    }

    /// When something is to be done.
    var next: Instant { nextQuestion ?? end }

    /// Whether the owner has it in its list.
    var isListed: Bool { phase == .alive || phase == .doubted }
  }

  /// The machines that tell of the services.
  var sources = ServiceSources(room: maximumSources)
  private var rows: [ServiceInstance: Row] = [:]
  /// The services that the back-end does not report.
  private var unreported = ServiceSources(room: maximumUnreported)
  private var lastMessage: Instant?
  private var random: SeededRandom
  /// Our own instance, which is never listed.
  private var own: ServiceInstance?

  /// An empty table; `seed` is that of the random times.
  init(own: ServiceInstance?, seed: UInt64) {
    self.own = own
    random = SeededRandom(seed: seed)
  }

  // MARK: Reports of the back-end

  /// Takes an event of the back-end; returns those for its owner.
  mutating func take(_ event: DiscoveryEvent, at now: Instant) -> [DiscoveryEvent] {
    switch event {
    case .available: return [event]
    case .unavailable: return dropUnreported() + [event]
    case .advertised(let instance):
      own = instance
      return forget(instance) + [event]
    case .found(let instance, let info), .updated(let instance, let info):
      let former = rows[instance]
      unreported.remove(instance)
      rows[instance] = aliveRow(info, at: now)
      guard let row = former, row.isListed else { return [.found(instance, info)] }
      return row.info == info ? [] : [.updated(instance, info)]
    case .lost(let instance): return forget(instance)
    }
  }

  /// Takes a dial's failure to reach a service: it is in doubt.
  mutating func reconfirm(_ instance: ServiceInstance, at now: Instant) { doubt(instance, from: now) }

  // MARK: Records of the network

  /// Takes a record of a service, which is alive.
  mutating func hear(_ instance: ServiceInstance, at now: Instant) -> [DiscoveryEvent] {
    guard let row = rows[instance], row.phase != .overheard else { return [] }
    rows[instance] = aliveRow(row.info, isReported: row.isReported, at: now)
    return row.phase == .gone ? [.found(instance, row.info)] : []
  }

  /// Takes the goodbye of a service: it is in doubt, should the back-end not report it lost soon.
  ///
  /// A service that left one of two networks in silence and the other with a goodbye would stay in the list for the first one.
  mutating func hearGoodbye(_ instance: ServiceInstance, at now: Instant) {
    if rows[instance]?.phase == .overheard { _ = forget(instance) }
    doubt(instance, from: now + Self.goodbyeTime)
  }

  /// Takes the record of a service that has answered a question of this peer alone, possibly before the back-end reports it.
  mutating func answer(_ instance: ServiceInstance, _ info: DiscoveryInfo, at now: Instant) -> [DiscoveryEvent] {
    let isKnown = rows[instance].map { $0.phase != .overheard } ?? false
    guard instance != own, !isKnown else { return hear(instance, at: now) }
    let row = Row(info: info, isReported: false, phase: .doubted, since: now + Self.reportTime)
    guard let events = add(row, of: instance) else { return [] }
    return events + [.found(instance, info)]
  }

  /// Takes the record of a service that was told to all: it is listed, should the back-end not report it in time.
  mutating func overhear(_ instance: ServiceInstance, _ info: DiscoveryInfo, at now: Instant) -> [DiscoveryEvent] {
    guard instance != own else { return [] }
    guard let row = rows[instance] else {
      return add(Row(info: info, isReported: false, phase: .overheard, since: now), of: instance) ?? []
    }
    guard !row.isReported, row.info != info else { return hear(instance, at: now) }
    // Nobody else tells of the change.
    rows[instance]?.info = info
    _ = hear(instance, at: now)
    return row.isListed ? [.updated(instance, info)] : []
  }

  /// Adds a service that the back-end does not report; returns the events of one that gives way to it, or nil if it has no place.
  private mutating func add(_ row: Row, of instance: ServiceInstance) -> [DiscoveryEvent]? {
    assert(!row.isReported && rows[instance]?.isReported != true, "the back-end's own word counts")
    guard let displaced = unreported.add(instance, of: sources[instance]) else { return nil }
    let events = displaced.first.map { forget($0) } ?? []
    rows[instance] = row
    return events
  }

  /// Takes it that messages were lost unheard: those that were silent may have spoken, and are asked again.
  mutating func missMessages(at now: Instant) {
    for (instance, row) in rows {
      switch row.phase {
      case .alive: rows[instance] = aliveRow(row.info, isReported: row.isReported, at: now)
      case .doubted:
        rows[instance] = Row(
          info: row.info, isReported: row.isReported, phase: .doubted, since: max(now, row.since),
          lastQuestion: row.lastQuestion)
      case .gone, .overheard: break
      }
    }
  }

  // MARK: Time

  /// When ``questions(at:)`` or ``expire(at:)`` has something to do.
  var deadline: Instant? {
    let next = rows.values.map(\.next).min()
    // Questions for the next message wait at least until that.
    return next.map { max($0, lastMessage.map { $0 + Self.spacing } ?? $0) }
  }

  /// The services to ask in one message now, those in doubt first.
  func questions(at now: Instant) -> [ServiceInstance] {
    if let lastMessage, now < lastMessage + Self.spacing { return [] }
    let due = rows.filter { $0.value.nextQuestion.map { $0 <= now } ?? false }
    let ordered = due.sorted { one, other in
      let (first, second) = (one.value.phase == .doubted, other.value.phase == .doubted)
      return first != second ? first : one.value.next < other.value.next
    }
    return ordered.prefix(Self.batch).map(\.key)
  }

  /// Records that these services have been asked.
  mutating func asked(_ instances: [ServiceInstance], at now: Instant) {
    assert(instances.count <= Self.batch, "one message asks more than it may")
    lastMessage = now
    for instance in instances {
      rows[instance]?.questions += 1
      rows[instance]?.lastQuestion = now
    }
  }

  /// Drops the services that have not answered in time.
  mutating func expire(at now: Instant) -> [DiscoveryEvent] {
    let over = rows.filter { $0.value.nextQuestion == nil && $0.value.end <= now }
    return over.sorted { $0.value.end < $1.value.end }.map { instance, row in
      guard row.phase != .overheard else {
        rows[instance] = aliveRow(row.info, isReported: false, at: row.since)
        return .found(instance, row.info)
      }
      if row.isReported {
        rows[instance] = Row(info: row.info, isReported: true, phase: .gone, since: now)
      } else {
        _ = forget(instance)
      }
      return .lost(instance)
    }
  }

  // MARK: Rows

  private mutating func aliveRow(_ info: DiscoveryInfo, isReported: Bool = true, at now: Instant) -> Row {
    let thousandths = Int(random.below(1001))
    return Row(
      info: info, isReported: isReported, phase: .alive, since: now, jitter: Self.jitter * thousandths / 1000)
  }

  private mutating func doubt(_ instance: ServiceInstance, from begin: Instant) {
    guard let row = rows[instance], row.phase == .alive else { return }
    rows[instance] = Row(info: row.info, isReported: row.isReported, phase: .doubted, since: begin)
  }

  private mutating func forget(_ instance: ServiceInstance) -> [DiscoveryEvent] {
    sources.remove(instance)
    guard let row = rows.removeValue(forKey: instance) else { return [] }
    unreported.remove(instance)
    return row.isListed ? [.lost(instance)] : []
  }

  private mutating func dropUnreported() -> [DiscoveryEvent] {
    rows.filter { !$0.value.isReported }.map(\.key).flatMap { forget($0) }
  }
}
