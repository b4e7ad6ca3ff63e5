package import Basics
internal import Synchronization

/// A multicast DNS responder inside this process (avahi-core): needs no daemon and no D-Bus.
///
/// Any number of them work on one machine, beside each other and beside Avahi's daemon. avahi-core's log is switched
/// off for the whole process.
package final class EmbeddedBackend: DiscoveryBackend {
  /// The name in ``DiscoveryEvent/available(backend:)``.
  static let name = "embedded"

  private let worker = BackendWorker<EmbeddedStarter>()

  /// A back-end that has not started.
  package init() {}

  package func start(
    browsing type: ServiceType?, advertising advertisement: Advertisement?,
    _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) throws(DiscoveryError) {
    try worker.start { mailbox throws(DiscoveryError) in
      EmbeddedStarter(mailbox: mailbox, browsing: type, advertising: advertisement, handler)
    }
  }

  package func updateInfo(_ info: DiscoveryInfo) {
    worker.post { $0.updateInfo(info) }
  }

  package func resolve(
    _ instance: ServiceInstance, timeout: Duration
  ) async throws(DiscoveryError) -> [SocketAddress] {
    try await worker.resolve(instance, timeout: timeout)
  }

  package func stop() { worker.stop() }
}
