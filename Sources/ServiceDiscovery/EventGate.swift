internal import Synchronization

/// The way of the events of a back-end until it is given up: nothing comes from one that hangs and wakes up later.
final class EventGate: Sendable {
  private struct State {
    var isOpen = true
    /// The services that were found and not lost.
    var found: Set<ServiceInstance> = []
  }

  private let state = Mutex(State())
  private let handler: @Sendable (DiscoveryEvent) -> Void

  init(_ handler: @escaping @Sendable (DiscoveryEvent) -> Void) { self.handler = handler }

  /// Passes an event on, unless the gate is closed.
  func pass(_ event: DiscoveryEvent) {
    state.withLock { state in
      guard state.isOpen else { return }
      switch event {
      case .found(let instance, _): state.found.insert(instance)
      case .lost(let instance): state.found.remove(instance)
      case .advertised, .updated, .available, .unavailable: break
      }
      // Inside the lock, so that nothing is on its way when the gate is closed.
      handler(event)
    }
  }

  /// Lets nothing pass any more, and returns the services that are as good as lost.
  @discardableResult
  func close() -> Set<ServiceInstance> {
    state.withLock { state in
      state.isOpen = false
      defer { state.found = [] }
      return state.found
    }
  }
}
