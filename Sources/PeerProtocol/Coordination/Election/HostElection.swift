package import AnchorReplication
package import Basics

/// The election of one host among the members of a session ("sticky view-host"), one node's part of it.
///
/// A session needs one member that assigns places, gives session time and grants ownership, and there is no server to
/// name it. The known algorithms fail here. With the lowest id or the bully algorithm (Garcia-Molina 1982) every better
/// newcomer takes over, and two halves of a split that meet have no rule for merging. Raft asks a majority: of two
/// peers none is left when one dies, and the smaller half of a split stops.
///
/// So availability comes before uniqueness. A follower believes its host for a lease (Gray and Cheriton 1989), which
/// that host alone renews by its Beats. A node without a lease lets better-ranked ones go first, asks whether anybody
/// objects, and claims the next epoch when nobody does. On the two sides of a split there are two hosts, therefore.
/// When they meet, the lower one sends an Offer and decides nothing more until the answer, and the other one alone
/// decides: two decisions would cross, and leave both sides without a host or with the wrong one.
///
/// Time is the weak point of leases. A process that stood still hears no Beat, and would accuse a live host when it
/// wakes: a call that comes too late counts as a standstill of this node (`noticeStall`) and extends every deadline
/// instead.
///
/// The machine does no I/O: messages, time and the list of live members come in, ``nextOutput()`` says what to do.
/// After every call the owner drains the outputs to nil and calls ``tick(at:)`` when ``deadline`` has come. The rules
/// with their numbers are in Documentation/election.md, the exact state table in Documentation/Protocol/election.md.
package struct HostElection: Sendable {
  /// This node.
  package let me: NodeID
  /// The decisions of the app about hosting.
  package let configuration: ElectionConfiguration
  /// The rules that it keeps: all of them, but in a test that shows that one is needed.
  package let rules: ProtocolRules

  /// The phase of this node; each case but the last carries the instant that ends it.
  enum Phase: Equatable, Sendable {
    /// Follows `host` and believes in it until then.
    case following(until: Instant)
    /// Has no host and hears only.
    case listening(until: Instant)
    /// Has no host and lets better-ranked nodes go first.
    case waiting(until: Instant)
    /// Becomes host then, unless somebody objects.
    case canvassing(until: Instant)
    case hosting
  }

  /// A question to one node that keeps a host from deciding anything else until then.
  struct Lock: Equatable, Sendable {
    var node: NodeID
    var until: Instant
  }

  var phase: Phase
  /// The host this node follows or is; nil while there is none.
  package internal(set) var host: NodeID?
  /// The epoch of that host, or of the last one; 0 before the first.
  package internal(set) var epoch: UInt64 = 0
  /// The highest epoch this node has seen in any message.
  package internal(set) var maxEpochSeen: UInt64 = 0
  /// This node's place in the order of joining, or 0 before a host gave one.
  package internal(set) var joinSequence: UInt32 = 0
  /// The session time as this node reckons it.
  package internal(set) var clock: SessionClock

  /// The epoch of this node's last claim.
  var lastClaim: UInt64 = 0
  /// The place that the next newcomer to the session gets; when a lie has used the places up, all get the last one.
  var nextJoinSequence: UInt32 = 1 {
    didSet { nextJoinSequence = min(nextJoinSequence, ElectionMessage.greatestJoinSequence) }
  }
  /// The live members without this node.
  var members: [ElectionMember] = []
  /// Whether this node enters a session of others and has not heard its host yet.
  var isEntering = false
  /// The member whose session it enters; nil where that is not known.
  private(set) var entered: NodeID?
  /// When it asks for the host of that session, as the host of nobody but itself that it was before.
  var nextAsking: Instant = .distantFuture
  /// A fresh node that has members listens until then.
  var bootUntil: Instant
  /// No automatic request to be host before then (preemption).
  var quietUntil: Instant

  // Only a host uses these.
  var nextBeat: Instant
  var beatSequence: UInt32 = 0
  /// An Ack to an earlier Beat of this host is out of date.
  var countedFrom: UInt32 = 1
  var followers: [(node: NodeID, heard: Instant)] = []
  var offer: Lock?
  var handoverTo: Lock?
  /// No new Offer before then.
  var nextOffer: Instant

  var random: SeededRandom
  private var outputs = OutputQueue<ElectionOutput>()

  /// A fresh node that knows no member yet: it canvasses at once, and listens first if members appear meanwhile.
  package init(
    me: NodeID, configuration: ElectionConfiguration = ElectionConfiguration(), rules: ProtocolRules = .all,
    random: SeededRandom, at now: Instant
  ) {
    self.me = rules.contains(.freshIdentity) ? me : NodeID(peer: me.peer, incarnation: 0)
    self.configuration = configuration
    self.rules = rules
    self.random = random
    let timers = configuration.timers
    bootUntil = now.advanced(byNanoseconds: timers.lease + Int64(self.random.below(UInt64(timers.bootJitter))))
    phase = .waiting(until: now)
    clock = SessionClock(at: now)
    quietUntil = now
    nextBeat = now
    nextOffer = now
  }

  /// The role of this node in the election.
  package var role: ElectionRole {
    switch phase {
    case .following: .follower
    case .listening, .waiting: .waiting
    case .canvassing: .canvassing
    case .hosting: .host
    }
  }

  /// Whether this node is host.
  package var isHost: Bool { phase == .hosting }

  /// Until when this node believes in the host it follows; nil if it follows none.
  package var leaseUntil: Instant? {
    guard case .following(let until) = phase else { return nil }
    return until
  }

  /// This node's rank.
  package var rank: ElectionRank {
    ElectionRank(priority: configuration.priority, joinSequence: joinSequence, node: me)
  }

  /// The members that this node, as host, heard lately, with itself; 1 if it is not host.
  package func size(at now: Instant) -> Int {
    let oldest = now.advanced(byNanoseconds: -configuration.timers.ackLife)
    return 1 + followers.count { $0.heard > oldest }
  }

  /// Whether this node, as host, heard lately that `node` follows it.
  func isFollowed(by node: NodeID, at now: Instant) -> Bool {
    let oldest = now.advanced(byNanoseconds: -configuration.timers.ackLife)
    return followers.contains { $0.node == node && $0.heard > oldest }
  }

  /// The session time (ms): the host's monotonic clock as this node reckons it; it never runs backwards.
  package func sessionTime(at now: Instant) -> UInt64 { clock.time(at: now) }

  /// Lets session time begin no earlier than at `time` (ms), for a node that goes on with what an earlier session left.
  mutating func beginSessionTime(at time: UInt64, _ now: Instant) {
    clock.catchUp(with: time, at: now)
  }

  /// Goes on after the epochs that an earlier run of this peer has seen, and in its place in the order of joining.
  mutating func resume(epoch: UInt64, joinSequence: UInt32) {
    // Above it no member believes an epoch that is news to it.
    maxEpochSeen = min(epoch, Self.plainEpochs)
    self.joinSequence = joinSequence
    nextJoinSequence = joinSequence + 1
  }

  /// When ``tick(at:)`` has to be called next; nil if only a message can change anything.
  package var deadline: Instant? {
    switch phase {
    case .following(let until), .canvassing(let until): return until
    case .listening(let until), .waiting(let until): return configuration.canHost ? until : nil
    case .hosting:
      return min(
        nextBeat, nextAsking, offer?.until ?? .distantFuture, handoverTo?.until ?? .distantFuture)
    }
  }

  /// Takes the next thing to do, oldest first; nil when there is nothing left.
  package mutating func nextOutput() -> ElectionOutput? { outputs.next() }

  mutating func emit(_ output: ElectionOutput) {
    outputs.append(output)
  }

  /// Does whatever is due.
  package mutating func tick(at now: Instant) {
    noticeStall(at: now)
    assert(!isHost || host == me, "a host that follows another one")
    switch phase {
    case .following(let until):
      if now >= until { loseHost(.expired, at: now) }
    case .listening(let until):
      if now >= until { startWaiting(at: now) }
    case .waiting(let until):
      if now >= until { startCanvass(at: now) }
    case .canvassing(let until):
      if now >= until { claim(reason: .elected, at: now) }
    case .hosting:
      if let lock = offer, now >= lock.until { offer = nil }
      if let lock = handoverTo, now >= lock.until { handoverTo = nil }
      if now >= nextAsking { askForHost(at: now) } else if now >= nextBeat { beat(at: now) }
    }
  }

  /// Tells which other nodes are live members; the owner reckons that from its links and from what members report.
  ///
  /// It delays candidacies only; a host that is no longer listed is believed until its lease ends.
  package mutating func setReachable(_ members: [ElectionMember], at now: Instant) {
    noticeStall(at: now)
    let wasAlone = self.members.isEmpty
    self.members = members
    guard wasAlone, !members.isEmpty, now < bootUntil else { return }
    switch phase {
    case .waiting, .canvassing: phase = .listening(until: bootUntil)
    case .following, .listening, .hosting: break
    }
  }

  /// Tells that this node enters the session of a member, which may have no host yet.
  ///
  /// A node that hosts nobody but itself goes on, and says so at once, until it hears the host of that session: one of the two
  /// hosts at every moment. If it hears none for a lease it asks the members. A node without a host listens.
  package mutating func join(_ member: NodeID?, at now: Instant) {
    noticeStall(at: now)
    guard !(isHost && size(at: now) > 1), leaseUntil == nil else { return }
    bootUntil = now.advanced(byNanoseconds: configuration.timers.lease)
    (isEntering, entered) = (true, member)
    if isHost { (nextBeat, nextAsking) = (now, bootUntil) } else { enter(.listening(until: bootUntil)) }
  }

  /// Whether this node, without followers, enters a session whose host it has not heard yet.
  func isOnTheWay(at now: Instant) -> Bool { isEntering && now < bootUntil && !(isHost && size(at: now) > 1) }

  /// Whether a host may be that of the session which this node enters.
  ///
  /// One that hosts nobody may be on its way into a session itself, unless it is the very member whose session this node enters.
  func mayHostEntered(_ host: NodeID, size hostSize: UInt16) -> Bool {
    host == entered || hostSize > 1 || (entered == nil && !isHost && hostSize > 0)
  }
}

/// The state as bytes, for explorers that have to know whether they have been here before.
extension HostElection {
  /// Appends everything that later behaviour depends on but session time and chance; instants as what is left of them.
  ///
  /// Nodes are named by their incarnations, which therefore have to differ.
  package func writeState(to writer: inout ByteWriter, at now: Instant) {
    writePhase(to: &writer, at: now)
    writer.write(host?.incarnation ?? 0)
    writer.write(epoch)
    writer.write(maxEpochSeen)
    writer.write(lastClaim)
    writer.write(joinSequence)
    writer.write(nextJoinSequence)
    for member in members {
      writer.write(member.node.incarnation)
      writer.write(member.rank.joinSequence)
    }
    write(bootUntil, to: &writer, at: now)
    write(quietUntil, to: &writer, at: now)
    write(nextOffer, to: &writer, at: now)
    write(nextAsking, to: &writer, at: now)
    writer.write(UInt8(isEntering ? 1 : 0))
    writer.write(entered?.incarnation ?? 0)
    writer.write(beatSequence)
    writer.write(countedFrom)
  }

  private func writePhase(to writer: inout ByteWriter, at now: Instant) {
    switch phase {
    case .following(let until): write(until, to: &writer, at: now, tag: 1)
    case .listening(let until): write(until, to: &writer, at: now, tag: 2)
    case .waiting(let until): write(until, to: &writer, at: now, tag: 3)
    case .canvassing(let until): write(until, to: &writer, at: now, tag: 4)
    case .hosting:
      write(nextBeat, to: &writer, at: now, tag: 5)
      for lock in [offer, handoverTo] {
        write(lock?.until ?? .zero, to: &writer, at: now, tag: UInt8(truncatingIfNeeded: lock?.node.incarnation ?? 0))
      }
    }
    let timers = configuration.timers
    for follower in followers {
      let age = now.nanoseconds(since: follower.heard)
      guard age < timers.ackLife else { continue }
      writer.write(follower.node.incarnation)
      writer.write(UInt64(age))
    }
  }

  private func write(_ instant: Instant, to writer: inout ByteWriter, at now: Instant, tag: UInt8 = 0) {
    writer.write(tag)
    writer.write(UInt64(max(0, instant.nanoseconds(since: now))))
  }
}

extension HostElection {
  /// The part of it that all organs see.
  var reign: Reign {
    Reign(
      host: host, epoch: epoch, highestEpoch: maxEpochSeen, joinSequence: joinSequence, clock: clock,
      entry: isEntering && isHost ? entered.map { ($0, bootUntil) } : nil, followers: followers,
      ackLife: configuration.timers.ackLife)
  }
}
