package import Basics
internal import Synchronization

/// Discovery as an app asks for it: chooses the back-end for a ``DiscoveryMode`` and changes it when it must.
///
/// ``DiscoveryMode/automatic`` uses Avahi's daemon. Without one, or three seconds after it has died and not come back,
/// the embedded back-end takes over and stays.
package final class Discovery: DiscoveryBackend {
  /// How long a daemon that has died may stay away.
  package static let patience: Duration = .seconds(3)

  private struct State {
    var isStarted = false
    var isStopped = false
    /// The last one is in use; a predecessor has given up and is retained so that it can be stopped.
    var backends: [any DiscoveryBackend] = []
    var advertisement: Advertisement?
  }

  private let mode: DiscoveryMode
  private let state = Mutex(State())

  /// Discovery that has not started.
  package init(mode: DiscoveryMode) { self.mode = mode }

  package func start(
    browsing type: ServiceType?, advertising advertisement: Advertisement?,
    _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) throws(DiscoveryError) {
    let backend: (any DiscoveryBackend)? =
      switch mode {
      case .none: nil
      case .avahi: AvahiDaemonBackend()
      case .embedded: EmbeddedBackend()
      case .automatic:
        AvahiDaemonBackend(
          surrender: DaemonConnection.Surrender(patience: Self.patience) { [weak self] in
            self?.fallBack(browsing: type, handler)
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
    if let backend { try Self.start(backend, browsing: type, advertising: advertisement, handler) }
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
    let backends = state.withLock { state in
      state.isStopped = true
      defer { state.backends = [] }
      return state.backends
    }
    for backend in backends { backend.stop() }
  }

  /// Replaces the daemon, on whose thread this runs, with the embedded back-end.
  private func fallBack(browsing type: ServiceType?, _ handler: @escaping @Sendable (DiscoveryEvent) -> Void) {
    let embedded = EmbeddedBackend()
    let advertisement: Advertisement?? = state.withLock { state in
      guard !state.isStopped else { return nil }
      state.backends.append(embedded)
      return .some(state.advertisement)
    }
    guard let advertisement else { return }
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
