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
  /// Invites peers again and again.
  let inviter = Inviter()

  /// Nil unless discovery runs.
  private var discovery: Discovery?
  /// The content of the advertisement.
  private(set) var record: DiscoveryRecord
  /// A service on the network.
  private struct Service {
    let instance: ServiceInstance
    let record: DiscoveryRecord
    var seenBefore: Peer?
  }

  private var found: Table<Candidate.ID, Service> = [:]
  /// By the beginning of a peer's id, the services that claim to be that peer's.
  private var claims: Table<String, KeySet<Candidate.ID>> = [:]
  /// The peers that announce themselves, by the ids of their candidates.
  private var announced: Table<Candidate.ID, Announcement> = [:]
  /// Nil unless peers are announced.
  private var announcer: Announcer?
  /// The peers that answered when this session dialled a service.
  private var peers: Table<Candidate.ID, PeerID> = [:]
  /// The services that are being invited, by the number of the invitation.
  private var invited: Table<UInt64, Candidate.ID> = [:]
  /// The records of the services in sight with which an invitation failed so that another try cannot help.
  private var refusals: Table<Candidate.ID, DiscoveryRecord> = [:]
  /// The services in sight that the app was asked about.
  private var considered: KeySet<Candidate.ID> = []
  private var names: Table<PeerID, String> = [:]
  /// Ends when the app is to be told that nobody was found.
  var silence: LoopTimer?
  /// The key that known devices recognise the advertisement by; nil hides it from them too.
  let recognitionKey: RecognitionKey?
  /// Renews the tag of the advertisement.
  var renewal: LoopTimer?

  init(
    serviceType: ServiceType, instanceName: String, record: DiscoveryRecord = DiscoveryRecord(),
    recognitionKey: RecognitionKey? = nil
  ) {
    (self.serviceType, self.instanceName, self.record) = (serviceType, instanceName, record)
    self.recognitionKey = recognitionKey
  }

  // MARK: Services

  /// The services seen, in the order of their ids.
  var candidates: [Candidate] { KeySet(found.keys).union(KeySet(announced.keys)).compactMap(candidate) }

  /// The candidate with this id, if it is in sight.
  ///
  /// A peer that announces itself is listed by its service, where it has one.
  func candidate(_ id: Candidate.ID) -> Candidate? {
    if let service = found[id] {
      let peer = service.record.key.flatMap { announced[Self.id(ofKey: $0)]?.peer }
      return Candidate(
        id: id, service.record, peer: peers[id].map(self.peer), seenBefore: service.seenBefore, announced: peer,
        ways: peer == nil ? [.multicastDNS] : [.multicastDNS, .announcement])
    }
    guard let announcement = announced[id], claims[Self.key(of: announcement.peer)] == nil else { return nil }
    return Candidate(
      id: id, announcement.record, peer: peers[id].map(peer), announced: announcement.peer, ways: [.announcement])
  }

  /// The beginning of a peer's id, as an advertisement has it.
  static func key(of peer: PeerID) -> String { String(peer.description.prefix(16)) }

  /// The id of the candidate of a peer that announces itself and has no service.
  private static func id(ofKey key: String) -> Candidate.ID { "key-" + key }

  /// Advertises this session and looks for others; `handler` is called from any thread.
  ///
  /// - Parameters:
  ///   - discovery: Discovery that has not started.
  ///   - role: Whether to advertise, to look, or both.
  ///   - port: The TCP port this session listens on.
  ///   - handler: Receives what discovery says.
  mutating func start(
    _ discovery: Discovery, as role: DiscoveryRole, port: UInt16,
    _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) throws(SessionError) {
    do {
      let instance = try ServiceInstance(name: instanceName, type: serviceType)
      let advertisement = Advertisement(instance: instance, port: port, info: try record.info())
      try discovery.start(
        browsing: role == .advertiser ? nil : serviceType, advertising: role == .browser ? nil : advertisement, handler)
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
      // Refused also where nothing is advertised yet.
      let info = try changed.info()
      discovery?.updateInfo(info)
    } catch {
      throw SessionError(discovery: error)
    }
    record = changed
    announcer?.update(changed)
  }

  /// Advertises the tag of a day.
  mutating func renewTag(of peer: PeerID, on day: RecognitionBook.Day) {
    let tag = recognitionKey.map { RecognitionBook.tag(of: peer, $0, service: serviceType.name, on: day) }
    // Without room in the record the device goes unrecognised, as one that hides.
    try? advertise { $0.tag = tag }
  }

  /// Ends discovery.
  mutating func stop() {
    discovery?.stop()
    announcer?.stop()
    announcer = nil
    (discovery, silence, renewal) = (nil, nil, nil)
  }

  /// Records what discovery says, and translates it for the app.
  ///
  /// - Parameter recognise: Returns the known peer that a tag belongs to; without a name for one that this session has met.
  mutating func take(_ event: DiscoveryEvent, recognize: (_ tag: String) -> Peer?) -> [Session.Event] {
    switch event {
    case .advertised: return []
    case .available(let backend): return [.discoveryAvailable(backend: backend)]
    case .unavailable(let reason): return [.discoveryUnavailable(reason: reason)]
    case .found(let instance, let info), .updated(let instance, let info):
      let record = DiscoveryRecord(reading: info)
      return change(instance.name, also: [found[instance.name]?.record.key, record.key]) { desk in
        desk.withdrawClaim(of: instance.name)
        let seen = record.tag.flatMap(recognize)
        desk.found[instance.name] = Service(
          instance: instance, record: record, seenBefore: seen.map { $0.name.isEmpty ? desk.peer($0.id) : $0 })
        if let key = record.key { desk.claims[key, default: []].insert(instance.name) }
      }
    case .lost(let instance):
      forget(instance.name)
      return change(instance.name, also: [found[instance.name]?.record.key]) { desk in
        desk.withdrawClaim(of: instance.name)
        desk.found[instance.name] = nil
      }
    }
  }

  /// Looks again who the services are, since the key of a member is known by now; tells of those that look different.
  mutating func recognizeAgain(_ recognize: (_ tag: String) -> Peer?) -> [Session.Event] {
    let before = found.keys.map { ($0, candidate($0)) }
    for (id, _) in before {
      guard let seen = found[id]?.record.tag.flatMap(recognize) else { continue }
      let named = seen.name.isEmpty ? peer(seen.id) : seen
      found[id]?.seenBefore = named
    }
    return before.compactMap { id, old in
      candidate(id).flatMap { $0 == old ? nil : .candidateFound($0) }
    }
  }

  /// A candidate is out of sight: it is news when it comes back, and may be invited again.
  private mutating func forget(_ id: Candidate.ID) {
    considered.remove(id)
    refusals[id] = nil
  }

  private mutating func withdrawClaim(of service: Candidate.ID) {
    guard let key = found[service]?.record.key else { return }
    claims[key]?.remove(service)
    if claims[key]?.isEmpty == true { claims[key] = nil }
  }

  /// Changes what is known of a candidate and tells of all whose look that changes: of the services and the announcement
  /// under the beginnings of ids.
  private mutating func change(
    _ id: Candidate.ID, also keys: [String?], _ body: (inout Self) -> Void
  ) -> [Session.Event] {
    let others = keys.compactMap(\.self).flatMap { [Self.id(ofKey: $0)] + (claims[$0] ?? []) }
    let ids = [id] + KeySet(others).subtracting([id]).sorted
    let before = ids.map(candidate)
    body(&self)
    return zip(ids, before).compactMap { id, before in
      switch (before, candidate(id)) {
      case (nil, nil): nil
      case (let gone?, nil): .candidateLost(gone)
      case (nil, let new?): .candidateFound(new)
      case (let old?, let new?): old == new ? nil : .candidateFound(new)
      }
    }
  }

  // MARK: Announcements

  /// Begins to announce this session and to listen for others.
  mutating func announce(by announcer: Announcer) { self.announcer = announcer }

  /// Records who was found or lost by announcements.
  mutating func take(_ outcome: AnnouncementBook.Outcome) -> [Session.Event] {
    switch outcome {
    case .nothing, .answer: return []
    case .found(let announcement): return setAnnouncement(announcement, of: announcement.peer)
    case .lost(let peer):
      forget(Self.id(ofKey: Self.key(of: peer)))
      return setAnnouncement(nil, of: peer)
    }
  }

  private mutating func setAnnouncement(_ announcement: Announcement?, of peer: PeerID) -> [Session.Event] {
    let key = Self.key(of: peer)
    let id = Self.id(ofKey: key)
    return change(id, also: [key]) { $0.announced[id] = announcement }
  }

  /// The addresses from which the peer behind a candidate announced itself, the latest first.
  func announcedAddresses(of id: Candidate.ID) -> [SocketAddress] {
    candidate(id)?.announcedKey.flatMap { announcer?.book.entries[$0]?.addresses } ?? []
  }

  /// The service `id` and what resolves it.
  ///
  /// - Returns: nil when it is not on the network.
  func service(_ id: Candidate.ID) -> (Discovery, ServiceInstance)? {
    guard let discovery, let service = found[id] else { return nil }
    return (discovery, service.instance)
  }

  /// The machine that shows a service; nil where it was not heard.
  func source(of id: Candidate.ID) -> SocketAddress.Host? {
    if let (discovery, instance) = service(id) { return discovery.source(of: instance) }
    return announcedAddresses(of: id).first?.host.network
  }

  /// Whether the app was not asked about a service since that came into sight; from now on it was.
  mutating func isNews(_ candidate: Candidate.ID) -> Bool { considered.insert(candidate) }

  /// Whether a candidate says something else than when an invitation of it failed, or none has.
  func isPromising(_ id: Candidate.ID) -> Bool { refusals[id] != advertisement(of: id) }

  /// Whether a candidate says that it has another passcode than this session.
  func hasOtherPasscode(_ id: Candidate.ID) -> Bool {
    advertisement(of: id).map(record.hasOtherPasscode) ?? false
  }

  /// Another try cannot change that an invitation of a candidate failed, until that says something else.
  mutating func noteRefusal(by id: Candidate.ID) { refusals[id] = advertisement(of: id) }

  /// The words of a candidate on itself.
  private func advertisement(of id: Candidate.ID) -> DiscoveryRecord? { found[id]?.record ?? announced[id]?.record }

  /// A dial of the service `id` has failed: it is lost unless it answers a question soon.
  func reconfirm(_ id: Candidate.ID) {
    if let service = found[id] { discovery?.reconfirm(service.instance) }
  }

  /// The connection to a peer broke: its services are lost unless they answer soon.
  func reconfirmServices(of peer: PeerID) {
    for (service, owner) in peers where owner == peer { reconfirm(service) }
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

  /// The key that must answer when a service is dialled: the one that did so before; nil for any.
  ///
  /// Before that, the key of the known peer that the service seems to be.
  func key(of candidate: Candidate.ID) -> PeerID? {
    if let peer = peers[candidate] { return peer }
    let seen = self.candidate(candidate)
    return seen?.announcedKey ?? seen?.seenBefore?.id
  }

  /// A service is about to be dialled for this invitation.
  mutating func begin(_ invitation: UInt64, to candidate: Candidate.ID) { invited[invitation] = candidate }

  /// An invitation has ended.
  mutating func end(_ invitation: UInt64) { invited[invitation] = nil }

  /// Records the peer that an invitation has reached; returns its candidate if that was not known to be the peer.
  ///
  /// Nothing else binds a service to a peer: neither what a peer says of itself nor an advertisement proves anything.
  mutating func reached(_ id: PeerID, by invitation: UInt64) -> Session.Event? {
    guard let service = invited[invitation] else { return nil }
    inviter.reached(service)
    if peers.count >= Self.rememberedPeers { peers = peers.filter { candidate($0.key) != nil } }
    let before = candidate(service)
    peers[service] = id
    return candidate(service).flatMap { $0 == before ? nil : .candidateFound($0) }
  }
}

extension Announcement {
  /// The words of an advertisement.
  fileprivate var record: DiscoveryRecord {
    var record = DiscoveryRecord(showing: name.isEmpty ? nil : name)
    (record.version, record.standing, record.asksForPasscode) = (nil, standing, asksForPasscode)
    return record
  }
}
