#if Avahi
internal import BasicsLinux
internal import CDNSSD
internal import Glibc

/// The questions to Avahi's daemon, and the way back to it when it dies.
///
/// Confined to the thread that calls ``run()``; made on another thread before that one starts, hence the unchecked
/// conformance. A call of the layer can block that thread for as long as D-Bus waits for a hung daemon, 25 seconds.
final class DaemonConnection: BackendEngine, @unchecked Sendable {
  /// Why the connection ends instead of retrying without end.
  struct Surrender: Sendable {
    /// How long a daemon that has died may stay away; one that was never there is not waited for.
    let patience: Duration
    /// Called on the thread of the connection, as its last act.
    let handler: @Sendable () -> Void
  }

  /// TXT questions that are open at a time; each costs a thread and a D-Bus connection, of which all programs of a user
  /// together have 256.
  private static let maximumQueries = 6
  /// Look-ups at a time, of three questions each.
  private static let maximumLookUps = 2
  /// The pauses between attempts to reach the daemon grow from the first to the second.
  private static let pauses = (first: Duration.milliseconds(250), last: Duration.seconds(4))
  /// The daemon renames by itself when the network has the name, but not when another app of this machine has it.
  private static let maximumRenames = 100

  private let mailbox: Mailbox
  private let type: ServiceType?
  private var advertisement: Advertisement?
  private let handler: (DiscoveryEvent) -> Void
  private let surrender: Surrender?
  private lazy var watch = ServiceWatch(
    own: advertisement?.instance, maximumQueries: Self.maximumQueries, ask: { [unowned self] in ask($0, $1, $2) },
    handler)
  private lazy var resolver = Resolver(
    maximumRunning: Self.maximumLookUps, ask: { [unowned self] in ask($0, $1, $2) })

  private var references: [DaemonReference] = []
  private var registration: DaemonReference?
  /// When the daemon was last reached; `nil` while it is not.
  private var connectionBegan: ContinuousClock.Instant?
  private var isConnected: Bool { connectionBegan != nil }
  /// Set when the daemon has renamed our service to the name of another app of this machine, and has given up.
  private var hasNameConflict = false
  /// Set when the connection is of no more use.
  private var failure: DaemonFailure?
  private var isRunning = true
  /// The error with which look-ups fail that are pending at the end.
  private var farewell = DiscoveryError.stopped
  private var nextAttempt: ContinuousClock.Instant = .now
  private var pause = pauses.first
  /// When the daemon was lost; `nil` while it has never been reached.
  private var outageBegan: ContinuousClock.Instant?
  private var outageIsReported = false

  /// Prepares a connection; it is made by ``run()``.
  init(
    mailbox: Mailbox, browsing type: ServiceType?, advertising advertisement: Advertisement?, surrender: Surrender?,
    _ handler: @escaping (DiscoveryEvent) -> Void
  ) {
    self.mailbox = mailbox
    self.type = type
    self.advertisement = advertisement
    self.surrender = surrender
    self.handler = handler
  }

  /// Works until ``stop()`` or until it surrenders.
  func run() {
    var pace = NetworkPace()
    while isRunning {
      pace.keep()
      if !isConnected, nextAttempt <= .now { connect() }
      guard isRunning else { break }
      wait()
      mailbox.drain()
      resolver.expire(at: .now)
      if isConnected { watch.expire(at: .now) }
      if hasNameConflict { registerUnderOtherName() }
      if let failure { loseConnection(failure) }
      references.removeAll { $0.fileDescriptor == nil }
    }
    mailbox.close()
    mailbox.drain()
    resolver.failAll(farewell)
    closeAll()
  }

  /// Makes ``run()`` return.
  func stop() { isRunning = false }

  /// Replaces the published TXT record, now and after every reconnection.
  func updateInfo(_ info: DiscoveryInfo) {
    guard advertisement?.info != info else { return }
    advertisement?.info = info
    if let registration, !registration.update(info) { failure = .unknown }
  }

  /// Begins a look-up.
  func resolve(
    _ id: Int, _ instance: ServiceInstance, deadline: ContinuousClock.Instant,
    _ completion: @escaping Resolver.Completion
  ) {
    resolver.begin(id, instance, deadline: deadline, completion)
  }

  /// Ends a look-up early.
  func cancel(_ id: Int) { resolver.cancel(id) }

  /// Takes TXT records that were heard beside the daemon.
  func hear(_ texts: [ServiceInstance: [UInt8]]) {
    if isConnected { watch.hear(texts, at: .now) }
  }

  // MARK: Coming and going of the daemon

  private func connect() {
    do throws(DaemonFailure) {
      if let type { references.append(try DaemonReference.browse(type) { [unowned self] in take($0) }) }
      try register()
    } catch {
      failToConnect(error)
      return
    }
    connectionBegan = .now
    outageBegan = nil
    outageIsReported = false
    handler(.available(backend: "avahi"))
    resolver.resume()
  }

  private func failToConnect(_ failure: DaemonFailure) {
    closeAll()
    if let surrender, outageBegan.map({ $0 + surrender.patience <= .now }) ?? true {
      isRunning = false
      farewell = .unavailable(reason: failure.description)
      surrender.handler()
      return
    }
    reportOutage(failure.description)
    nextAttempt = .now + pause
    if let surrender, let outageBegan { nextAttempt = min(nextAttempt, outageBegan + surrender.patience) }
    pause = min(pause * 2, Self.pauses.last)
  }

  private func loseConnection(_ failure: DaemonFailure) {
    self.failure = nil
    // A connection that never lasts must not be tried at full speed.
    if let connectionBegan, connectionBegan + Self.pauses.last < .now { pause = Self.pauses.first }
    connectionBegan = nil
    outageBegan = .now
    nextAttempt = .now + pause
    pause = min(pause * 2, Self.pauses.last)
    resolver.suspend()
    reportOutage(failure.description)
    watch.removeAll()
    closeAll()
  }

  private func reportOutage(_ reason: String) {
    guard !outageIsReported else { return }
    outageIsReported = true
    handler(.unavailable(reason: reason))
  }

  private func closeAll() {
    for reference in references { reference.close() }
    references = []
    registration = nil
  }

  // MARK: Talking to the daemon

  private func register() throws(DaemonFailure) {
    for _ in 0..<Self.maximumRenames {
      guard let advertisement else { return }
      do throws(DaemonFailure) {
        let opened = try DaemonReference.register(advertisement) { [unowned self] in take($0) }
        references.append(opened)
        registration = opened
        return
      } catch {
        guard error.isNameConflict else { throw error }
        self.advertisement = advertisement.renamed()
      }
    }
    throw .code(DNSServiceErrorType(kDNSServiceErr_NameConflict))
  }

  private func registerUnderOtherName() {
    hasNameConflict = false
    registration?.close()
    registration = nil
    advertisement = advertisement?.renamed()
    do throws(DaemonFailure) {
      try register()
    } catch {
      failure = error
    }
  }

  private func take(_ reply: DaemonReference.Reply) {
    switch reply {
    case .service(let name, let interface, let isPresent):
      guard let type, let instance = try? ServiceInstance(name: name, type: type) else { return }
      isPresent ? watch.add(instance, interface: interface, at: .now) : watch.remove(instance, interface: interface)
    case .registered(let name):
      guard let former = advertisement else { return }
      guard let instance = try? ServiceInstance(name: name, type: former.instance.type) else { return }
      advertisement = Advertisement(instance: instance, port: former.port, info: former.info)
      watch.setOwn(instance)
    case .record: break
    case .failure(let code):
      let failure = DaemonFailure.code(code)
      if failure.isNameConflict { hasNameConflict = true } else { self.failure = failure }
    }
  }

  private func ask(
    _ name: String, _ type: RecordType, _ onAnswer: @escaping ([UInt8], UInt32) -> Void
  ) -> (any RecordQuery)? {
    guard isConnected else { return nil }
    let opened = try? DaemonReference.query(name, type) { reply in
      // A failed query is silent: the browser or the registration reports that the daemon has died.
      if case .record(let data, let interface) = reply { onAnswer(data, interface) }
    }
    guard let opened else { return nil }
    references.append(opened)
    return opened
  }

  /// Sleeps until a reference, the mailbox or a deadline needs attention, and serves the references.
  private func wait() {
    let open = references
    var descriptors = open.map { pollfd(fd: $0.fileDescriptor ?? -1, events: Int16(POLLIN), revents: 0) }
    descriptors.append(pollfd(fd: mailbox.fileDescriptor, events: Int16(POLLIN), revents: 0))
    let deadlines = [resolver.deadline, isConnected ? watch.deadline : nextAttempt].compactMap(\.self)
    guard poll(&descriptors, nfds_t(descriptors.count), milliseconds(until: deadlines.min())) > 0 else { return }
    for (reference, descriptor) in zip(open, descriptors) where descriptor.revents != 0 {
      if !reference.process() { failure = .unknown }
    }
  }
}
#endif
