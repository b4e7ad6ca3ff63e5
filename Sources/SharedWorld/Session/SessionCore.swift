import AnchorReplication
import Basics
import PeerProtocol
import PeerTransport
import ServiceDiscovery
import Synchronization
import WorldModel

/// A running session: one actor on one event loop, where sockets, timers, TLS and the node live and never hop threads.
actor SessionCore {
  nonisolated let hub = EventHub()
  nonisolated let jobs = JobQueue()
  nonisolated let loop: EventLoop
  nonisolated let tasks: LoopTaskExecutor
  nonisolated let identity: PeerIdentity
  nonisolated let configuration: Session.Configuration
  nonisolated let serviceType: ServiceType
  /// The random name this session advertises under.
  nonisolated let instanceName: String

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  var driver: NodeDriver?
  var discovery: Discovery?
  var candidates: [Candidate.ID: (instance: ServiceInstance, candidate: Candidate)] = [:]
  var peersByInstance: [Candidate.ID: Peer] = [:]
  var names: [PeerID: String] = [:]
  var invitations: [InvitationID: CheckedContinuation<InvitationResult, Never>] = [:]
  var waits: [UInt64: CheckedContinuation<WaitOutcome, Never>] = [:]
  /// Those who read changes of anchors.
  var changeReaders: [ChangeReader] = []
  /// The latest map that is complete, and decoded; a later one has a higher number.
  private(set) var map: (id: MapID, map: WorldMap, number: UInt64)?
  /// Whether the app was told that the session is locked.
  var isLocked = false
  /// Maps that are being decoded, and the digest of the news that waits for them.
  var mapsOpening = 0
  var digestToTell: SHA256Digest?
  var journal: RunningJournal?
  var keptState: RunningState?
  /// Where chunks of maps are kept, and whether that failed when it was last tried.
  nonisolated let chunkStore: ChunkStore?
  var hasCacheFailed = false
  /// How far the end has come, with those who wait for it.
  private enum Closing {
    case notBegun
    case underWay([CheckedContinuation<Void, Never>])
    case done
  }

  private var closing = Closing.notBegun
  private var nextNumber: UInt64 = 1
  private(set) var hasEnded = false

  init(identity: PeerIdentity, configuration: Session.Configuration) throws(SessionError) {
    self.identity = identity
    self.configuration = configuration
    do {
      serviceType = try ServiceType(configuration.service)
      loop = try EventLoop()
      tasks = LoopTaskExecutor(loop)
    } catch let error as DiscoveryError {
      throw SessionError(.invalidArgument, "\(error)", cause: error)
    } catch {
      throw SessionError(.io, "the event loop cannot start: \(error)", cause: error)
    }
    chunkStore = configuration.mapCache.map { ChunkStore(folder: $0.folder, limit: $0.limit) }
    instanceName = DiscoveryRecord.randomName()
  }

  /// Runs the jobs of the session until it ends.
  nonisolated func runJobs() async {
    await jobs.run()
  }

  /// Listens and advertises.
  ///
  /// Returns the port.
  func start() async throws(SessionError) -> UInt16 {
    do throws(SessionError) {
      return try await listen(on: listenAddress(), restoring: openState())
    } catch {
      await shutDown()
      throw error
    }
  }

  private func listen(
    on listen: SocketAddress, restoring record: NodeRecord?
  ) async throws(SessionError) -> UInt16 {
    var random = SystemRandomNumberGenerator()
    var node = NodeConfiguration(
      peerID: identity.peerID, incarnation: random.next(), name: identity.name, service: serviceType.name,
      instance: instanceName,
      election: ElectionConfiguration(priority: configuration.hostPriority, canHost: configuration.canHost),
      mapPolicy: MapPolicy(configuration.mapProviders), seed: random.next())
    node.firstAntiEntropy = ProtocolTimes.antiEntropy * Int.random(in: 1...1_000, using: &random) / 1_000
    node.memberLimit = configuration.memberLimit
    node.cachesChunks = chunkStore != nil
    node.asksBeforeGiving = configuration.ownershipHandler != nil
    node.keepsOrphans = configuration.keepsOrphanedOwnership
    node.keepsRecord = keptState != nil
    do {
      let driver = try NodeDriver(loop: loop, identity: identity.tls, configuration: node, restoring: record)
      driver.onEvents = { [unowned self] events in self.assumeIsolated { $0.take(events) } }
      driver.onCache = { [unowned self] wish in self.assumeIsolated { $0.serve(wish) } }
      driver.onCheck = { [unowned self] check in self.assumeIsolated { $0.run(check) } }
      driver.onRecord = { [unowned self] record in self.assumeIsolated { $0.keep(record) } }
      driver.onTrouble = { [hub] failure in
        hub.publish([.problem(SessionError(.io, "no connection can be taken: \(failure)", cause: failure))])
      }
      self.driver = driver
      hub.source.begin(with: self)
      try await openJournal()
      let port = try driver.listen(on: listen, preferring: record?.port(of: identity.peerID))
      try startDiscovery(port: port)
      return port
    } catch let error as SessionError {
      throw error
    } catch {
      throw SessionError(listening: listen, failure: error)
    }
  }

  private func listenAddress() async throws(SessionError) -> SocketAddress {
    let listen = configuration.listen
    guard let address = try await Self.resolve(listen).first else {
      throw SessionError(.invalidArgument, "\(listen) has no address to listen on")
    }
    return address
  }

  /// Lends the node to be read, at the present time.
  func read<R>(_ body: (inout Node, Instant) -> R) throws(SessionError) -> R { try running().read(body) }

  /// Gives one input to the node, and does what it asks.
  ///
  /// - Throws: What the node refused, or that the session is over.
  @discardableResult
  func handle(_ input: Input, anchor: AnchorID? = nil) throws(SessionError) -> Answer {
    let answer = try running().handle(input)
    if case .refused(let refusal) = answer { throw SessionError(refusal, anchor: anchor) }
    return answer
  }

  /// The driver of a session that goes on.
  func running() throws(SessionError) -> NodeDriver {
    guard let driver, !hasEnded else { throw SessionError(.ended, "the session has ended; start a new one") }
    return driver
  }

  /// Gives one input to the node; a no-op after the end.
  func input(_ input: Input) {
    guard !hasEnded else { return }
    driver?.handle(input)
  }

  func freshInvitation() -> InvitationID {
    InvitationID(rawValue: freshNumber())
  }

  /// A number that was not given before.
  func freshNumber() -> UInt64 {
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// Takes a map that is decoded, unless a later one, of a higher number, is here: large ones take longer.
  func keep(_ map: WorldMap, id: MapID, number: UInt64) {
    guard self.map.map({ $0.number < number }) ?? true else { return }
    self.map = (id, map, number)
  }

  /// Ends the session if it has not ended yet, and waits until its connections are closed.
  func leave() async {
    input(.leave)
    await shutDown()
  }

  /// The node is out of the session: everything that waits is told.
  func noteEnd(_ reason: EndReason) {
    guard !hasEnded else { return }
    hasEnded = true
    for (_, continuation) in invitations.sorted(by: { $0.key < $1.key }) {
      continuation.resume(returning: .failed(reason))
    }
    invitations = [:]
    endWaits()
    endChangeReaders()
    hub.publish([.ended(Session.LeaveReason(reason))])
    hub.end()
    jobs.finish()
  }

  /// Closes everything, once; who asks for it meanwhile waits until it is done.
  private func shutDown() async {
    noteEnd(.left)
    switch closing {
    case .done: return
    case .underWay(let waiters): return await withCheckedContinuation { closing = .underWay(waiters + [$0]) }
    case .notBegun: closing = .underWay([])
    }
    await closeJournal()
    await closeState()
    discovery?.stop()
    discovery = nil
    if let driver {
      self.driver = nil
      await withCheckedContinuation { done in driver.shutDown { done.resume() } }
    }
    if case .underWay(let waiters) = exchange(&closing, with: .done) {
      for waiter in waiters { waiter.resume() }
    }
    loop.stop()
  }

  func kick(_ peer: PeerID) throws(SessionError) {
    try requireMember(peer)
    try handle(.kick(peer))
  }

  func setLocked(_ isLocked: Bool) throws(SessionError) {
    try handle(.setLocked(isLocked))
  }

  func requestHost() {
    input(.requestHost)
  }

  func handOver(to peer: PeerID) throws(SessionError) {
    try requireMember(peer)
    input(.handover(peer))
  }

  func send(_ bytes: [UInt8], to peers: [PeerID]?) throws(SessionError) {
    guard bytes.count <= ProtocolLimits.message else {
      throw SessionError(.limitExceeded, "a message has at most \(ProtocolLimits.message) bytes, not \(bytes.count)")
    }
    for peer in peers ?? [] { try requireMember(peer) }
    try handle(.send(bytes, to: peers))
  }

  func requireMember(_ peer: PeerID) throws(SessionError) {
    let isMember = try read { node, _ in node.isMember(peer) }
    guard isMember else { throw SessionError(.unknownPeer, "\(peer.short) is not a member of this session") }
  }

  func state() -> Session.State {
    let map = map
    let candidates = candidates.values.map(\.candidate).sorted { $0.id < $1.id }
    let state = try? read { node, now in
      Session.State(
        peers: node.memberSnapshots.map { PeerStatus($0, map: MapStatus(node.mapStatus(of: $0.peerID))) },
        inviting: node.invitedPeers.map(peer), host: node.host?.peer, epoch: node.epoch, mapID: map?.id,
        mapStatus: MapStatus(node.mapStatus),
        isSynchronised: node.isSynchronised,
        mapPoints: map?.map.cloud.count ?? 0, anchorCount: node.anchors.count, sessionTime: node.sessionTime(at: now),
        isLocked: node.rules.isLocked, memberLimit: node.rules.limit, candidates: candidates)
    }
    return state
      ?? Session.State(
        peers: [], inviting: [], host: nil, epoch: 0, mapID: map?.id, mapStatus: .none, isSynchronised: false,
        mapPoints: map?.map.cloud.count ?? 0, anchorCount: 0, sessionTime: 0, isLocked: false,
        memberLimit: configuration.memberLimit, candidates: candidates)
  }
}

extension PeerStatus {
  init(_ member: MemberSnapshot, map: MapStatus) {
    let state: State =
      switch member.status {
      case .connecting: .connecting
      case .connected: .connected
      case .reconnecting: .reconnecting
      case .lost: .lost
      }
    self.init(
      peer: Peer(id: member.peerID, name: member.name), state: state, isDirect: member.isDirect,
      roundTrip: member.roundTrip, bytesSent: member.bytesSent, bytesReceived: member.bytesReceived,
      map: map)
  }
}
