/// Turns the raw reports of a browser into events, asking for the TXT record of everything that appears.
///
/// It is confined to the thread of its back-end.
final class ServiceWatch {
  private var table: ServiceTable
  /// The name last reported to the owner; `nil` while we are not on the network.
  private var advertised: ServiceInstance?
  private let maximumQueries: Int
  private let ask: AskForRecords
  private let handler: (DiscoveryEvent) -> Void
  private lazy var questions = TextQuestions(places: maximumQueries, ask: ask) { [unowned self] instance, data in
    report { $0.setInfo(DiscoveryInfo(parsing: data), of: instance) }
  }

  /// Keeps at most `maximumQueries` TXT questions open; `own` is the name that we want for ourselves.
  init(
    own: ServiceInstance?, maximumQueries: Int, ask: @escaping AskForRecords,
    _ handler: @escaping (DiscoveryEvent) -> Void
  ) {
    table = ServiceTable(own: own)
    self.maximumQueries = maximumQueries
    self.ask = ask
    self.handler = handler
  }

  /// When ``expire(at:)`` must be called next.
  var deadline: ContinuousClock.Instant? { questions.deadline }

  /// Puts the questions that are due.
  func expire(at now: ContinuousClock.Instant) { questions.expire(at: now) }

  /// Takes a report that `instance` is on an interface.
  func add(_ instance: ServiceInstance, interface: UInt32, at now: ContinuousClock.Instant) {
    if table.add(instance, interface: interface) { questions.begin(instance, at: now) }
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

  private func report(_ change: (inout ServiceTable) -> [DiscoveryEvent]) {
    for event in change(&table) { handler(event) }
  }
}
