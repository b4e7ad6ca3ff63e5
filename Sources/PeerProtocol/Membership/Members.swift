import Basics
import WorldModel

/// The admitted peers at run time: how each stands, and how it is dialled while no direct link stands.
///
/// The lower id dials at once, the other side only if that has not worked; news of a peer ends the pauses between dials.
struct Members: Sendable {
  /// A `Dictionary`, since it is looked through after every frame that may change a member.
  private var members: [PeerID: Member] = [:]
  /// Where members were reached, or said on a link of their own that they listen.
  private var provenAddresses: Table<PeerID, [SocketAddress]> = [:]
  private var dials: Table<DialID, PeerID> = [:]
  private var gate = DialGate()
  /// Members whose record a member on this machine handed on, or the member itself: they may be on this machine too.
  private var locals: KeySet<PeerID> = []

  /// When a member is to be dialled or reported; nil for never.
  func deadline(in links: borrowing LinkDirectory) -> Instant? {
    var next: Instant?
    for (peer, member) in members {
      if links.carrier(of: peer) == nil { next = min(next ?? .distantFuture, member.plan.nextAttempt) }
      if let notice = member.noticeDeadline { next = min(next ?? .distantFuture, notice) }
    }
    return next
  }

  /// Whether nobody else is admitted.
  var isEmpty: Bool { members.isEmpty }

  /// Whether a peer is admitted.
  func has(_ peer: PeerID) -> Bool { members[peer] != nil }

  // MARK: Admission

  /// Holds a peer as a member, or learns more of where it listens.
  mutating func expect(_ entry: RosterEntry, in turn: inout Turn) {
    let peer = entry.peerID
    if members[peer] == nil {
      var plan = plan(for: peer, in: turn)
      // In a large session everybody hears of a newcomer at once.
      let crowd = members.count - ProtocolLimits.unprovenDials
      if crowd > 0 { plan.postpone(to: plan.nextAttempt + turn.spread(over: crowd)) }
      members[peer] = Member(plan: plan)
      publish(in: &turn)
    } else {
      let addresses = credible(turn.addresses(of: entry), of: peer)
      members[peer]?.plan.add(addresses, at: turn.now)
      hasten(peer, in: &turn)
    }
  }

  /// Records whether a peer's record may name addresses of this machine: the one who said so is on it.
  mutating func locate(_ peer: PeerID, isLocal: Bool) {
    if isLocal { locals.insert(peer) } else { locals.remove(peer) }
  }

  private func credible(_ addresses: [SocketAddress], of peer: PeerID) -> [SocketAddress] {
    let teller = locals.contains(peer) ? SocketAddress.loopback(port: 0) : SocketAddress(host: .ipv4(0), port: 0)
    return addresses.filter { $0.isCredible(from: teller) }
  }

  /// Comes back to a peer that an earlier start of this one held as a member.
  ///
  /// A node that was away dials every member at once: the others do not know yet that they would be answered.
  mutating func resume(_ entry: RosterEntry, in turn: inout Turn) {
    var member = Member(plan: DialPlan(addresses: turn.addresses(of: entry), start: turn.now))
    member.wasAway = true
    members[entry.peerID] = member
    publish(in: &turn)
  }

  /// Holds a peer no longer; returns how it stood.
  mutating func dismiss(_ peer: PeerID, in turn: inout Turn) -> Member? {
    provenAddresses[peer] = nil
    locals.remove(peer)
    guard let member = members.removeValue(forKey: peer) else { return nil }
    publish(in: &turn)
    return member
  }

  /// A member was reached at these addresses, or said on a link of its own that it listens there.
  mutating func prove(_ addresses: [SocketAddress], of peer: PeerID) {
    provenAddresses[peer] = addresses
    members[peer]?.plan.isKnown = true
  }

  private func publish(in turn: inout Turn) {
    var standings: [PeerID: Standing] = [:]
    for (peer, member) in members {
      standings[peer] = Standing(
        status: member.status, isNoticed: member.isNoticed, isJoined: member.isJoined, reachedAt: member.reachedAt,
        wasAway: member.wasAway)
    }
    turn.mesh.publish(standings: standings)
  }

  // MARK: How they stand

  /// Records who can be reached now and tells the app; whether somebody came into reach.
  mutating func update(reachable nodes: KeySet<NodeID>, in turn: inout Turn) -> Bool {
    var came = false
    var isChanged = false
    for entry in turn.mesh.roster.entries where entry.status == .present && entry.peerID != turn.me.peer {
      let isReachable = nodes.contains(entry.node)
      guard update(entry, isReachable: isReachable, in: &turn) else { continue }
      isChanged = true
      came = came || isReachable
    }
    if isChanged { publish(in: &turn) }
    return came
  }

  /// Returns whether anything has changed.
  private mutating func update(_ entry: RosterEntry, isReachable: Bool, in turn: inout Turn) -> Bool {
    guard var member = members[entry.peerID] else { return false }
    switch (member.status, isReachable) {
    case (.connected, true), (.connecting, false), (.reconnecting, false), (.lost, false): return false
    case (.connecting, true), (.reconnecting, true), (.lost, true):
      member.reachedAt = turn.now
      if member.status != .connecting { member.wasAway = member.isNoticed || !member.isJoined }
      member.status = .connected
      if !member.isJoined {
        member.isJoined = true
        turn.report(.peerJoined(entry.peerID, name: entry.name))
      } else if member.isNoticed {
        turn.report(.peerReconnected(entry.peerID))
      }
      member.isNoticed = false
      member.lastEnd = .connectionLost
    case (.connected, false):
      member.status = .reconnecting(since: turn.now)
    }
    members[entry.peerID] = member
    if isReachable { hasten(entry.peerID, in: &turn) }
    return true
  }

  /// Tells the app of members that stay away.
  mutating func expire(in turn: inout Turn) {
    var isChanged = false
    for entry in turn.mesh.roster.entries {
      guard var member = members[entry.peerID], case .reconnecting(let since) = member.status else { continue }
      let (away, patience) = (turn.now - since, member.patience)
      if away >= patience.lost {
        member.status = .lost
        member.isJoined = false
        turn.tell(.memberLost)
        turn.report(.peerLeft(entry.peerID, name: entry.name, reason: member.lastEnd))
      } else if away >= patience.notice, !member.isNoticed {
        member.isNoticed = true
        turn.report(.peerReconnecting(entry.peerID))
      } else {
        continue
      }
      members[entry.peerID] = member
      isChanged = true
    }
    if isChanged { publish(in: &turn) }
  }

  /// Grants every member the time in which this node stood still.
  mutating func excuse(_ gap: Duration, in turn: inout Turn) {
    for entry in turn.mesh.roster.entries { members[entry.peerID]?.excuse(gap, at: turn.now) }
    publish(in: &turn)
  }

  /// Records why the link that carried a member's traffic, or should have, ended, if that says why it stays away.
  mutating func noteEnd(of closed: ClosedLink) {
    switch closed.cause {
    case .ended(let reason), .goodbye(let reason): if closed.isLast { noteEnd(of: closed.peer, reason) }
    case .dropped, .lost: break
    }
  }

  private mutating func noteEnd(of peer: PeerID, _ reason: EndReason) {
    switch reason {
    case .versionMismatch, .identityMismatch, .limitExceeded, .protocolError, .timedOut, .refused, .otherService,
      .passcodeRequired, .passcodeRefused, .passcodeLocked, .passcodeWait, .codeRequired, .codeRefused, .codeBusy,
      .driverRequired,
      .authenticationFailed:
      members[peer]?.lastEnd = reason
    case .left, .kicked, .ownIdentity, .duplicate, .connectionLost, .replaced, .locked: break
    }
  }

  // MARK: Dialling

  /// Dials members that are not linked directly.
  mutating func dial(in turn: inout Turn) {
    for entry in turn.mesh.roster.entries where entry.status == .present && entry.peerID != turn.me.peer {
      let peer = entry.peerID
      guard turn.mesh.links.carrier(of: peer) == nil, members[peer]?.plan.isDue(at: turn.now) == true else { continue }
      let dial = DialID(rawValue: turn.freshNumber())
      guard mayDial(peer, dial, at: turn.now) else {
        members[peer]?.plan.postpone(to: turn.now + ProtocolTimes.dialDelay)
        continue
      }
      if let address = members[peer]?.plan.attempt(dial, at: turn.now, random: &turn.random) ?? nil {
        dials[dial] = peer
        turn.emit(.connect(dial, address))
      }
    }
  }

  /// Whether the next address of a member may be dialled now.
  private mutating func mayDial(_ peer: PeerID, _ dial: DialID, at now: Instant) -> Bool {
    guard let address = members[peer]?.plan.nextAddress else { return false }
    return provenAddresses[peer]?.contains(address) == true || gate.admits(dial, to: address, at: now)
  }

  /// A dial has become a link to `peer`; returns whether that is the member it was meant for.
  mutating func dialOpened(_ dial: DialID, peer: PeerID, in turn: borrowing Turn) -> DialArrival {
    gate.ended(dial)
    guard let wanted = dials.removeValue(forKey: dial) else { return .meant }
    guard wanted != peer else {
      members[peer]?.plan.opened(dial, at: turn.now)
      return .meant
    }
    members[wanted]?.plan.failed(dial, refused: false, at: turn.now)
    // A link to this peer itself ends for that reason.
    guard peer != turn.me.peer else { return .meant }
    return turn.mesh.roster.admits(peer) ? .otherMember : .foreign
  }

  /// Somebody is at the address of a dial.
  mutating func dialConnected(_ dial: DialID, at now: Instant) {
    gate.connected(dial, at: now)
    if let peer = dials[dial] { members[peer]?.plan.connected(dial, at: now) }
  }

  /// A dial came to nothing.
  mutating func dialFailed(_ dial: DialID, refused: Bool, in turn: borrowing Turn) {
    gate.ended(dial)
    guard let peer = dials.removeValue(forKey: dial) else { return }
    members[peer]?.plan.failed(dial, refused: refused, at: turn.now)
  }

  /// Dials a member whose link is gone; one after another that do not last are made further and further apart.
  mutating func redial(_ peer: PeerID, linkedSince since: Instant, in turn: inout Turn) {
    guard let brief = members[peer]?.plan else { return }
    var plan = plan(for: peer, in: turn)
    if turn.now - since < ProtocolTimes.lastingLink {
      plan.goOn(from: brief, at: turn.now, random: &turn.random)
    }
    members[peer]?.plan = plan
  }

  /// The network may have changed: unlinked members are dialled soon.
  mutating func hastenAll(in turn: inout Turn) {
    let missing = turn.mesh.roster.entries.filter { entry in
      turn.mesh.links.carrier(of: entry.peerID) == nil && members[entry.peerID] != nil
    }
    for entry in missing { hasten(entry.peerID, among: missing.count, in: &turn) }
  }

  /// A member may answer again, one of `count` of which that is known at once: it is dialled soon.
  private mutating func hasten(_ peer: PeerID, among count: Int = 1, in turn: inout Turn) {
    guard turn.mesh.links.carrier(of: peer) == nil, members[peer] != nil else { return }
    let soon = dialTime(to: peer, in: turn) + turn.spread(over: count)
    members[peer]?.plan.hasten(to: soon)
  }

  private func plan(for peer: PeerID, in turn: borrowing Turn) -> DialPlan {
    let start = dialTime(to: peer, in: turn)
    let addresses = turn.mesh.roster[peer].map(turn.addresses) ?? []
    var plan = DialPlan(addresses: credible(addresses, of: peer), start: start)
    plan.isKnown = provenAddresses[peer] != nil
    // The peer's own word on a link comes before that of others: a lie must not make it unreachable.
    plan.add(provenAddresses[peer] ?? [], at: start)
    return plan
  }

  /// When this side's turn to dial begins: the lower id comes first, and has longer where it has many to dial.
  private func dialTime(to peer: PeerID, in turn: borrowing Turn) -> Instant {
    guard turn.me.peer > peer else { return turn.now }
    let missing = members.count - turn.mesh.links.members.count
    return turn.now + ProtocolTimes.dialTurn * max(1, missing / ProtocolLimits.unprovenDials)
  }
}

extension Turn {
  /// Where a member is dialled: nowhere if this node does not admit it, or asks for its code, though others have admitted it.
  func addresses(of entry: RosterEntry) -> [SocketAddress] {
    configuration.admits(entry.peerID) && !asksForCode(of: entry.peerID) ? entry.addresses : []
  }

  /// A random wait that keeps dials to `count` peers apart.
  mutating func spread(over count: Int) -> Duration {
    let most = ProtocolTimes.newsSpread * max(count, 5)
    return .nanoseconds(Int64(random.below(UInt64(most.wholeNanoseconds))))
  }
}
