internal import Basics

/// The back-end of a library that was built without Avahi: peers are named by address.
final class AbsentBackend: DiscoveryBackend {
  private static let reason =
    "discovery needs the trait Avahi, without which this library was built; add it to the traits of the dependency on "
    + "SharedWorld, or connect by address"

  func start(
    browsing type: ServiceType?, advertising advertisement: Advertisement?,
    _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) throws(DiscoveryError) {
    throw .unavailable(reason: Self.reason)
  }

  func updateInfo(_ info: DiscoveryInfo) {}
  func hear(_ data: [UInt8], of instance: ServiceInstance) {}

  func resolve(
    _ instance: ServiceInstance, timeout: Duration
  ) async throws(DiscoveryError) -> [SocketAddress] {
    throw .unavailable(reason: Self.reason)
  }

  func stop() {}
}
