import ServiceDiscovery

/// Shows a service on the network, without a session: for an app that listens by other means.
///
/// A ``Session`` advertises itself; it needs none of these. The service disappears with ``stop()`` or when the
/// advertiser is dropped.
public final class Advertiser: Sendable {
  /// An event of an advertiser.
  @nonexhaustive
  public enum Event: Hashable, Sendable {
    /// The service is on the network under this name: ``Advertiser/id``, or that with a number because somebody else had it
    /// first (RFC 6762 §9), which can come at any time.
    case advertised(Candidate.ID)
    /// Discovery works, through the named back-end.
    case available(backend: String)
    /// Discovery does not work now; it goes on by itself once it can.
    case unavailable(reason: String)
  }

  /// Events that wait for a reader at once; the oldest are dropped.
  private static let capacity = 64

  /// The random name it asks for.
  public let id: Candidate.ID
  /// The events, for one reader.
  public let events: AsyncStream<Event>

  private let discovery: Discovery
  private let record: DiscoveryRecord

  /// Starts advertising.
  ///
  /// - Parameters:
  ///   - service: The DNS-SD service type without underscore: 1–15 letters, digits and hyphens (RFC 6335 §5.1).
  ///   - port: The TCP port the service listens on.
  ///   - name: The name that people are shown, at most 63 bytes of UTF-8; nil shows none.
  ///   - info: The app's own keys and values, as in ``Session/Configuration/Advertising/info``.
  ///   - mode: Which back-end to use.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a type or keys that are not allowed,
  ///   `discoveryUnavailable` when no back-end can start.
  public convenience init(
    service: String, port: UInt16, name: String? = nil, info: [String: String] = [:],
    discovery mode: DiscoveryMode = .automatic
  ) throws(SessionError) {
    try self.init(service, port, name, info, .machine(mode))
  }

  /// Starts advertising on a network in memory.
  ///
  /// - Parameters:
  ///   - service: The service type, as on a real network.
  ///   - port: The port of a session on that network: ``Session/port``.
  ///   - name: The name that people are shown, at most 63 bytes of UTF-8; nil shows none.
  ///   - info: The app's own keys and values.
  ///   - network: The network that the tests' sessions are on.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a type or keys that are not allowed.
  public convenience init(
    service: String, port: UInt16, name: String? = nil, info: [String: String] = [:], on network: MemoryNetwork
  ) throws(SessionError) {
    try self.init(service, port, name, info, .memory(network))
  }

  private init(
    _ service: String, _ port: UInt16, _ name: String?, _ info: [String: String], _ source: DiscoverySource
  ) throws(SessionError) {
    id = DiscoveryRecord.randomName()
    let (events, continuation) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(Self.capacity))
    self.events = events
    var record = DiscoveryRecord(showing: name)
    record.appInfo = info
    self.record = record
    do {
      let instance = try ServiceInstance(name: id, type: try ServiceType(service))
      discovery = source.make()
      try discovery.start(
        browsing: nil, advertising: Advertisement(instance: instance, port: port, info: try record.info())
      ) { event in
        if let event = Event(event) { continuation.yield(event) }
      }
    } catch {
      throw SessionError(discovery: error)
    }
  }

  deinit {
    discovery.stop()
  }

  /// Tells something else of the app.
  ///
  /// - Throws: ``SessionError`` with the code `invalidArgument` for keys that are not allowed; the old ones stay.
  public func setInfo(_ info: [String: String]) throws(SessionError) {
    var record = record
    record.appInfo = info
    do {
      discovery.updateInfo(try record.info())
    } catch {
      throw SessionError(discovery: error)
    }
  }

  /// Takes the service off the network.
  public func stop() {
    discovery.stop()
  }
}

extension Advertiser.Event {
  init?(_ event: DiscoveryEvent) {
    switch event {
    case .advertised(let instance): self = .advertised(instance.name)
    case .available(let backend): self = .available(backend: backend)
    case .unavailable(let reason): self = .unavailable(reason: reason)
    case .found, .updated, .lost: return nil
    }
  }
}
