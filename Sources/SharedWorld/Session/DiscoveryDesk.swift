import Basics
import PeerProtocol
import PeerTransport
import ServiceDiscovery
import WorldModel

/// The advertisement of a session, the services it sees on the network, and the peers that turned out to be behind them.
struct DiscoveryDesk {
  /// Peers whose names are remembered at a time, members or not: a stranger has as many identities as it likes.
  private static let rememberedPeers = 4 * ProtocolLimits.roster

  /// After this time without anybody the app is told what may be the cause (nanoseconds).
  static let patience: UInt64 = 10_000_000_000

  let serviceType: ServiceType
  /// The name this session advertises under.
  let instanceName: String

  /// Nil unless discovery runs.
  private var discovery: Discovery?
  /// The content of the advertisement.
  private(set) var record: DiscoveryRecord
  private var found: [Candidate.ID: (instance: ServiceInstance, candidate: Candidate)] = [:]
  /// The peers that answered when this session dialled a service.
  private var peers: [Candidate.ID: PeerID] = [:]
  /// The services that are being invited, by the number of the invitation.
  private var invited: [UInt64: Candidate.ID] = [:]
  private var names: [PeerID: String] = [:]
  /// Ends when the app is to be told that nobody was found.
  var silence: LoopTimer?

  init(serviceType: ServiceType, instanceName: String, record: DiscoveryRecord = DiscoveryRecord()) {
    (self.serviceType, self.instanceName, self.record) = (serviceType, instanceName, record)
  }

  // MARK: Services

  /// The services seen, in the order of their ids.
  var candidates: [Candidate] { found.values.map(\.candidate).sorted { $0.id < $1.id } }

  /// Advertises this session and looks for others; `handler` is called from any thread.
  ///
  /// - Parameters:
  ///   - mode: Which back-end to use.
  ///   - port: The TCP port this session listens on.
  ///   - handler: Receives what discovery says.
  mutating func start(
    _ mode: DiscoveryMode, port: UInt16, _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) throws(SessionError) {
    do {
      let discovery = Discovery(mode: mode)
      let instance = try ServiceInstance(name: instanceName, type: serviceType)
      let advertisement = Advertisement(instance: instance, port: port, info: try record.info())
      try discovery.start(browsing: serviceType, advertising: advertisement, handler)
      self.discovery = discovery
    } catch {
      throw SessionError(discovery: error)
    }
  }

  /// Lets the advertisement say something else.
  ///
  /// - Throws: ``SessionError`` with the code `invalidArgument` for what no advertisement can carry; the old one stays.
  mutating func advertise(_ change: (inout DiscoveryRecord) -> Void) throws(SessionError) {
    var changed = record
    change(&changed)
    guard changed != record else { return }
    do throws(DiscoveryError) {
      discovery?.updateInfo(try changed.info())
    } catch {
      throw SessionError(discovery: error)
    }
    record = changed
  }

  /// Ends discovery.
  mutating func stop() {
    discovery?.stop()
    (discovery, silence) = (nil, nil)
  }

  /// Records what discovery says, and translates it for the app.
  mutating func take(_ event: DiscoveryEvent) -> Session.Event? {
    switch event {
    case .advertised: return nil
    case .available(let backend): return .discoveryAvailable(backend: backend)
    case .unavailable(let reason): return .discoveryUnavailable(reason: reason)
    case .found(let instance, let info), .updated(let instance, let info):
      let candidate = Candidate(instance, info, peer: peers[instance.name].map(peer))
      found[instance.name] = (instance, candidate)
      return .candidateFound(candidate)
    case .lost(let instance): return found.removeValue(forKey: instance.name).map { .candidateLost($0.candidate) }
    }
  }

  /// The service `id` and what resolves it.
  ///
  /// - Throws: ``SessionError`` with the code `unknownPeer` when it is not on the network.
  func service(_ id: Candidate.ID) throws(SessionError) -> (Discovery, ServiceInstance) {
    guard let discovery, let service = found[id] else {
      throw SessionError(.unknownPeer, "\(id) is not on the network any more")
    }
    return (discovery, service.instance)
  }

  /// A dial of the service `id` has failed: it is lost unless it answers a question soon.
  func reconfirm(_ id: Candidate.ID) {
    if let service = found[id] { discovery?.reconfirm(service.instance) }
  }

  // MARK: Peers

  /// A peer by its id, with the name it last gave.
  func peer(_ id: PeerID) -> Peer { Peer(id: id, name: names[id] ?? id.short) }

  /// Records the name of a member.
  mutating func note(_ peer: Peer) { names[peer.id] = peer.name }

  /// Records the name that a peer gives itself.
  ///
  /// - Parameter members: The peers whose names are still needed when too many are remembered.
  mutating func identify(_ peer: Peer, members: () -> Set<PeerID>) {
    if names.count >= Self.rememberedPeers {
      let kept = members().union(peers.values)
      names = names.filter { kept.contains($0.key) }
    }
    names[peer.id] = peer.name
  }

  // MARK: Keys of services

  /// The key that answered when this session dialled a service; nil before that.
  func key(of candidate: Candidate.ID) -> PeerID? { peers[candidate] }

  /// A service is about to be dialled for this invitation.
  mutating func begin(_ invitation: UInt64, to candidate: Candidate.ID) { invited[invitation] = candidate }

  /// An invitation has ended.
  mutating func end(_ invitation: UInt64) { invited[invitation] = nil }

  /// Records the peer that an invitation has reached; returns its candidate if that was not known to be the peer.
  ///
  /// Nothing else binds a service to a peer: neither what a peer says of itself nor an advertisement proves anything.
  mutating func reached(_ id: PeerID, by invitation: UInt64) -> Session.Event? {
    guard let service = invited[invitation] else { return nil }
    if peers.count >= Self.rememberedPeers { peers = peers.filter { found[$0.key] != nil } }
    peers[service] = id
    guard let known = found[service], known.candidate.peer != peer(id) else { return nil }
    var candidate = known.candidate
    candidate.peer = peer(id)
    found[service] = (known.instance, candidate)
    return .candidateFound(candidate)
  }
}
