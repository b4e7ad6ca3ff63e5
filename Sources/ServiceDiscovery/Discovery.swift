package import Basics
internal import Synchronization

/// Discovery as an app asks for it: chooses the back-end for a ``DiscoveryMode`` and changes it when it must.
///
/// ``DiscoveryMode/automatic`` uses Avahi's daemon. Without one, three seconds after it has died and not come back, or when it
/// hangs, the embedded back-end takes over and stays.
package final class Discovery: DiscoveryBackend {
  /// How long a daemon that has died may stay away.
  package static let patience: Duration = .seconds(3)
  /// The name of the back-end in this process in ``DiscoveryEvent/available(backend:)``.
  static let embeddedName = "embedded"

  /// A back-end and the way of its events.
  private struct Source {
    let backend: any DiscoveryBackend
    let gate: EventGate
  }

  private struct State {
    var isStarted = false
    var isStopped = false
    /// The last one is in use; a predecessor has given up and is retained so that it can be stopped.
    var sources: [Source] = []
    var advertisement: Advertisement?
    /// The watch over the daemon, while that is in use.
    var watch: DaemonWatch?
    /// Stands before the handler while services are looked for.
    var monitor: LivenessMonitor?
    /// Looks services up beside the back-end, from the first look-up on.
    var direct: BackendWorker<DirectResolver>?
  }

  private let mode: DiscoveryMode
  /// The only back-end, where it is none of this module's.
  private let own: (any DiscoveryBackend)?
  private let pulse: @Sendable () -> DaemonPulse
  private let state = Mutex(State())

  /// Discovery that has not started.
  package convenience init(mode: DiscoveryMode) { self.init(mode: mode, pulse: { .take() }) }

  /// Discovery that asks `pulse` whether the daemon hangs.
  init(mode: DiscoveryMode, pulse: @escaping @Sendable () -> DaemonPulse) {
    #if Avahi
    (self.mode, self.pulse, own) = (mode, pulse, nil)
    #else
    (self.mode, self.pulse, own) = (.none, pulse, mode == .none ? nil : AbsentBackend())
    #endif
  }

  /// Discovery by another back-end alone.
  package init(by backend: any DiscoveryBackend) {
    (mode, pulse, own) = (.none, { .take() }, backend)
  }

  package func start(
    browsing type: ServiceType?, advertising advertisement: Advertisement?,
    _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) throws(DiscoveryError) {
    // Without one, what the back-end says is passed on as it is.
    let monitor = mode == .none ? nil : type.flatMap { makeMonitor($0, own: advertisement?.instance, handler) }
    let handler: @Sendable (DiscoveryEvent) -> Void = { event in monitor.map { $0.pass(event) } ?? handler(event) }
    let source = makeBackend(browsing: type, handler).map { Source(backend: $0, gate: EventGate(handler)) }
    let error: DiscoveryError? = state.withLock { state in
      guard !state.isStopped else { return .stopped }
      guard !state.isStarted else { return .alreadyStarted }
      state.isStarted = true
      (state.advertisement, state.monitor) = (advertisement, monitor)
      if let source { state.sources.append(source) }
      return nil
    }
    if let error {
      monitor?.stop()
      throw error
    }
    guard let source else { return }
    try Self.start(source, browsing: type, advertising: advertisement)
    watchDaemon(browsing: type, behind: source.gate, handler)
  }

  private func makeMonitor(
    _ type: ServiceType, own: ServiceInstance?, _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) -> LivenessMonitor? {
    try? LivenessMonitor(type, own: own, onText: { [weak self] in self?.hear($1, of: $0) }, handler)
  }

  private func makeBackend(
    browsing type: ServiceType?, _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) -> (any DiscoveryBackend)? {
    #if Avahi
    switch mode {
    case .none: own
    case .avahi: AvahiDaemonBackend()
    case .embedded: Self.makeEmbedded()
    case .automatic:
      AvahiDaemonBackend(
        surrender: DaemonConnection.Surrender(patience: Self.patience) { [weak self] in
          self?.fallBack(browsing: type, handler)
        })
    }
    #else
    own
    #endif
  }

  private static func makeEmbedded() -> any DiscoveryBackend {
    #if Avahi
    EmbeddedBackend(listeningFor: .milliseconds(.random(in: TextQuestions.listening)))
    #else
    AbsentBackend()
    #endif
  }

  package func updateInfo(_ info: DiscoveryInfo) {
    let backend = state.withLock { state in
      state.advertisement?.info = info
      return state.sources.last?.backend
    }
    backend?.updateInfo(info)
  }

  package func hear(_ data: [UInt8], of instance: ServiceInstance) {
    state.withLock { $0.sources.last?.backend }?.hear(data, of: instance)
  }

  package func resolve(
    _ instance: ServiceInstance, timeout: Duration
  ) async throws(DiscoveryError) -> [SocketAddress] {
    let (backend, isStopped) = state.withLock { ($0.sources.last?.backend, $0.isStopped) }
    guard !isStopped else { throw .stopped }
    guard let backend else { throw .unavailable(reason: "discovery is switched off") }
    guard own == nil, let direct = directResolver() else {
      return try await backend.resolve(instance, timeout: timeout)
    }
    return try await BothLookUps.first(
      of: { () async throws(DiscoveryError) in try await backend.resolve(instance, timeout: timeout) },
      beside: { () async throws(DiscoveryError) in try await direct.resolve(instance, timeout: timeout) })
  }

  /// The worker of look-ups beside the back-end; nil where the system gives no thread.
  private func directResolver() -> BackendWorker<DirectResolver>? {
    state.withLock { state in
      guard !state.isStopped, state.direct == nil else { return state.direct }
      let worker = BackendWorker<DirectResolver>()
      guard (try? worker.start { DirectResolver(mailbox: $0) }) != nil else { return nil }
      state.direct = worker
      return worker
    }
  }

  /// Takes the failure of every dial to a service that was found: it is reported lost, unless it answers a question within 2.5 s
  /// (RFC 6762 §10.4).
  package func reconfirm(_ instance: ServiceInstance) {
    state.withLock { $0.monitor }?.reconfirm(instance)
  }

  /// The machine that told first of a service; nil when that was not heard.
  package func source(of instance: ServiceInstance) -> SocketAddress.Host? {
    state.withLock { $0.monitor }?.source(of: instance)
  }

  package func stop() {
    let (sources, watch, monitor, direct) = state.withLock { state in
      state.isStopped = true
      defer { (state.sources, state.watch, state.monitor, state.direct) = ([], nil, nil, nil) }
      return (state.sources, state.watch, state.monitor, state.direct)
    }
    direct?.stop()
    watch?.stop()
    for source in sources {
      source.backend.stop()
      // A thread that is held may go on later.
      source.gate.close()
    }
    monitor?.stop()
  }

  // MARK: A daemon that fails

  /// Watches whether the daemon hangs, in the modes that use it.
  private func watchDaemon(
    browsing type: ServiceType?, behind gate: EventGate, _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) {
    let mode = mode
    guard mode == .automatic || mode == .avahi else { return }
    let watch = try? DaemonWatch(pulse: pulse) { [weak self] answers in
      if answers {
        gate.pass(.available(backend: "avahi"))
      } else if mode == .avahi {
        gate.pass(.unavailable(reason: Self.hangs))
      } else {
        self?.fallBack(browsing: type, handler)
      }
    }
    let isStopped = state.withLock { state in
      if !state.isStopped { state.watch = watch }
      return state.isStopped
    }
    if isStopped { watch?.stop() }
  }

  private static let hangs = "avahi-daemon does not answer; restart it: systemctl restart avahi-daemon"

  /// Replaces the daemon, on a thread that talks to it or watches it, with the embedded back-end.
  private func fallBack(
    browsing type: ServiceType?, _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) {
    let embedded = Source(backend: Self.makeEmbedded(), gate: EventGate(handler))
    let former: (source: Source, advertisement: Advertisement?)? = state.withLock { state in
      guard !state.isStopped, state.sources.count == 1 else { return nil }
      defer { state.sources.append(embedded) }
      state.watch?.stop()
      return (state.sources[0], state.advertisement)
    }
    guard let former else { return }
    // Reports of a daemon that hung are of the past when it wakes up.
    for instance in former.source.gate.close() { embedded.gate.pass(.lost(instance)) }
    do throws(DiscoveryError) {
      try Self.start(embedded, browsing: type, advertising: former.advertisement)
      // The record may have been replaced while the back-end could not take it.
      if let latest = state.withLock({ $0.advertisement }) { embedded.backend.updateInfo(latest.info) }
    } catch {
      // Stopped in the meantime: no caller waits for an answer.
      return
    }
  }

  /// Starts a back-end, reporting one that cannot work rather than failing: peers can still be named by address.
  private static func start(
    _ source: Source, browsing type: ServiceType?, advertising advertisement: Advertisement?
  ) throws(DiscoveryError) {
    do throws(DiscoveryError) {
      try source.backend.start(browsing: type, advertising: advertisement, source.gate.pass)
    } catch {
      guard case .unavailable(let reason) = error else { throw error }
      source.gate.pass(.unavailable(reason: reason))
    }
  }
}
