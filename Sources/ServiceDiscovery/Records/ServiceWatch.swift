/// Turns the raw reports of a browser into events, asking for the TXT record of everything that appears.
///
/// It is confined to the thread of its back-end.
final class ServiceWatch {
  private var table: ServiceTable
  /// The name last reported to the owner; `nil` while we are not on the network.
  private var advertised: ServiceInstance?
  private let maximumQueries: Int
  private let ask: AskForRecords
  private let listeningTime: Duration
  private let handler: (DiscoveryEvent) -> Void
  /// Records that were heard before the browser has reported their service.
  private var early = EarlyTexts()
  private lazy var questions = TextQuestions(places: maximumQueries, listeningFor: listeningTime, ask: ask) {
    [unowned self] instance, data in take(data, of: instance)
  }

  /// Keeps at most `maximumQueries` TXT questions open; `own` is the name that we want for ourselves.
  ///
  /// It listens for `listeningTime` before it asks, which is worth it where many start with an empty memory at once.
  init(
    own: ServiceInstance?, maximumQueries: Int, listeningTime: Duration = .zero, ask: @escaping AskForRecords,
    _ handler: @escaping (DiscoveryEvent) -> Void
  ) {
    table = ServiceTable(own: own)
    self.maximumQueries = maximumQueries
    self.listeningTime = listeningTime
    self.ask = ask
    self.handler = handler
  }

  /// When ``expire(at:)`` must be called next.
  var deadline: ContinuousClock.Instant? { questions.deadline }

  /// Puts the questions that are due.
  func expire(at now: ContinuousClock.Instant) { questions.expire(at: now) }

  /// Takes a report that `instance` is on an interface.
  func add(_ instance: ServiceInstance, interface: UInt32, at now: ContinuousClock.Instant) {
    guard table.add(instance, interface: interface) else { return }
    guard let data = early.take(instance, at: now) else { return questions.begin(instance, at: now) }
    hear(data, of: instance, at: now)
  }

  /// Takes TXT records that were heard beside the back-end.
  func hear(_ texts: [ServiceInstance: [UInt8]], at now: ContinuousClock.Instant) {
    for (instance, data) in texts {
      if table.contains(instance) {
        hear(data, of: instance, at: now)
      } else {
        early.add(data, of: instance, at: now)
      }
    }
  }

  private func hear(_ data: [UInt8], of instance: ServiceInstance, at now: ContinuousClock.Instant) {
    questions.hear(instance, at: now)
    take(data, of: instance)
  }

  /// Takes a report that `instance` has left an interface.
  func remove(_ instance: ServiceInstance, interface: UInt32) {
    report { $0.remove(instance, interface: interface) }
    if !table.contains(instance) { questions.end(instance) }
  }

  /// Records the name under which we are advertised now, and reports a new one to the owner.
  func setOwn(_ instance: ServiceInstance) {
    guard instance != advertised else { return }
    advertised = instance
    handler(.advertised(instance))
    report { $0.setOwn(instance) }
  }

  /// Forgets everything that was found, reporting it lost, and that we were on the network.
  func removeAll() {
    advertised = nil
    questions.endAll()
    report { $0.removeAll() }
  }

  private func take(_ data: [UInt8], of instance: ServiceInstance) {
    report { $0.setInfo(DiscoveryInfo(parsing: data), of: instance) }
  }

  private func report(_ change: (inout ServiceTable) -> [DiscoveryEvent]) {
    for event in change(&table) { handler(event) }
  }
}
