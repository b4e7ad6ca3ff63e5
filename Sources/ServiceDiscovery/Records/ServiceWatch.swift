/// Turns the raw reports of a browser into events, asking for the TXT record of everything that appears.
///
/// It is confined to the thread of its back-end.
final class ServiceWatch {
  private var table: ServiceTable
  /// The name last reported to the owner; `nil` while we are not on the network.
  private var advertised: ServiceInstance?
  private var queries: [(instance: ServiceInstance, query: any RecordQuery)] = []
  private let maximumQueries: Int
  private let ask: AskForRecords
  private let handler: (DiscoveryEvent) -> Void

  /// Keeps at most `maximumQueries` TXT questions open.
  ///
  /// Beyond that the oldest is closed and its service is no longer reported as updated. `own` is the name that we want for ourselves.
  init(
    own: ServiceInstance?, maximumQueries: Int, ask: @escaping AskForRecords,
    _ handler: @escaping (DiscoveryEvent) -> Void
  ) {
    table = ServiceTable(own: own)
    self.maximumQueries = maximumQueries
    self.ask = ask
    self.handler = handler
  }

  /// Takes a report that `instance` is on an interface.
  func add(_ instance: ServiceInstance, interface: UInt32) {
    guard table.add(instance, interface: interface) else { return }
    let query = ask(instance.recordName, .text) { [weak self] data, _ in
      self?.report { $0.setInfo(DiscoveryInfo(parsing: data), of: instance) }
    }
    guard let query else { return }
    if queries.count == maximumQueries { queries.removeFirst().query.close() }
    queries.append((instance, query))
  }

  /// Takes a report that `instance` has left an interface.
  func remove(_ instance: ServiceInstance, interface: UInt32) {
    report { $0.remove(instance, interface: interface) }
    guard !table.contains(instance), let index = queries.firstIndex(where: { $0.instance == instance }) else { return }
    queries.remove(at: index).query.close()
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
    for entry in queries { entry.query.close() }
    queries = []
    report { $0.removeAll() }
  }

  private func report(_ change: (inout ServiceTable) -> [DiscoveryEvent]) {
    for event in change(&table) { handler(event) }
  }
}
