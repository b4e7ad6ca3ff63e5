import AnchorReplication
import Basics
import Glibc
import PeerProtocol
import PeerTransport
import ServiceDiscovery
import Synchronization
import WorldModel

/// One peer's part in a shared world.
///
/// It finds peers, exchanges invitations, agrees on a host, shares maps and keeps anchors the same everywhere. Local
/// changes never wait for the network. All methods may be called from any task; events come in one order.
///
/// It is one actor on one event loop: sockets, timers, TLS and the protocol run there and never change threads. The loop is the
/// session's own, but for the companions of a door.
public actor Session {
  nonisolated let hub: EventHub
  nonisolated let jobs = JobQueue()
  nonisolated let loop: EventLoop
  nonisolated let identity: PeerIdentity
  nonisolated let configuration: Configuration
  private nonisolated let tasks: LoopTaskExecutor
  /// Known before anybody else has the session.
  private nonisolated let listeningPort = Atomic<UInt16>(0)

  /// Nil before the start and after the end.
  var driver: NodeDriver?
  var discovery: DiscoveryDesk
  var trust: TrustDesk
  var worldDesk = WorldDesk()
  var peerDesk = PeerDesk()
  var messageDesk = MessageDesk()
  var resources = ResourceDesk()
  var streamDesk = StreamDesk()
  var mapDesk: MapDesk
  var savedFiles = SavedFiles()
  var frameDesk: FrameDesk
  /// The place from which render loops read.
  nonisolated let board = SnapshotBoard()
  private var end = SessionEnd()
  /// Whether the node is out of the session.
  var hasEnded: Bool { end.reason != nil }

  /// The session's event loop.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(identity: PeerIdentity, configuration: Configuration) throws(SessionError) {
    self.identity = identity
    self.configuration = configuration
    hub = EventHub(log: LogDesk(configuration.log))
    trust = try TrustDesk(configuration.authentication.trust, service: configuration.service)
    if trust.compared != nil, configuration.authentication.codeHandler == nil {
      throw SessionError(
        .invalidArgument, "TrustPolicy.code needs an app that shows codes: set authentication.codeHandler")
    }
    if configuration.hosting.newcomers == .guests, configuration.hosting.authority == .host {
      throw SessionError(
        .invalidArgument, "an open session has no guests: give it a creator with hosting.authority = .creator")
    }
    do {
      let type = try ServiceType(configuration.service)
      let name =
        configuration.discovery.advertising.hidesDevice
        ? DiscoveryRecord.randomName() : try DiscoveryRecord.lastingName(of: identity, service: type)
      discovery = DiscoveryDesk(
        serviceType: type, instanceName: name, record: try Self.record(of: identity, configuration),
        recognitionKey: configuration.discovery.advertising.hidesDevice ? nil : try identity.recognitionKey)
      loop = try configuration.transport.makeLoop()
      tasks = LoopTaskExecutor(loop)
    } catch let error as DiscoveryError {
      throw SessionError(.invalidArgument, "\(error)", cause: error)
    } catch {
      throw SessionError(.io, "the event loop cannot start: \(error)", cause: error)
    }
    frameDesk = FrameDesk(interval: configuration.realignmentInterval)
    mapDesk = MapDesk(store: configuration.mapFolder.map { ChunkStore(folder: $0.folder, limit: $0.limit) })
  }

  /// This peer.
  public nonisolated var localPeer: Peer { Peer(id: identity.peerID, name: identity.name) }

  /// The TCP port this peer listens on.
  public nonisolated var port: UInt16 { listeningPort.load(ordering: .relaxed) }

  /// Runs tasks on the session's own thread, where its methods are called and its events are read without a change of
  /// threads: for apps to which ten microseconds matter.
  ///
  /// While such a task runs the session does nothing else, so it must neither block nor compute for long.
  ///
  ///     Task(executorPreference: session.executor) {
  ///       for await event in session.events { draw(event) }
  ///     }
  public nonisolated var executor: any TaskExecutor { tasks }

  /// The events of the session, in order.
  public nonisolated var events: Events { Events(hub: hub) }

  /// Says goodbye to everybody and ends the session.
  ///
  /// The last edits and messages arrive before: for that it waits 3 s at most, and not at all in a cancelled task.
  ///
  /// After the end, in whatever way it came, one rule holds for the session and all of its handles:
  ///
  /// - A question is answered, and never throws: there are no peers, no anchors, no map, and nothing is known.
  /// - Work throws ``SessionError/Code/ended``, and a call that throws nothing does nothing.
  /// - Sequences have ended, once their readers have read what came before.
  /// - ``snapshot`` is a picture, and stays the last one.
  public func leave() async {
    _ = await acknowledged(.delivery, timeout: Self.farewell)
    await leaveAtOnce()
  }

  /// Says goodbye to everybody and ends the session, without a wait for what is on its way.
  func leaveAtOnce() async {
    end.isLeaving = true
    input(.leave)
    await shutDown()
  }

  /// How long those who stay may take to hold what was edited and sent last.
  private static let farewell: Duration = .seconds(3)

  // MARK: The node

  /// Lends the node to be read, at the present time.
  func read<R>(_ body: (inout Node, Instant) -> R) throws(SessionError) -> R { try running().read(body) }

  /// Gives one input to the node, and does what it asks.
  ///
  /// - Throws: The refusal of the node, or that the session is over.
  @discardableResult
  func handle(_ input: Input, anchor: AnchorID? = nil) throws(SessionError) -> Answer {
    let answer = try running().handle(input)
    if case .refused(let refusal) = answer { throw SessionError(refusal, anchor: anchor) }
    return answer
  }

  /// Gives one input to the node that may change what there is to see without an event.
  func handleQuietly(_ input: Input) throws(SessionError) {
    try handle(input)
    updateSnapshot()
  }

  /// Gives one input to the node; a no-op after the end.
  func input(_ input: Input) {
    guard !hasEnded else { return }
    driver?.handle(input)
  }

  /// Refuses what would otherwise do nothing, or something else, after the end.
  func requireRunning() throws(SessionError) { _ = try running() }

  private func running() throws(SessionError) -> NodeDriver {
    guard let driver, !hasEnded else { throw .sessionEnded }
    return driver
  }

  // MARK: The end

  /// The node is out of the session: every waiting caller is told, and every reader once nothing more happens.
  func noteEnd(_ reason: EndReason) {
    guard !hasEnded else { return }
    showEnd()
    end.reason = reason
    worldDesk.endAll(reason)
    peerDesk.endAll(reason)
    messageDesk.endAll(.sessionEnded)
    resources.endAll()
    streamDesk.endAll()
    mapDesk.endAll()
    endChangeReaders()
    // Closing the files writes what is left: a saver that found the queue closed would tell of a full one.
    stopSaving()
    jobs.finish()
    // A session that is being left still closes its files, and tells of what fails.
    if !end.isLeaving { tellEnd() }
  }

  /// Tells readers the end, as the last event of all.
  private func tellEnd() {
    guard let reason = end.reason, !end.isTold else { return }
    end.isTold = true
    hub.publish([.ended(LeaveReason(reason))])
    hub.end()
  }

  /// Shuts down once; concurrent callers await the same completion.
  private func shutDown() async {
    end.isLeaving = true
    noteEnd(.left)
    switch end.closing {
    case .done: return
    case .underWay(let waiters): return await withCheckedContinuation { end.closing = .underWay(waiters + [$0]) }
    case .notBegun: end.closing = .underWay([])
    }
    await closeJournal()
    await closeState()
    tellEnd()
    discovery.stop()
    if let driver {
      self.driver = nil
      await withCheckedContinuation { done in driver.shutDown { done.resume() } }
    }
    if case .underWay(let waiters) = exchange(&end.closing, with: .done) {
      for waiter in waiters { waiter.resume() }
    }
    if configuration.transport.sharedLoop == nil { loop.stop() }
  }
}

/// How far the end of a session has come.
private struct SessionEnd {
  /// Why the node is out of the session; nil while it is in.
  var reason: EndReason?
  /// Whether the app ends the session, so that its files are closed before readers are told.
  var isLeaving = false
  /// Whether readers were told.
  var isTold = false
  var closing = Closing.notBegun

  /// How far the files and connections are closed, with the callers that await it.
  enum Closing {
    case notBegun
    case underWay([CheckedContinuation<Void, Never>])
    case done
  }
}

// MARK: - The start

extension Session {
  /// Runs `body` with a session that ends, politely, when the body returns or throws; then no thread and no task of it runs.
  ///
  /// Ctrl-C ends the session too, unless the configuration says otherwise (``Configuration/endsOnSignals``).
  ///
  /// - Throws: ``SessionError`` when the session cannot start, and whatever `body` throws.
  public static func withSession<R: Sendable>(
    as identity: PeerIdentity, configuration: Configuration = Configuration(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Session) async throws -> R
  ) async throws -> R {
    let session = try await begun(as: identity, configuration)
    defer { session.joinThread() }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await session.jobs.run() }
      if configuration.endsOnSignals, let calls = try? await session.watchSignals() {
        group.addTask { for await _ in calls { await session.leave() } }
      }
      do {
        let result = try await body(session)
        await session.leave()
        return result
      } catch {
        await session.leave()
        throw error
      }
    }
  }

  /// Runs `body` with a session of the identity `name` in the folder ``Session/Configuration/Storage/folder``, which is made if there is
  /// none; without a folder, of the identity that ``PeerIdentity/loadOrCreate(named:in:)`` finds by default.
  ///
  /// - Throws: ``SessionError`` when the identity cannot be used or the session cannot start, and whatever `body` throws.
  public static func withSession<R: Sendable>(
    named name: String, configuration: Configuration = Configuration(), isolation: isolated (any Actor)? = #isolation,
    _ body: (Session) async throws -> R
  ) async throws -> R {
    let identity = try PeerIdentity.loadOrCreate(named: name, in: configuration.storage.folder)
    return try await withSession(as: identity, configuration: configuration, isolation: isolation, body)
  }

  /// Runs `body` with a session that uses another service type and otherwise the defaults.
  public static func withSession<R: Sendable>(
    as identity: PeerIdentity, service: String, isolation: isolated (any Actor)? = #isolation,
    _ body: (Session) async throws -> R
  ) async throws -> R {
    try await withSession(as: identity, configuration: Configuration(service: service), isolation: isolation, body)
  }

  /// Starts a session that lives until ``SessionHandle/stop()``, or until its handle is released: for an object that lives as long
  /// as a window.
  ///
  /// - Throws: ``SessionError`` when the session cannot start; then nothing of it is left.
  public static func start(
    as identity: PeerIdentity, configuration: Configuration = Configuration()
  ) async throws(SessionError) -> SessionHandle {
    SessionHandle(of: try await begun(as: identity, configuration))
  }

  /// Starts a session, as ``start(as:configuration:)``, of the identity `name` in the folder ``Session/Configuration/Storage/folder``; without a
  /// folder, of the one that ``PeerIdentity/loadOrCreate(named:in:)`` finds by default.
  ///
  /// - Throws: ``SessionError`` when the identity cannot be used or the session cannot start.
  public static func start(
    named name: String, configuration: Configuration = Configuration()
  ) async throws(SessionError) -> SessionHandle {
    let identity = try PeerIdentity.loadOrCreate(named: name, in: configuration.storage.folder)
    return try await start(as: identity, configuration: configuration)
  }

  /// Makes a session that listens.
  ///
  /// Its thread must be waited for in the end: it gives back what OpenSSL keeps for it, which an exit of the process takes away.
  private static func begun(
    as identity: PeerIdentity, _ configuration: Configuration
  ) async throws(SessionError) -> Session {
    let session = try Session(identity: identity, configuration: configuration)
    do throws(SessionError) {
      try await session.begin()
      return session
    } catch {
      session.joinThread()
      throw error
    }
  }

  /// Waits until the thread of a session that has shut down has ended, unless others run on it too.
  nonisolated func joinThread() {
    if configuration.transport.sharedLoop == nil { loop.join() }
  }

  /// A timer of this session, for as long as the caller retains it.
  ///
  /// It may be due while the session is being released on another thread: where the loop is shared, that goes on.
  func makeTimer(_ action: @escaping @Sendable (isolated Session) -> Void) -> LoopTimer {
    loop.makeTimer { [weak self] in self?.assumeIsolated { action($0) } }
  }

  /// The calls of signals that ask the process to end.
  private func watchSignals() throws -> AsyncStream<Void> { try EndWatch.begin(on: loop) }

  /// Listens and advertises.
  func begin() async throws(SessionError) {
    do throws(SessionError) {
      if let storage = configuration.storage.folder { _ = try PrivateFolder(path: storage) }
      let port = try await listen(on: listenAddress(), restoring: openState())
      listeningPort.store(port, ordering: .relaxed)
    } catch {
      await shutDown()
      throw error
    }
  }

  private func listen(
    on listen: SocketAddress, restoring record: NodeRecord?
  ) async throws(SessionError) -> UInt16 {
    do {
      let medium = try configuration.transport.make.map { TransportMedium(try $0()) }
      let driver = try NodeDriver(
        loop: loop, identity: identity.tls, configuration: nodeConfiguration, restoring: record, medium: medium)
      // The driver goes before the session does, and with it every call of these.
      driver.onEvents = { [unowned self] events in self.assumeIsolated { $0.take(events) } }
      driver.onCache = { [unowned self] wish in self.assumeIsolated { $0.serve(wish) } }
      driver.onLoad = { [unowned self] load in self.assumeIsolated { $0.load(load) } }
      driver.onCheck = { [unowned self] check in self.assumeIsolated { $0.run(check) } }
      driver.onRecord = { [unowned self] record in self.assumeIsolated { $0.keep(record) } }
      driver.onTrouble = { [hub] trouble in hub.report(trouble) }
      self.driver = driver
      hub.source.begin(with: self)
      try await openJournal()
      let port = try driver.listen(on: listen, preferring: record?.port(of: identity.peerID))
      try startDiscovery(port: port)
      try startAnnouncing(port: port)
      startInviting()
      return port
    } catch let error as SessionError {
      throw error
    } catch {
      throw SessionError(listening: listen, failure: error)
    }
  }

  private var nodeConfiguration: NodeConfiguration {
    var random = SystemRandomNumberGenerator()
    var node = NodeConfiguration(
      peerID: identity.peerID, incarnation: random.next(), name: identity.name, service: discovery.serviceType.name,
      instance: discovery.instanceName,
      election: ElectionConfiguration(priority: configuration.hosting.priority, canHost: configuration.hosting.canHost),
      mapPolicy: configuration.hosting.mapProviders, seed: random.next())
    node.firstAntiEntropy = ProtocolTimes.antiEntropy * Int.random(in: 1...1_000, using: &random) / 1_000
    node.memberLimit = configuration.limits.members
    node.recognitionKey = discovery.recognitionKey
    node.hostRequests = configuration.hosting.requestHandler == nil ? .byPriority : .asked
    node.mapMemoryLimit = max(configuration.limits.mapMemory, 0)
    node.admitted = trust.admitted
    node.signatures = identity.signatures
    node.curatesMaps = configuration.hosting.authority == .curated
    node.newcomersAreGuests = configuration.hosting.newcomers == .guests
    if configuration.hosting.authority != .host {
      node.genesisNonce = (0..<Genesis.nonceSize).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    node.passcode = configuration.authentication.passcode
    if configuration.authentication.authenticator != nil {
      node.driverTime = max(.zero, min(configuration.authentication.authenticatorTimeout, ProtocolTimes.handshakeMost))
    }
    node.showsCodes = configuration.authentication.codeHandler != nil
    node.compared = trust.compared
    node.cachesChunks = mapDesk.store != nil
    node.asksBeforeGiving = configuration.ownershipHandler != nil
    node.keepsOrphans = configuration.hosting.keepsOrphanedOwnership
    node.keepsRecord = savedFiles.state != nil
    return node
  }

  private func listenAddress() async throws(SessionError) -> SocketAddress {
    let listen = configuration.listen
    guard let address = try await listen.resolved().first else {
      throw SessionError(.invalidArgument, "\(listen) has no address to listen on")
    }
    return address
  }

  /// The advertisement of a session at its start.
  private static func record(
    of identity: PeerIdentity, _ configuration: Configuration
  ) throws(DiscoveryError) -> DiscoveryRecord {
    var record = DiscoveryRecord(showing: configuration.discovery.advertising.showsName ? identity.name : nil)
    record.asksForPasscode = configuration.authentication.passcode != nil
    record.bucket = configuration.authentication.passcode?.bucket(for: configuration.service)
    record.appInfo = configuration.discovery.advertising.info
    if configuration.discovery.announcements != nil { record.key = DiscoveryDesk.key(of: identity.peerID) }
    // Refused here rather than when discovery starts, or not at all where it is off.
    _ = try record.info()
    return record
  }

  private func startDiscovery(port: UInt16) throws(SessionError) {
    guard configuration.discovery.mode != .none else { return }
    renewTag()
    let memory = configuration.transport.memory
    let source = (memory.map(DiscoverySource.memory) ?? .machine(configuration.discovery.mode)).make()
    try discovery.start(source, as: configuration.discovery.role, port: port) {
      [weak self, loop] event in
      loop.execute { [weak self] in self?.assumeIsolated { $0.take(event) } }
    }
    guard configuration.discovery.role != .advertiser, memory == nil else { return }
    let silence = makeTimer { $0.explainSilence() }
    silence.deadline = loop.now + DiscoveryDesk.patience
    discovery.silence = silence
  }

  private func take(_ event: DiscoveryEvent) {
    let day = Self.today
    tell(discovery.take(event) { trust.peer(tagged: $0, on: day) })
  }

  /// A member has told the key by which its service is recognised: a member is nobody to invite.
  func recognizeServices(into events: inout [Event]) {
    let day = Self.today
    events += discovery.recognizeAgain { trust.peer(tagged: $0, on: day) }
  }

  /// Tells the app of services, and invites those that the policy names.
  private func tell(_ events: [Event]) {
    updateSnapshot()
    hub.publish(events)
    for case .candidateFound(let candidate) in events { consider(candidate) }
  }

  /// Announces the session beside discovery, where the app wants that.
  private func startAnnouncing(port: UInt16) throws(SessionError) {
    guard let settings = configuration.discovery.announcements else { return }
    let announcer = try Announcer(
      settings, of: identity.tls, service: configuration.service, as: configuration.discovery.role, sessionPort: port,
      record: discovery.record, loop: loop
    ) { [unowned self] outcome in assumeIsolated { $0.tell($0.discovery.take(outcome)) } }
    discovery.announce(by: announcer)
  }

  /// How often the session looks whether a new day has begun (nanoseconds).
  private static let renewal: UInt64 = 600_000_000_000

  /// The present day (UTC), by the machine's clock.
  private static var today: RecognitionBook.Day { RecognitionBook.day(of: time(nil)) }

  /// Lets known devices recognise the advertisement, also on the days to come.
  private func renewTag() {
    discovery.renewTag(of: identity.peerID, on: Self.today)
    let timer = discovery.renewal ?? makeTimer { $0.renewTag() }
    timer.deadline = loop.now + Self.renewal
    discovery.renewal = timer
  }

  /// Looks for the cause when nobody was found for long.
  private func explainSilence() {
    let type = discovery.serviceType
    guard isAlone else { return }
    _ = jobs.add { [weak self] in
      guard let diagnosis = try? await NetworkDiagnosis.run(type) else { return }
      await self?.tell(diagnosis)
    }
  }

  private func tell(_ diagnosis: NetworkDiagnosis) {
    if isAlone, !hasEnded { hub.publish([.nobodyFound(diagnosis)]) }
  }

  private var isAlone: Bool { discovery.candidates.isEmpty && state.peers.isEmpty }
}
