package import Basics
internal import Synchronization

/// Discovery as an app asks for it: chooses the back-end for a ``DiscoveryMode`` and changes it when it must.
///
/// ``DiscoveryMode/automatic`` uses Avahi's daemon. Without one, three seconds after it has died and not come back, or when it
/// hangs, the embedded back-end takes over and stays.
package final class Discovery: DiscoveryBackend {
  /// How long a daemon that has died may stay away.
  package static let patience: Duration = .seconds(3)

  private struct State {
    var isStarted = false
    var isStopped = false
    /// The last one is in use; a predecessor has given up and is retained so that it can be stopped.
    var backends: [any DiscoveryBackend] = []
    var advertisement: Advertisement?
    /// The watch over the daemon, while that is in use.
    var watch: DaemonWatch?
  }

  private let mode: DiscoveryMode
  private let pulse: @Sendable () -> DaemonPulse
  private let state = Mutex(State())

  /// Discovery that has not started.
  package convenience init(mode: DiscoveryMode) { self.init(mode: mode, pulse: { .take() }) }

  /// Discovery that asks `pulse` whether the daemon hangs.
  init(mode: DiscoveryMode, pulse: @escaping @Sendable () -> DaemonPulse) {
    (self.mode, self.pulse) = (mode, pulse)
  }

  package func start(
    browsing type: ServiceType?, advertising advertisement: Advertisement?,
    _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) throws(DiscoveryError) {
    let gate = EventGate(handler)
    let backend: (any DiscoveryBackend)? =
      switch mode {
      case .none: nil
      case .avahi: AvahiDaemonBackend()
      case .embedded: EmbeddedBackend()
      case .automatic:
        AvahiDaemonBackend(
          surrender: DaemonConnection.Surrender(patience: Self.patience) { [weak self] in
            self?.fallBack(browsing: type, behind: gate, handler)
          })
      }
    let error: DiscoveryError? = state.withLock { state in
      guard !state.isStopped else { return .stopped }
      guard !state.isStarted else { return .alreadyStarted }
      state.isStarted = true
      state.advertisement = advertisement
      if let backend { state.backends.append(backend) }
      return nil
    }
    if let error { throw error }
    guard let backend else { return }
    try Self.start(backend, browsing: type, advertising: advertisement, gate.pass)
    watchDaemon(browsing: type, behind: gate, handler)
  }

  package func updateInfo(_ info: DiscoveryInfo) {
    let backend = state.withLock { state in
      state.advertisement?.info = info
      return state.backends.last
    }
    backend?.updateInfo(info)
  }

  package func resolve(
    _ instance: ServiceInstance, timeout: Duration
  ) async throws(DiscoveryError) -> [SocketAddress] {
    let (backend, isStopped) = state.withLock { ($0.backends.last, $0.isStopped) }
    guard !isStopped else { throw .stopped }
    guard let backend else { throw .unavailable(reason: "discovery is switched off") }
    return try await backend.resolve(instance, timeout: timeout)
  }

  package func stop() {
    let (backends, watch) = state.withLock { state in
      state.isStopped = true
      defer { (state.backends, state.watch) = ([], nil) }
      return (state.backends, state.watch)
    }
    watch?.stop()
    for backend in backends { backend.stop() }
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
        self?.fallBack(browsing: type, behind: gate, handler)
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
    browsing type: ServiceType?, behind gate: EventGate, _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) {
    let embedded = EmbeddedBackend()
    let advertisement: Advertisement?? = state.withLock { state in
      guard !state.isStopped, state.backends.count == 1 else { return nil }
      state.backends.append(embedded)
      state.watch?.stop()
      return .some(state.advertisement)
    }
    guard let advertisement else { return }
    // What a daemon that hangs says when it wakes up is of the past.
    for instance in gate.close() { handler(.lost(instance)) }
    do throws(DiscoveryError) {
      try Self.start(embedded, browsing: type, advertising: advertisement, handler)
      // The record may have been replaced while the back-end could not take it.
      if let latest = state.withLock({ $0.advertisement }) { embedded.updateInfo(latest.info) }
    } catch {
      // Stopped in the meantime: no caller waits for an answer.
      return
    }
  }

  /// Starts a back-end, reporting one that cannot work rather than failing: peers can still be named by address.
  private static func start(
    _ backend: any DiscoveryBackend, browsing type: ServiceType?, advertising advertisement: Advertisement?,
    _ handler: @Sendable @escaping (DiscoveryEvent) -> Void
  ) throws(DiscoveryError) {
    do throws(DiscoveryError) {
      try backend.start(browsing: type, advertising: advertisement, handler)
    } catch {
      guard case .unavailable(let reason) = error else { throw error }
      handler(.unavailable(reason: reason))
    }
  }
}
