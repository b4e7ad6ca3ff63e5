#if Avahi
/// Opens the embedded responder, and tries again while another program holds the port of mDNS for itself.
///
/// Confined to the thread that calls ``run()``; made on another thread before that one starts, hence the unchecked conformance.
final class EmbeddedStarter: BackendEngine, @unchecked Sendable {
  /// The pauses between attempts grow from the first to the second.
  private static let pauses = (first: Duration.seconds(1), last: Duration.seconds(8))

  private let mailbox: Mailbox
  private let type: ServiceType?
  private var advertisement: Advertisement?
  private let listeningTime: Duration
  private let handler: (DiscoveryEvent) -> Void
  private var responder: EmbeddedResponder?
  /// The reason why the last attempt failed.
  private var failure = DiscoveryError.stopped
  private var isRunning = true

  init(
    mailbox: Mailbox, browsing type: ServiceType?, advertising advertisement: Advertisement?,
    listeningFor listeningTime: Duration, _ handler: @escaping (DiscoveryEvent) -> Void
  ) {
    self.listeningTime = listeningTime
    (self.mailbox, self.type, self.advertisement, self.handler) = (mailbox, type, advertisement, handler)
  }

  /// Works until ``stop()``.
  func run() {
    var pause = Self.pauses.first
    while isRunning {
      if open() {
        responder?.run()
        return
      }
      wait(until: .now + pause)
      pause = min(pause * 2, Self.pauses.last)
    }
    mailbox.close()
    mailbox.drain()
  }

  /// Makes ``run()`` return.
  func stop() {
    isRunning = false
    responder?.stop()
  }

  /// Replaces the published TXT record, now or in that which is published first.
  func updateInfo(_ info: DiscoveryInfo) {
    advertisement?.info = info
    responder?.updateInfo(info)
  }

  /// Begins a look-up, which fails while there is no responder.
  func resolve(
    _ id: Int, _ instance: ServiceInstance, deadline: ContinuousClock.Instant,
    _ completion: @escaping Resolver.Completion
  ) {
    guard let responder else { return completion(.failure(isRunning ? failure : .stopped)) }
    responder.resolve(id, instance, deadline: deadline, completion)
  }

  /// Ends a look-up early.
  func cancel(_ id: Int) { responder?.cancel(id) }

  /// Takes TXT records that were heard beside the responder.
  func hear(_ texts: [ServiceInstance: [UInt8]]) { responder?.hear(texts) }

  private func open() -> Bool {
    do throws(DiscoveryError) {
      responder = try EmbeddedResponder(
        mailbox: mailbox, browsing: type, advertising: advertisement, listeningFor: listeningTime, handler)
      return true
    } catch {
      if error != failure, case .unavailable(let reason) = error { handler(.unavailable(reason: reason)) }
      failure = error
      return false
    }
  }

  /// Does what other threads ask for until it is time for the next attempt.
  private func wait(until time: ContinuousClock.Instant) {
    while isRunning, mailbox.wait(until: time) { mailbox.drain() }
  }
}
#endif
