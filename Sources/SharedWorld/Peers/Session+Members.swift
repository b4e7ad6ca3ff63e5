import AnchorReplication
import Basics
import BasicsLinux
import PeerProtocol
import PeerTransport
import ServiceDiscovery
import WorldModel

extension Session {
  // MARK: State

  /// Everything an app shows of a session, at one moment.
  public var state: State {
    let (map, candidates, trust) = (mapDesk.latest, discovery.candidates, trust)
    let state = try? read { node, now in
      State(
        peers: node.memberSummaries.map { member in
          PeerStatus(
            member, map: node.mapStatus(of: member.peerID),
            recognition: trust.recognition(of: Peer(id: member.peerID, name: member.name)))
        },
        inviting: node.invitedPeers.map(discovery.peer), host: (node.host?.peer).map(peer), epoch: node.epoch,
        mapID: map?.id,
        mapStatus: node.mapStatus, isSynchronized: node.isSynchronized,
        mapPoints: map?.points ?? 0, anchorCount: node.anchors.count,
        sessionTime: SessionTime(milliseconds: node.sessionTime(at: now)),
        isLocked: node.rules.isLocked, memberLimit: node.rules.limit, candidates: candidates)
    }
    return state
      ?? State(
        peers: [], inviting: [], host: nil, epoch: 0, mapID: nil, mapStatus: .none, isSynchronized: false,
        mapPoints: 0, anchorCount: 0, sessionTime: .zero, isLocked: false,
        memberLimit: configuration.limits.members, candidates: [])
  }

  /// The connections of the session, and what this peer's own ones carry.
  func statistics() -> Statistics {
    let found = try? read { node, _ in (node.presence, node.memberSummaries) }
    guard let (presence, members) = found else { return Statistics(connections: [], links: [], turns: 0) }
    let links = members.filter(\.isDirect).map { member in
      Statistics.Link(
        peer: Peer(id: member.peerID, name: member.name), roundTrip: member.roundTrip, bytesSent: member.bytesSent,
        bytesReceived: member.bytesReceived,
        queuedBytes: member.bytesWaiting + (member.link.flatMap { driver?.queuedBytes(on: $0) } ?? 0))
    }
    let connections = presence.map { Statistics.Connection($0, $1) }
      .inOrder { ($0.one, $0.other) < ($1.one, $1.other) }
    return Statistics(connections: connections, links: links, turns: driver?.turns ?? 0)
  }
}

extension Session {
  // MARK: Invitations

  /// Invites a peer and waits for its answer.
  func invite(
    _ target: InvitationTarget, expecting expected: PeerID? = nil, context: [UInt8] = [], timeout: Duration
  ) async throws(SessionError) -> Peer {
    guard context.count <= ProtocolLimits.invitationContext else {
      throw SessionError(
        .limitExceeded, "an invitation's context has at most \(ProtocolLimits.invitationContext) bytes")
    }
    try requireRunning()
    let deadline = loop.time(after: timeout)
    let expected = expected ?? key(of: target)
    var addresses = try await addresses(of: target, timeout: timeout)
    while true {
      let outcome = await invite(addresses, of: target, expecting: expected, context: context, until: deadline)
      // A peer that has just started again is first looked for where its earlier start listened.
      guard case .value(.unreachable) = outcome, target.candidate != nil,
        let found = try? await self.addresses(of: target, timeout: loop.rest(until: deadline)),
        KeySet(found) != KeySet(addresses)
      else { return try peer(from: outcome, inviting: target, at: addresses) }
      addresses = found
    }
  }

  /// Dials addresses until somebody has answered the invitation, or nobody listens there.
  private func invite(
    _ addresses: [SocketAddress], of target: InvitationTarget, expecting expected: PeerID?, context: [UInt8],
    until deadline: UInt64
  ) async -> Waited<InvitationResult> {
    let rest = loop.rest(until: deadline)
    var invitation: UInt64?
    let outcome = await wait(in: peerDesk.invitations) { number in
      invitation = number
      if let candidate = target.candidate { discovery.begin(number, to: candidate) }
      return .invite(
        InvitationID(rawValue: number), addresses, expecting: expected, context: context, timeout: rest)
    } givingUp: { number in
      .cancelInvitation(InvitationID(rawValue: number))
    }
    if let invitation { discovery.end(invitation) }
    if case .value(.unreachable) = outcome, let candidate = target.candidate { discovery.reconfirm(candidate) }
    return outcome
  }

  /// The key that is known to be behind a target.
  private func key(of target: InvitationTarget) -> PeerID? {
    switch target {
    case .candidate(let id): discovery.key(of: id)
    case .link(let link): link.peer
    case .known(let peer): peer
    case .address, .service: nil
    }
  }

  private func peer(
    from outcome: Waited<InvitationResult>, inviting target: InvitationTarget, at addresses: [SocketAddress]
  ) throws(SessionError) -> Peer {
    switch outcome {
    case .value(.accepted(let peer)): return discovery.peer(peer)
    case .value(.declined(let peer, let reason)):
      throw SessionError(.declined, "\(discovery.peer(peer).name) declined: \(reason)")
    case .value(.unreachable):
      if let seen = target.candidate.flatMap(discovery.candidate) {
        let (name, places) = (seen.name ?? "\(seen.id)", addresses.map { "\(PeerAddress($0))" }.joined(separator: ", "))
        throw SessionError(
          .unreachable,
          "nobody answers at \(places), where '\(name)' says that it is: either it has just ended, or a firewall lets "
            + "multicast pass and not TCP; let that port pass on its device")
      }
      throw SessionError(
        .unreachable, "nobody answers at \(target); check the address, and that the peer runs and can be reached")
    case .value(.notAdmitted(let found)):
      throw SessionError(
        .notPermitted,
        "the key that answers at \(target), \(found.short), is not on this session's list; it was sent nothing. Add it to "
          + "the list if it is the device you mean")
    case .value(.identityMismatch(let expected, let found)):
      throw SessionError(
        .identityMismatch,
        "the key that answers at \(target) is \(found.short), not the expected \(expected.short); it was sent nothing. "
          + "Compare the keys on both devices, and name the new one if it is the device you mean")
    case .value(.timedOut):
      throw SessionError(.invitationTimedOut, "nobody answered the invitation in time; try again")
    case .value(.cancelled), .cancelled: throw SessionError(.cancelled, "the invitation was withdrawn")
    case .value(.failed(let reason)), .ended(let reason): throw SessionError(ended: reason)
    }
  }

  private func addresses(
    of target: InvitationTarget, timeout: Duration
  ) async throws(SessionError) -> [SocketAddress] {
    switch target {
    case .address(let address):
      guard address.port > 0 else {
        throw SessionError(.invalidArgument, "\(address) has no port to connect to; give one from 1 to 65535")
      }
      return try await address.resolved()
    case .link(let link):
      guard link.service == configuration.service else {
        throw SessionError(
          .otherService, "the link leads to a session of '\(link.service)'; this one is of '\(configuration.service)'")
      }
      return try await link.resolved()
    case .known(let peer):
      let addresses = try await trust.addressBook?.addresses(of: peer) ?? []
      guard !addresses.isEmpty else {
        throw SessionError(.unknownPeer, "no address of \(peer.short) is recorded; invite it by an address or a link")
      }
      return addresses
    case .service(let id, let browser): return try await browser.addresses(of: id, timeout: min(timeout, .seconds(5)))
    case .candidate(let id): return try await addresses(of: id, timeout: timeout)
    }
  }

  /// Where a candidate can be dialled: where it announced itself, and where discovery finds it.
  private func addresses(of id: Candidate.ID, timeout: Duration) async throws(SessionError) -> [SocketAddress] {
    let announced = discovery.announcedAddresses(of: id)
    guard let (resolver, instance) = discovery.service(id) else {
      guard announced.isEmpty else { return announced }
      throw SessionError(.unknownPeer, "\(id) is not on the network any more")
    }
    do throws(DiscoveryError) {
      // Where multicast does not work either, an announced address must not wait for it.
      let patience: Duration = announced.isEmpty ? .seconds(5) : .milliseconds(500)
      let resolved = try await resolver.resolve(instance, timeout: min(timeout, patience))
      return announced + resolved.filter { !announced.contains($0) }
    } catch {
      discovery.reconfirm(id)
      guard announced.isEmpty else { return announced }
      let isSilent = error == .resolutionTimedOut(instance)
      throw SessionError(isSilent ? .unreachable : .notConnected, "\(id) cannot be resolved: \(error)", cause: error)
    }
  }

  /// Asks the network at which addresses a candidate can be dialled; those of its announcements come first.
  func resolve(
    _ candidate: Candidate.ID, timeout: Duration
  ) async throws(SessionError) -> [PeerAddress] {
    try requireRunning()
    return try await addresses(of: candidate, timeout: timeout).map { PeerAddress($0) }
  }

  // MARK: Answers

  /// Answers by the policy, or asks the app, beside the event loop, and brings its answer back.
  func ask(_ id: InvitationID, _ invitation: Invitation) {
    // A companion of this program is let in whatever the app says to others.
    if trust.companions.contains(invitation.peer.id) { return answerSoon(id, invitation, .accept) }
    switch configuration.invitations.incoming {
    case .all: answerSoon(id, invitation, .accept)
    case .none: answerSoon(id, invitation, .decline(reason: "this peer accepts no invitations"))
    case .ask(let handler): ask(id, invitation, handler)
    }
  }

  /// Answers in the next round: the app hears of the invitation before it hears of its consequences.
  private func answerSoon(_ id: InvitationID, _ invitation: Invitation, _ decision: InvitationDecision) {
    loop.execute { [weak self] in self?.assumeIsolated { $0.answer(id, invitation, decision) } }
  }

  private func ask(
    _ id: InvitationID, _ invitation: Invitation,
    _ handler: @escaping @Sendable (Invitation) async -> InvitationDecision
  ) {
    let end = trust.invitations.begin(invitation.id)
    let added = jobs.add { [weak self] in
      let decision = await OpenQuestions.answer(until: end) { await handler(invitation) }
      if let decision { await self?.answer(id, invitation, decision) }
    }
    if !added { answer(id, invitation, .decline(reason: "busy")) }
  }

  private func answer(_ id: InvitationID, _ invitation: Invitation, _ decision: InvitationDecision) {
    trust.invitations.end(invitation.id)
    if case .decline(let reason) = decision {
      hub.log.write(.declined, "the invitation by \(invitation.peer.name) was declined: \(reason)")
    }
    input(.answer(id, decision))
  }

  /// A link with which others invite this peer: to the addresses that members are told, without the passcode.
  func invitationLink() throws(SessionError) -> InvitationLink {
    let addresses = try read { node, _ in node.roster[identity.peerID]?.addresses ?? [] }
    guard !addresses.isEmpty else {
      throw SessionError(.notConnected, "this machine has no address that others could dial; connect it to a network")
    }
    let own = addresses.prefix(InvitationLink.addressLimit).map { PeerAddress($0) }
    return try InvitationLink(to: own, service: configuration.service, peer: identity.peerID)
  }

  /// Tells everybody on the network something else of the app (``Configuration/Advertising/info``).
  func setDiscoveryInfo(_ info: [String: String]) throws(SessionError) {
    try requireRunning()
    try discovery.advertise { $0.appInfo = info }
  }

  /// Lets the advertisement say whether newcomers are let in.
  func advertiseStanding() {
    guard let driver else { return }
    let refusal = driver.read { node, _ in node.invitationRefusal }
    let standing: Candidate.Standing =
      switch refusal {
      case nil: .open
      case .locked: .locked
      case .some: .full
      }
    // This part of the record has room for each of its values.
    try? discovery.advertise { $0.standing = standing }
  }

  /// Asks the app whether both screens show the same code; its task is cancelled when the comparison ends without its answer.
  func ask(_ link: LinkID, _ comparison: CodeComparison) {
    guard let handler = configuration.authentication.codeHandler else { return }
    if trust.companions.contains(comparison.peer.id) { return input(.answerCode(link, isSame: true)) }
    let end = trust.comparisons.begin(comparison.id)
    let added = jobs.add { [weak self] in
      let answer = await OpenQuestions.answer(until: end) { await handler(comparison) }
      if let answer { await self?.input(.answerCode(link, isSame: answer)) }
    }
    if !added { input(.answerCode(link, isSame: false)) }
  }

  // MARK: Members

  /// Removes a member for the life of the session, also if it starts again; only the host can, in a creator's session the creator
  /// and the moderators.
  func kick(_ peer: PeerID) throws(SessionError) {
    // There a peer may be removed before it has come, or while it is away.
    if !isOwned { try requireMember(peer) }
    try handle(.kick(peer))
  }

  /// Asks to be host, and waits for what becomes of it.
  func requestHost(timeout: Duration) async -> HostOutcome {
    guard configuration.hosting.canHost else { return .unchanged }
    return await waitForHost(identity.peerID, timeout: timeout, after: .requestHost)
  }

  /// Asks the app, beside the event loop, whether a member that asks for it becomes host, and brings its answer back.
  func askForHost(_ peer: Peer) {
    let handler = configuration.hosting.requestHandler
    let added = jobs.add { [weak self] in
      let accepts = await handler?(peer) ?? false
      await self?.input(.answerHostRequest(peer.id, accepts: accepts))
    }
    if !added { input(.answerHostRequest(peer.id, accepts: false)) }
  }

  /// Hands the host's role to a member, and waits for what becomes of it.
  func handOver(to peer: PeerID, timeout: Duration) async throws(SessionError) -> HostOutcome {
    if peer != identity.peerID { try requireMember(peer) }
    guard try read({ node, _ in node.host == node.me }) else { throw SessionError(.notHost, anchor: nil) }
    return await waitForHost(peer, timeout: timeout, after: .handover(peer))
  }

  /// Gives the node an input that is to make a peer host, and waits for it.
  private func waitForHost(_ peer: PeerID, timeout: Duration, after first: Input) async -> HostOutcome {
    input(first)
    let outcome = await wait(in: peerDesk.hosts) { number in
      .awaitHost(HostWaitID(rawValue: number), peer, timeout: timeout)
    } givingUp: { number in
      .cancelHostWait(HostWaitID(rawValue: number))
    }
    switch outcome {
    case .value(.hosts): return .hosts
    case .value(.declined): return .refused
    case .value(.timedOut), .cancelled: return .unchanged
    case .ended: return .ended
    }
  }

  func requireMember(_ peer: PeerID) throws(SessionError) {
    let isMember = try read { node, _ in node.isMember(peer) }
    guard isMember else { throw SessionError(.unknownPeer, "\(peer.short) is not a member of this session") }
  }
}

extension PeerAddress {
  /// The addresses of a host and port given by hand.
  func resolved() async throws(SessionError) -> [SocketAddress] {
    do {
      return try await NameLookup.addresses(of: host, port: port)
    } catch {
      throw SessionError(.invalidArgument, "\(error)", cause: error)
    }
  }
}

extension InvitationLink {
  /// The addresses of all its hosts; a name that the system cannot resolve counts only when all of them are such.
  fileprivate func resolved() async throws(SessionError) -> [SocketAddress] {
    var (found, failure): ([SocketAddress], SessionError?) = ([], nil)
    for address in addresses {
      do throws(SessionError) { found += try await address.resolved() } catch { failure = error }
    }
    if found.isEmpty, let failure { throw failure }
    return found
  }
}

// MARK: - Companions

extension Session {
  /// Serves a connection that was made in this process.
  nonisolated func take(_ connection: any TransportConnection, from remote: PeerAddress) {
    loop.execute { [weak self] in
      guard let self else { return connection.close() }
      assumeIsolated { session in
        guard let driver = session.driver, let remote = SocketAddress(remote) else { return connection.close() }
        driver.admit(ConnectionStream(connection, isOpen: true), from: remote)
      }
    }
  }

  /// Nobody is asked about a session of this process.
  func expect(companion: PeerID) { trust.companions.insert(companion) }
}
