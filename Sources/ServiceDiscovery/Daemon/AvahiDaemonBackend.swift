#if Avahi
package import Basics

/// Discovery through Avahi's daemon, which shares its cache among all apps of the machine.
///
/// A daemon that is missing or dies is reported as ``DiscoveryEvent/unavailable(reason:)`` and awaited.
package final class AvahiDaemonBackend: DiscoveryBackend {
  private let worker = BackendWorker<DaemonConnection>()
  private let surrender: DaemonConnection.Surrender?

  /// A back-end that waits for the daemon without a limit.
  package init() { surrender = nil }

  /// A back-end that ends, calling `surrender.handler`, when the daemon cannot be reached.
  init(surrender: DaemonConnection.Surrender) { self.surrender = surrender }

  package func start(
    browsing type: ServiceType?, advertising advertisement: Advertisement?,
    _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) throws(DiscoveryError) {
    try worker.start { [surrender] mailbox throws(DiscoveryError) in
      DaemonConnection(
        mailbox: mailbox, browsing: type, advertising: advertisement, surrender: surrender, handler)
    }
  }

  package func updateInfo(_ info: DiscoveryInfo) {
    worker.post { $0.updateInfo(info) }
  }

  package func hear(_ data: [UInt8], of instance: ServiceInstance) { worker.hear(data, of: instance) }

  package func resolve(
    _ instance: ServiceInstance, timeout: Duration
  ) async throws(DiscoveryError) -> [SocketAddress] {
    try await worker.resolve(instance, timeout: timeout)
  }

  package func stop() { worker.stop() }
}
#endif
