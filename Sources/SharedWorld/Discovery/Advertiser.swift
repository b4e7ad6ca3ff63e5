import ServiceDiscovery

/// Shows a service on the network, without a session: for an app that listens by other means.
///
/// A ``Session`` advertises itself; it needs none of these. The service disappears with ``stop()`` or when the
/// advertiser is dropped.
public final class Advertiser: Sendable {
  /// The random name it advertises under.
  ///
  /// mDNS may add a number to it when somebody else took it first (RFC 6762 §9).
  public let id: Candidate.ID

  private let discovery: Discovery

  /// Starts advertising.
  ///
  /// - Parameters:
  ///   - service: The DNS-SD service type without underscore: 1–15 letters, digits and hyphens (RFC 6335 §5.1).
  ///   - port: The TCP port the service listens on.
  ///   - name: The name that people are shown, at most 63 bytes of UTF-8; nil shows none.
  ///   - mode: Which back-end to use.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a type that is not allowed, `discoveryUnavailable`
  ///   when no back-end can start.
  public init(
    service: String, port: UInt16, name: String? = nil, discovery mode: DiscoveryMode = .automatic
  ) throws(SessionError) {
    id = DiscoveryRecord.randomName()
    do {
      let instance = try ServiceInstance(name: id, type: try ServiceType(service))
      let info = try DiscoveryRecord(showing: name).info()
      discovery = Discovery(mode: mode)
      try discovery.start(
        browsing: nil, advertising: Advertisement(instance: instance, port: port, info: info)
      ) { _ in }
    } catch {
      throw SessionError(discovery: error)
    }
  }

  deinit {
    discovery.stop()
  }

  /// Takes the service off the network.
  public func stop() {
    discovery.stop()
  }
}
