internal import Basics
internal import BasicsLinux
internal import Glibc
internal import Synchronization

/// Stands between a back-end and the owner of discovery: drops services that do not answer any more, and lists those at once
/// that have just begun.
///
/// It listens to multicast DNS beside the back-end, on a thread of its own. Where it cannot, what the back-end says is passed on
/// as it is.
final class LivenessMonitor: Sendable {
  /// How long answers to the first question are awaited.
  private static let answerTime: Duration = .seconds(2)
  /// The pause after a question that could not be sent.
  private static let sendPause: Duration = .seconds(1)

  private struct State {
    var table: LivenessTable
    var isStopped = false
    /// Whether the network is to be asked who is there.
    var asksEverybody = false
    var thread: POSIXThread?
  }

  private let type: ServiceType
  private let handler: @Sendable (DiscoveryEvent) -> Void
  private let onText: @Sendable (ServiceInstance, [UInt8]) -> Void
  private let wakeUp: WakeUp
  private let state: Mutex<State>

  /// Begins to listen for services of a type; `handler` gets the events, one at a time, and `onText` every TXT record that is heard.
  init(
    _ type: ServiceType, own: ServiceInstance?, onText: @escaping @Sendable (ServiceInstance, [UInt8]) -> Void,
    _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) throws(SystemCallFailure) {
    var random = SystemRandomNumberGenerator()
    self.type = type
    self.onText = onText
    self.handler = handler
    wakeUp = try WakeUp()
    state = Mutex(State(table: LivenessTable(own: own, seed: random.next())))
    let thread = try POSIXThread(named: "sharedworld-sl") { [self] in run() }
    state.withLock { $0.thread = thread }
  }

  /// Takes an event of the back-end.
  func pass(_ event: DiscoveryEvent) {
    let now = ContinuousClock.now
    report { state in
      // A responder in this process starts with an empty memory, and one that has just announced itself answers it only later;
      // the memory of the daemon may be full.
      if case .available = event { state.asksEverybody = true }
      return state.table.take(event, at: now)
    }
    wakeUp.signal()
  }

  /// Asks a service whether it is there, because a dial has failed.
  func reconfirm(_ instance: ServiceInstance) {
    state.withLock { $0.table.reconfirm(instance, at: .now) }
    wakeUp.signal()
  }

  /// The machine that told first of a service; nil when it was not heard.
  func source(of instance: ServiceInstance) -> SocketAddress.Host? { state.withLock { $0.table.sources[instance] } }

  /// Ends the thread; afterwards the handler is not called.
  ///
  /// Idempotent.
  func stop() {
    let thread = state.withLock { state in
      state.isStopped = true
      return state.thread.take()
    }
    wakeUp.signal()
    thread?.finish()
  }

  /// Changes the state and hands its events on, in the order of the changes.
  private func report(_ change: (inout State) -> [DiscoveryEvent]) {
    state.withLock { state in
      guard !state.isStopped else { return }
      for event in change(&state) { handler(event) }
    }
  }

  // MARK: The thread

  private func run() {
    let (ear, news) = (MulticastEar(), AddressNews())
    ear.open()
    var resting: ContinuousClock.Instant?
    var pace = NetworkPace()
    while !state.withLock({ $0.isStopped }) {
      pace.keep()
      let due = ear.isComplete ? state.withLock { $0.table.deadline }.map { max($0, resting ?? $0) } : nil
      wait(for: ear, news: news, until: due)
      let now = ContinuousClock.now
      if takeRequest() {
        ear.ask(MulticastMessage.question(for: [type.labels], .pointer), until: now + Self.answerTime)
      }
      ear.receive(at: now) { take($0, from: $1, isAnswer: $2, at: now) }
      // Work that these messages have made due is done in the next turn.
      guard ear.isComplete, let due, due <= now else { continue }
      if ear.hasMissedMessages() { state.withLock { $0.table.missMessages(at: now) } }
      resting = ask(through: ear, at: now) ? nil : now + Self.sendPause
      report { $0.table.expire(at: now) }
    }
  }

  /// Whether the network is to be asked who is there, once for each request.
  private func takeRequest() -> Bool {
    state.withLock { state in
      defer { state.asksEverybody = false }
      return state.asksEverybody
    }
  }

  /// Waits for a message, for news of the addresses, for a wake-up, or until something is due.
  private func wait(for ear: MulticastEar, news: AddressNews?, until due: ContinuousClock.Instant?) {
    let own = [wakeUp.descriptor, news?.descriptor ?? -1]
    var descriptors = (own + ear.descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    poll(&descriptors, nfds_t(descriptors.count), milliseconds(until: [due, ear.deadline].compactMap(\.self).min()))
    wakeUp.reset()
    if let news, descriptors[1].revents != 0 {
      news.drain()
      ear.open()
    }
  }

  private func take(
    _ message: ArraySlice<UInt8>, from sender: SocketAddress.Host, isAnswer: Bool, at now: ContinuousClock.Instant
  ) {
    let heard = MulticastMessage.records(in: message).compactMap { record in
      record.instance(of: type).map { (record, $0) }
    }
    guard !heard.isEmpty else { return }
    report { state in heard.flatMap { state.table.take($0, of: $1, from: sender, isAnswer: isAnswer, at: now) } }
    for (record, instance) in heard where record.type == .text && record.lifetime > 0 { onText(instance, record.data) }
  }

  /// Puts the questions that are due; returns whether they could be sent.
  private func ask(through ear: MulticastEar, at now: ContinuousClock.Instant) -> Bool {
    let instances = state.withLock { $0.table.questions(at: now) }
    guard !instances.isEmpty else { return true }
    guard ear.send(MulticastMessage.question(for: instances.map(\.labels), .service)) else { return false }
    state.withLock { $0.table.asked(instances, at: now) }
    return true
  }
}

extension LivenessTable {
  /// Takes a record of a service from the network.
  fileprivate mutating func take(
    _ record: MulticastRecord, of instance: ServiceInstance, from sender: SocketAddress.Host, isAnswer: Bool,
    at now: Instant
  ) -> [DiscoveryEvent] {
    guard record.lifetime > 0 else {
      if record.type == .pointer { hearGoodbye(instance, at: now) }
      return []
    }
    sources.add(instance, of: sender.machine)
    guard record.type == .text else { return hear(instance, at: now) }
    let info = DiscoveryInfo(parsing: record.data)
    return isAnswer ? answer(instance, info, at: now) : overhear(instance, info, at: now)
  }
}
