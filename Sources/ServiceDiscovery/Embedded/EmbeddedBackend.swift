#if Avahi
package import Basics
internal import Synchronization

/// A multicast DNS responder inside this process (avahi-core): needs no daemon and no D-Bus.
///
/// Any number of them work on one machine, beside each other and beside Avahi's daemon. avahi-core's log is switched
/// off for the whole process.
package final class EmbeddedBackend: DiscoveryBackend {
  private let worker = BackendWorker<EmbeddedStarter>()

  private let listeningTime: Duration

  /// A back-end that has not started; it asks for a TXT record only when it was not handed it (``hear(_:of:)``) for so long.
  init(listeningFor listeningTime: Duration = .zero) { self.listeningTime = listeningTime }

  package func start(
    browsing type: ServiceType?, advertising advertisement: Advertisement?,
    _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) throws(DiscoveryError) {
    try worker.start { [listeningTime] mailbox throws(DiscoveryError) in
      EmbeddedStarter(
        mailbox: mailbox, browsing: type, advertising: advertisement, listeningFor: listeningTime, handler)
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
