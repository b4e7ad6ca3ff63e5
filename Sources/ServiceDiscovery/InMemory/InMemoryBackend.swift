package import Basics
internal import Synchronization

/// A back-end without a network, for tests: it finds the others on the same ``InMemoryNetwork``.
package final class InMemoryBackend: DiscoveryBackend {
  private enum State {
    case idle
    case running(Int)
    case stopped
  }

  private let network: InMemoryNetwork
  private let addresses: [[UInt8]]
  private let state = Mutex(State.idle)

  /// A back-end on `network` whose service answers at `addresses` (4 or 16 bytes each).
  package init(network: InMemoryNetwork, addresses: [[UInt8]] = [[127, 0, 0, 1]]) {
    self.network = network
    self.addresses = addresses
  }

  package func start(
    browsing type: ServiceType?, advertising advertisement: Advertisement?,
    _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) throws(DiscoveryError) {
    switch state.withLock({ $0 }) {
    case .idle: break
    case .running: throw .alreadyStarted
    case .stopped: throw .stopped
    }
    let id = network.join(browsing: type, advertising: advertisement, addresses: addresses, handler)
    state.withLock { $0 = .running(id) }
  }

  package func updateInfo(_ info: DiscoveryInfo) {
    guard case .running(let id) = state.withLock({ $0 }) else { return }
    network.update(info, of: id)
  }

  /// Answers at once: an instance that the network does not know has timed out.
  package func resolve(
    _ instance: ServiceInstance, timeout: Duration
  ) async throws(DiscoveryError) -> [SocketAddress] {
    guard case .running = state.withLock({ $0 }) else { throw .stopped }
    let endpoints = network.endpoints(of: instance)
    guard !endpoints.isEmpty else { throw .resolutionTimedOut(instance) }
    return endpoints
  }

  package func stop() { leave(sayingGoodbye: true) }

  /// Vanishes as a killed process does: the service stays on the network, and nobody answers there.
  package func crash() { leave(sayingGoodbye: false) }

  private func leave(sayingGoodbye saysGoodbye: Bool) {
    let former = state.withLock { state in
      defer { state = .stopped }
      return state
    }
    guard case .running(let id) = former else { return }
    network.leave(id, saysGoodbye: saysGoodbye)
  }
}
