package import Basics

/// An event of a back-end.
package enum DiscoveryEvent: Hashable, Sendable {
  /// Our service is on the network under this name; sent again after a conflict has renamed it.
  case advertised(ServiceInstance)

  /// Somebody else's service has appeared, with its TXT record.
  case found(ServiceInstance, DiscoveryInfo)

  /// The TXT record of a service that was found has changed.
  case updated(ServiceInstance, DiscoveryInfo)

  /// A service has said goodbye, has expired, or the back-end that saw it has lost the network.
  case lost(ServiceInstance)

  /// The named back-end has begun to work.
  case available(backend: String)

  /// Discovery does not work now; the reason is for people.
  ///
  /// The back-end awaits what is missing: a daemon, an interface, a port that another program holds.
  case unavailable(reason: String)
}

/// The back-end that an app asks for.
public enum DiscoveryMode: String, Hashable, Sendable, CaseIterable {
  /// Avahi's daemon, or the embedded back-end when there is no daemon.
  case automatic = "auto"
  /// Avahi's daemon only; waits for it when it is missing.
  case avahi
  /// mDNS in this process, without any daemon.
  case embedded
  /// Not at all: connections are made by hand.
  case none
}

/// Advertises one service and watches for others of one type.
///
/// A back-end is started once and stopped once. The handler is called from a thread of the back-end, one call at a
/// time and in order; it must not block and must not call the back-end. The own instance is never reported as found.
package protocol DiscoveryBackend: AnyObject, Sendable {
  /// Begins to watch for `type` and to publish `advertisement`; either may be `nil`.
  func start(
    browsing type: ServiceType?, advertising advertisement: Advertisement?,
    _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) throws(DiscoveryError)

  /// Replaces the TXT record of the advertisement.
  func updateInfo(_ info: DiscoveryInfo)

  /// Takes the TXT record of a service that was heard beside the back-end, which then need not ask for it.
  func hear(_ data: [UInt8], of instance: ServiceInstance)

  /// Asks the network where `instance` is, over all interfaces, and never answers from memory of its own.
  ///
  /// Returns at least one endpoint, each once, in the order in which it is best to try them.
  func resolve(_ instance: ServiceInstance, timeout: Duration) async throws(DiscoveryError) -> [SocketAddress]

  /// Says goodbye, ends the threads and the pending resolutions; afterwards the handler is not called. Idempotent.
  func stop()
}
