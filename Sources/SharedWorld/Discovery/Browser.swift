import Basics
import ServiceDiscovery

/// Finds services of one type on the network, without a session: for an app that shows what is near before it joins.
///
/// Each iterator browses on its own and stops when it is dropped or its task is cancelled.
///
///     for await event in Browser(service: "sharedworld") { print(event) }
public struct Browser: AsyncSequence, Hashable, Sendable {
  /// An event of a browser.
  @nonexhaustive
  public enum Event: Hashable, Sendable {
    /// A service appeared, or told more of itself.
    case found(Candidate)
    /// A service disappeared.
    case lost(Candidate)
    /// Discovery works, through the named back-end.
    case available(backend: String)
    /// Discovery does not work now; it goes on by itself once it can.
    case unavailable(reason: String)
  }

  private let type: ServiceType
  private let source: DiscoverySource

  /// A browser that has not started yet.
  ///
  /// - Parameters:
  ///   - service: The DNS-SD service type without underscore: 1–15 letters, digits and hyphens (RFC 6335 §5.1).
  ///   - discovery: Which back-end to use.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a type that is not allowed.
  public init(service: String, discovery: DiscoveryMode = .automatic) throws(SessionError) {
    try self.init(service, .machine(discovery))
  }

  /// A browser of a network in memory that has not started yet.
  ///
  /// - Parameters:
  ///   - service: The service type, as on a real network.
  ///   - network: The network that the tests' sessions are on.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a type that is not allowed.
  public init(service: String, on network: MemoryNetwork) throws(SessionError) {
    try self.init(service, .memory(network))
  }

  private init(_ service: String, _ source: DiscoverySource) throws(SessionError) {
    do {
      type = try ServiceType(service)
    } catch {
      throw SessionError(.invalidArgument, "\(error)", cause: error)
    }
    self.source = source
  }

  /// Asks the network where a service is, whether it was found by this browser or not.
  ///
  /// ``InvitationTarget/service(_:by:)`` invites it into a session.
  /// - Parameters:
  ///   - candidate: the name of the service.
  ///   - timeout: how long to wait.
  /// - Returns: the addresses at which it can be dialled, the most promising first.
  /// - Throws: ``SessionError`` with the code `unreachable` when nobody answers for it, `invalidArgument`,
  ///   `discoveryUnavailable` or `cancelled`.
  public func resolve(
    _ candidate: Candidate.ID, timeout: Duration = .seconds(5)
  ) async throws(SessionError) -> [PeerAddress] {
    try await addresses(of: candidate, timeout: timeout).map { PeerAddress($0) }
  }

  func addresses(of candidate: Candidate.ID, timeout: Duration) async throws(SessionError) -> [SocketAddress] {
    let discovery = source.make()
    defer { discovery.stop() }
    do {
      try discovery.start(browsing: nil, advertising: nil) { _ in }
      return try await discovery.resolve(try ServiceInstance(name: candidate, type: type), timeout: timeout)
    } catch DiscoveryError.resolutionTimedOut {
      throw SessionError(.unreachable, "nobody answers for \(candidate); it may have left the network")
    } catch {
      throw SessionError(discovery: error)
    }
  }

  /// Starts browsing.
  public func makeAsyncIterator() -> Iterator {
    Iterator(BrowserRun(type, source.make()))
  }

  /// The events of a browser, in order.
  public struct Iterator: AsyncIteratorProtocol {
    private let run: BrowserRun
    private var events: AsyncStream<Event>.Iterator

    init(_ run: BrowserRun) {
      self.run = run
      events = run.events.makeAsyncIterator()
    }

    /// The next event; nil when the task was cancelled.
    public mutating func next() async -> Event? {
      await events.next()
    }
  }
}

/// One run of a browser; dropping it ends the discovery.
final class BrowserRun: Sendable {
  /// Events that wait at once; a network has far fewer services.
  private static let capacity = 4096

  let events: AsyncStream<Browser.Event>
  private let discovery: Discovery

  init(_ type: ServiceType, _ discovery: Discovery) {
    let (events, continuation) = AsyncStream.makeStream(
      of: Browser.Event.self, bufferingPolicy: .bufferingOldest(Self.capacity))
    self.events = events
    self.discovery = discovery
    do {
      try discovery.start(browsing: type, advertising: nil) { event in
        if let event = Browser.Event(event) { continuation.yield(event) }
      }
    } catch {
      continuation.yield(.unavailable(reason: "\(error)"))
    }
  }

  deinit {
    discovery.stop()
  }
}

extension Browser.Event {
  init?(_ event: DiscoveryEvent) {
    switch event {
    case .advertised: return nil
    case .found(let instance, let info), .updated(let instance, let info):
      self = .found(
        Candidate(id: instance.name, DiscoveryRecord(reading: info), peer: nil, ways: [.multicastDNS]))
    case .lost(let instance): self = .lost(Candidate(id: instance.name, name: nil, peer: nil))
    case .available(let backend): self = .available(backend: backend)
    case .unavailable(let reason): self = .unavailable(reason: reason)
    }
  }
}
