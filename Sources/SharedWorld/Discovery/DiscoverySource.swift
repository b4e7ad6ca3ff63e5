import ServiceDiscovery

/// The network on which something is looked for or shown.
enum DiscoverySource: Hashable, Sendable {
  /// Those of this machine.
  case machine(DiscoveryMode)
  /// One of this process alone.
  case memory(MemoryNetwork)

  /// Discovery that has not started yet.
  func make() -> Discovery {
    switch self {
    case .machine(let mode): Discovery(mode: mode)
    case .memory(let network): Discovery(by: MemoryDiscovery(network))
    }
  }
}
