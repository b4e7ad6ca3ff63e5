package import AnchorReplication
package import Basics
package import WorldModel

/// One peer's part in a session, without any I/O: bytes, clock readings and commands go in, one kind of output comes out.
///
/// The driver feeds it through ``handle(_:at:)`` and ``receive(_:on:at:)``, drains ``nextOutput()`` to nil after each
/// call, and sleeps until ``deadline``. It is a value: a simulation may copy, fork and compare it.
package struct Node: Sendable {
  package let configuration: NodeConfiguration
  /// This start of this peer.
  package let me: NodeID

  /// Every link, by number.
  var links = LinkTable()
  /// The link that carries each linked peer's traffic.
  var controlLinks: [PeerID: LinkID] = [:]
  /// The links that carry pieces of maps alone.
  var bulk = BulkLinks()

  package internal(set) var roster = Roster()
  /// Who may still come in.
  package internal(set) var rules: SessionRules
  /// Records that are not believed.
  var disputes: [PeerID: Dispute] = [:]
  /// Whether some of them may be believed now, because another one hosts or can be reached.
  var hasNewEvidence = false
  /// Who has said that this node was removed, since they were last linked as members.
  var removers: [PeerID] = []
  /// The last host that this node followed.
  var lastHost: PeerID?
  /// Who said itself that it leaves: which start of its process.
  var departed: [PeerID: UInt64] = [:]
  var members: [PeerID: Member] = [:]
  /// Where members were reached, or said on a link of their own that they listen.
  var provenAddresses: [PeerID: [SocketAddress]] = [:]
  /// Who is linked to whom.
  var graph: PresenceGraph
  var addresses: [SocketAddress]

  var outgoing: [OutgoingInvitation] = []
  var incoming: [IncomingInvitation] = []
  var dials: [DialID: DialPurpose] = [:]

  /// This node's part in the choice of a host; only ``elect(_:at:)`` changes it.
  package internal(set) var election: HostElection
  /// What the election was told and said since it was last asked for, if the configuration says so.
  var electionSteps: [ElectionStep] = []
  var relay: FloodRelay
  /// The replicated anchors.
  package var anchors: AnchorSet
  var replication = ReplicationState()
  var synchronisation = Synchronisation()
  /// Poses that count until the next one, and what this node drags.
  var ephemeral: EphemeralLane
  var drags = Drags()
  /// Whose poses the app is shown: the members that can be reached.
  var shownNodes: Set<NodeID> = []
  /// Which poses of others the app wants.
  var interest = InterestGate()
  /// Counts what this node told the others of that; 0 for nothing yet.
  var interestVersion: UInt32 = 0
  /// Which poses the others want.
  var interests = Interests()
  /// Who waits for whose word that operations have arrived.
  var acknowledgements = Acknowledgements()
  /// Who wants to own which anchor.
  var ownership = OwnershipDesk()
  var maps = MapLibrary()
  var privateAudience: [MapID: PeerID] = [:]
  var mapBoard = MapStatusBoard()
  /// The map this node shared last.
  package internal(set) var latestSharedMap: MapID?

  var random: SeededRandom
  /// Whether its part in the session is over.
  package internal(set) var hasEnded = false
  private var nextNumber: UInt64 = 1
  /// The record that was given out last, or that this node came back with.
  var keptRecord: NodeRecord?
  private var outputs = OutputQueue<Output>()
  private var unflushed: [LinkID] = []
  /// Until when no link, invitation or member has anything due; nil while that is not known.
  var quiet: Quiet?
  var nextAntiEntropy: Instant
  var lastTick: Instant
  /// Where the bytes for a link are put together.
  var scratch = ByteWriter()

  /// A node alone in its session, or one that comes back with what an earlier start of the same peer has kept.
  ///
  /// - Parameter record: What was kept; its peer and service must be those of the configuration.
  package init(_ configuration: NodeConfiguration, restoring record: NodeRecord? = nil, at now: Instant) {
    self.configuration = configuration
    me = NodeID(peer: configuration.peerID, incarnation: configuration.incarnation)
    addresses = configuration.addresses
    rules = SessionRules(limit: configuration.memberLimit)
    random = SeededRandom(seed: configuration.seed)
    election = HostElection(
      me: me, configuration: configuration.election, policy: configuration.mistakes.election, random: random.split(),
      at: now)
    graph = PresenceGraph(me: me, configuration: configuration.election)
    relay = FloodRelay()
    ephemeral = EphemeralLane(me: me)
    let reusesActor = configuration.mistakes.node.contains(.reusesActor)
    let actor = ActorID(peer: configuration.peerID, incarnation: reusesActor ? 1 : configuration.incarnation)
    anchors = AnchorSet(actor: actor, peer: configuration.peerID, policy: configuration.mistakes.replication)
    nextAntiEntropy = now + configuration.firstAntiEntropy
    lastTick = now
    _ = roster.assert(ownEntry)
    if let record { restore(record, at: now) }
  }

  /// Takes one input.
  package mutating func handle(_ input: Input, at now: Instant) {
    guard !hasEnded else { return }
    notice(now)
    switch input {
    case .writable(let id): regainRoom(on: id)
    case .tick: break
    default:
      quiet = nil
      handleChange(input, at: now)
    }
    runTimers(at: now)
  }

  /// The same as ``Input/writable(_:)``, for a driver that had room for all at once: no time has passed.
  package mutating func regainRoom(on id: LinkID) {
    if links.update(id, { $0.regainRoom() }) == true { flushSoon(id) }
  }

  /// Takes an input after which something else may be due.
  private mutating func handleChange(_ input: Input, at now: Instant) {
    switch input {
    case .linkOpened(let id, let peer, let dial, let remote):
      openLink(id, peer: peer, dial: dial, remote: remote, at: now)
    case .linkClosed(let id): linkClosed(id, at: now)
    case .dialFailed(let dial, let refused): dialFailed(dial, refused: refused, at: now)
    case .clockJumped(let gap): excuse(gap, at: now)
    case .addresses(let addresses): changeAddresses(addresses, at: now)
    case .chunksFound(let map, let chunks, let isLast):
      takeFound(chunks, of: map, isLast: isLast, at: now)
      checkSynchronised()
    case .chunkChecked(let verdict):
      settle(verdict, at: now)
      checkSynchronised()
    default: handleCommand(input, at: now)
    }
  }

  private mutating func handleCommand(_ input: Input, at now: Instant) {
    switch input {
    case .invite(let id, let addresses, let context, let timeout):
      invite(id, addresses, context: context, timeout: timeout, at: now)
    case .cancelInvitation(let id): endInvitation(id, .cancelled)
    case .answer(let id, let decision): answer(id, decision, at: now)
    case .share(let package, let peer): share(package, with: peer, at: now)
    case .cancelMap(let map): cancelMap(map, at: now)
    case .relocalised(let isRelocalised): setRelocalised(isRelocalised, at: now)
    case .send(let bytes, let peers): sendMessage(bytes, to: peers)
    case .handover(let peer): handover(to: peer, at: now)
    case .requestHost: elect(.request, at: now)
    case .kick(let peer): kick(peer, at: now)
    case .setLocked(let isLocked): setLocked(isLocked, at: now)
    case .leave: leave(at: now)
    default: break
    }
  }

  /// The next thing to do, or nil when there is nothing until ``deadline``.
  package mutating func nextOutput() -> Output? {
    if let order = nextOrder() { return order }
    if let (id, bytes) = nextTransmission() { return .transmit(id, bytes) }
    // To write for a link may end it.
    return nextOrder()
  }

  /// The next thing to do at once, for a driver that asks for what links have to send only when a round of its loop is over.
  package mutating func nextOrder() -> Output? {
    if let output = outputs.next() { return output }
    return takeChangedRecord().map { .persist($0) }
  }

  /// Whether ``nextOrder()`` has something besides a record to keep.
  package var hasOrders: Bool { !outputs.isEmpty }

  /// Whether ``nextTransmission()`` may have something.
  package var hasTransmissions: Bool { !unflushed.isEmpty }

  /// The next bytes for a link; afterwards there may be new orders.
  package mutating func nextTransmission() -> (link: LinkID, bytes: [UInt8])? {
    while let id = unflushed.popLast() {
      if let bytes = takeBytes(for: id) { return (id, bytes) }
    }
    return nil
  }

  /// When the node wants ``Input/tick`` at the latest; nil after the end.
  package var deadline: Instant? {
    guard !hasEnded else { return nil }
    var next = min(nextAntiEntropy, lastTick + ProtocolTimes.ping)
    next = min(next, election.deadline ?? next)
    next = min(next, graph.deadline ?? next)
    next = min(next, ephemeralDeadline ?? next)
    next = min(next, acknowledgements.deadline ?? next)
    next = min(next, ownership.deadline ?? next)
    return max(min(next, (quiet ?? quietNow).deadline), lastTick)
  }

  /// Takes back bytes that were transmitted, so that the next ones need no memory of their own.
  package mutating func reuse(_ spent: consuming [UInt8]) {
    scratch = ByteWriter(reusing: spent)
  }

  mutating func emit(_ output: Output) {
    outputs.append(output)
  }

  mutating func tell(_ event: NodeEvent) {
    outputs.append(.event(event))
  }

  /// Lets the link's waiting bytes leave after this turn.
  mutating func flushSoon(_ id: LinkID) {
    if links.update(id, { exchange(&$0.isFlushPending, with: true) }) == false { unflushed.append(id) }
  }

  /// A number that was not given before.
  mutating func freshNumber() -> UInt64 {
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// What this peer says of itself, without a version.
  var ownEntry: RosterEntry {
    RosterEntry(
      peerID: me.peer, version: 0, incarnation: me.incarnation, name: configuration.name, addresses: addresses)
  }
}

/// Why an address is dialled.
enum DialPurpose: Sendable, Equatable {
  case invitation(InvitationID)
  case member(PeerID)
  case bulk(PeerID, BulkOffer.Token)
}
