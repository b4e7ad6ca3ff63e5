#if Avahi
internal import BasicsLinux
internal import CAvahiCore
internal import Glibc

/// A running avahi-core server, and everything published, browsed and resolved through it.
///
/// Containers and small machines often have no daemon for multicast DNS. A responder of our own would have to keep all
/// of RFC 6762: probing, conflicts, known answers, caches, both families on all interfaces. avahi-core is the library
/// that Avahi's daemon is made of, so it behaves on the network as that does. It was made to be the only one on its
/// machine, though, and here are several in as many processes, perhaps beside a daemon. That takes:
///
/// - Two of them with one host name fight over its reverse records, then both withdraw. Each has a random host name,
///   and its own addresses are published without reverse records (`EmbeddedPublisher`).
/// - With that, avahi-core does not follow changes of addresses any more: `AddressWatch` does.
/// - Port 5353 is shared, unless a program holds it for itself: `EmbeddedStarter` tries again.
/// - Its own wake-up can be lost just before it sleeps, so the loop waits for a descriptor of ours (`AvahiLoop`).
/// - Its one goodbye may get lost, and then others would list us until the records expire: it is repeated.
///
/// Confined to the thread that calls ``run()``; made on another thread before that one starts, hence the unchecked
/// conformance. Each trap with its test is in Documentation/discovery-traps.md.
final class EmbeddedResponder: BackendEngine, @unchecked Sendable {
  /// The most TXT queries that stay open; each is cheap for avahi-core.
  private static let maximumQueries = 256
  /// The pause between goodbyes (milliseconds).
  private static let goodbyePause: Int32 = 20

  private let mailbox: Mailbox
  private let loop: AvahiLoop
  private let avahi: AvahiCore
  private let server: OpaquePointer
  private let handler: (DiscoveryEvent) -> Void
  private let watch: ServiceWatch
  private let resolver: Resolver
  private let type: ServiceType?
  private var browser: OpaquePointer?
  private var publisher: EmbeddedPublisher?
  private var addressWatch: AddressWatch?
  /// The name under which our service is on the network.
  private var published: ServiceInstance?
  private var hasNetwork = false
  private var isRunning = true

  /// Opens the sockets, which fails if another program holds port 5353 for itself.
  init(
    mailbox: Mailbox, browsing type: ServiceType?, advertising advertisement: Advertisement?,
    listeningFor listeningTime: Duration, _ handler: @escaping (DiscoveryEvent) -> Void
  ) throws(DiscoveryError) {
    self.mailbox = mailbox
    self.type = type
    self.handler = handler
    loop = try AvahiLoop(mailbox: mailbox)
    avahi = loop.avahi
    do throws(DiscoveryError) {
      server = try Self.makeServer(loop)
    } catch {
      loop.free()
      throw error
    }
    let ask: AskForRecords = { [avahi, server] name, type, onAnswer in
      AvahiRecordQuery(avahi, server: server, name: name, type: type, onAnswer: onAnswer)
    }
    watch = ServiceWatch(
      own: advertisement?.instance, maximumQueries: Self.maximumQueries, listeningTime: listeningTime, ask: ask, handler
    )
    resolver = Resolver(maximumRunning: 64, ask: ask)
    if let advertisement {
      publisher = EmbeddedPublisher(
        avahi, server: server, advertisement: advertisement, addresses: InterfaceAddress.multicast()
      ) {
        [unowned self] in take($0)
      }
    }
  }

  /// Runs until ``stop()``, then sends goodbye packets and frees everything.
  func run() {
    begin()
    var pace = NetworkPace()
    while isRunning {
      pace.keep()
      guard loop.turn(until: [resolver.deadline, watch.deadline].compactMap(\.self).min()) else {
        handler(.unavailable(reason: "the embedded responder cannot wait for the network"))
        break
      }
      resolver.expire(at: .now)
      watch.expire(at: .now)
    }
    mailbox.close()
    mailbox.drain()
    resolver.failAll(.stopped)
    addressWatch?.stop()
    avahi.call.server_free(server)  // Frees browsers and groups, and sends the first goodbye.
    loop.free()
    if let instance = published { Self.repeatGoodbye(of: instance) }
  }

  /// Says goodbye twice more, since one may get lost and announcements are repeated too (RFC 6762 §8.3).
  private static func repeatGoodbye(of instance: ServiceInstance) {
    let ear = MulticastEar()
    ear.open()
    for _ in 0..<2 {
      poll(nil, 0, goodbyePause)
      _ = ear.send(MulticastMessage.goodbye(instance))
    }
  }

  /// Makes ``run()`` return.
  func stop() { isRunning = false }

  /// Replaces the published TXT record.
  func updateInfo(_ info: DiscoveryInfo) { publisher?.update(info) }

  /// Begins a look-up.
  func resolve(
    _ id: Int, _ instance: ServiceInstance, deadline: ContinuousClock.Instant,
    _ completion: @escaping Resolver.Completion
  ) {
    resolver.begin(id, instance, deadline: deadline, completion)
  }

  /// Ends a look-up early.
  func cancel(_ id: Int) { resolver.cancel(id) }

  /// Takes TXT records that were heard beside the responder.
  func hear(_ texts: [ServiceInstance: [UInt8]]) { watch.hear(texts, at: .now) }

  private func begin() {
    addressWatch = AddressWatch(loop: loop.api) { [unowned self] in
      checkNetwork()
      publisher?.update(InterfaceAddress.multicast())
    }
    checkNetwork(isFirst: true)
    publisher?.publish()
    guard let type else { return }
    browser = avahi.call.s_service_browser_new(
      server, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), type.dnsName, nil,
      AvahiLookupFlags(rawValue: 0), takeService, Unmanaged.passUnretained(self).toOpaque())
    if browser == nil {
      handler(.unavailable(reason: "browsing failed: \(avahi.text(of: avahi.call.server_errno(server)))"))
    }
  }

  private func checkNetwork(isFirst: Bool = false) {
    let hasNetwork = !InterfaceAddress.multicast().isEmpty
    guard isFirst || hasNetwork != self.hasNetwork else { return }
    self.hasNetwork = hasNetwork
    handler(
      hasNetwork
        ? .available(backend: Discovery.embeddedName)
        : .unavailable(reason: "no network interface that is up can multicast"))
  }

  private func take(_ report: EmbeddedPublisher.Report) {
    switch report {
    case .established(let instance):
      published = instance
      watch.setOwn(instance)
    case .failed(let reason): handler(.unavailable(reason: reason))
    }
  }

  fileprivate func take(_ event: AvahiBrowserEvent, name: UnsafePointer<CChar>?, interface: AvahiIfIndex) {
    guard let type, let name, let text = String(validatingCString: name) else { return }
    guard let instance = try? ServiceInstance(name: text, type: type) else { return }
    switch event {
    case AVAHI_BROWSER_NEW: watch.add(instance, interface: UInt32(max(0, interface)), at: .now)
    case AVAHI_BROWSER_REMOVE: watch.remove(instance, interface: UInt32(max(0, interface)))
    default: break
    }
  }

  private static func makeServer(_ loop: AvahiLoop) throws(DiscoveryError) -> OpaquePointer {
    let avahi = loop.avahi
    var config = AvahiServerConfig()
    _ = avahi.call.server_config_init(&config)
    defer { avahi.call.server_config_free(&config) }
    config.host_name = avahi.call.strdup(EmbeddedPublisher.randomHostName())
    config.publish_hinfo = 0
    config.publish_addresses = 0
    config.publish_workstation = 0
    config.publish_domain = 0
    config.add_service_cookie = 0
    config.enable_wide_area = 0
    config.disallow_other_stacks = 0
    var error: Int32 = 0
    guard let server = avahi.call.server_new(loop.api, &config, nil, nil, &error) else {
      let reason =
        error == AVAHI_ERR_NO_NETWORK
        ? "another program holds UDP port 5353 and does not share it" : avahi.text(of: error)
      throw .unavailable(reason: "the embedded responder cannot start: \(reason)")
    }
    return server
  }
}

private func takeService(
  _: OpaquePointer?, interface: AvahiIfIndex, _: AvahiProtocol, event: AvahiBrowserEvent,
  name: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: AvahiLookupResultFlags,
  context: UnsafeMutableRawPointer?
) {
  guard let context else { return }
  Unmanaged<EmbeddedResponder>.fromOpaque(context).takeUnretainedValue()
    .take(event, name: name, interface: interface)
}
#endif
