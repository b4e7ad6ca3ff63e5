public import WorldModel

extension Session.Peers {
  /// Peers that are found, come and go, and what they ask: those of ``Session/events`` that are about this part, with the same bounds.
  public var events: Session.Events { Session.Events(hub: session.hub, part: .peers) }

  /// Invites a peer and waits for its answer.
  ///
  /// Two peers that invite each other have both agreed: they are joined without asking, over one connection.
  /// - Parameters:
  ///   - target: the service or address to dial.
  ///   - expected: the one peer that is invited; another key that answers there is sent nothing. By default it is that of a link,
  ///     or the peer that answered when this session dialled the service before; without one it is any.
  ///   - context: data for the other app, at most 4 KiB.
  ///   - timeout: how long to wait, at most 60 s; two people who compare a code first get a minute more.
  /// - Throws: ``SessionError`` with the code `declined`, `unreachable` (within 5 s, when nobody listens at the address),
  ///   `identityMismatch` (another key answers), `invitationTimedOut` (somebody is there and did not answer), `cancelled`
  ///   (the task was cancelled), `unknownPeer`, `versionMismatch`, `otherService`, `limitExceeded`, `locked`,
  ///   `notPermitted` (``TrustPolicy/pinned(_:)`` does not have the key that answers), `passcodeRequired`,
  ///   `passcodeRefused`, `passcodeLocked`, `driverRequired`, `authenticationFailed`, `codeRequired`, `codeRefused`, `codeBusy` or
  ///   `notConnected`.
  public nonisolated(nonsending) func invite(
    _ target: InvitationTarget, expecting expected: PeerID? = nil, context: [UInt8] = [],
    timeout: Duration = .seconds(30)
  ) async throws(SessionError) -> Peer {
    try await session.invite(target, expecting: expected, context: context, timeout: timeout)
  }

  /// Invites a peer until it joins: an address without end, a service as long as it is in sight.
  ///
  /// It returns at once. A failure is told by ``Event/invitationFailed(_:_:isRetried:)``, once for each kind; one that another
  /// try cannot change ends it.
  public nonisolated(nonsending) func keepInviting(_ target: InvitationTarget) async {
    await session.keepInviting(target)
  }

  /// A link with which others invite this peer: to the addresses that members are told, without the passcode.
  ///
  /// - Throws: ``SessionError`` with the code `notConnected` while this machine has no address.
  public nonisolated(nonsending) func invitationLink() async throws(SessionError) -> InvitationLink {
    try await session.invitationLink()
  }

  /// Tells everybody on the network something else of the app (``Configuration/Advertising/info``).
  ///
  /// - Throws: ``SessionError`` with the code `invalidArgument` when the advertisement cannot carry it; the old one stays.
  public nonisolated(nonsending) func setDiscoveryInfo(_ info: [String: String]) async throws(SessionError) {
    try await session.setDiscoveryInfo(info)
  }

  /// Asks the network at which addresses a candidate can be dialled; those of its announcements come first.
  ///
  /// - Throws: ``SessionError`` with the code `unknownPeer` (it is not in sight), `unreachable` (nobody answers for it) or
  ///   `notConnected`.
  public nonisolated(nonsending) func resolve(
    _ candidate: Candidate.ID, timeout: Duration = .seconds(5)
  ) async throws(SessionError) -> [PeerAddress] {
    try await session.resolve(candidate, timeout: timeout)
  }

  /// Looks for what may keep this device from finding others of its service (``NetworkDiagnosis/run(service:)``).
  ///
  /// - Throws: ``SessionError`` with the code `io` when the system gives no thread.
  public func diagnose() async throws(SessionError) -> NetworkDiagnosis {
    try await NetworkDiagnosis.run(service: session.configuration.service)
  }

  /// The connections of the session, and what this peer's own ones carry.
  public nonisolated(nonsending) var statistics: Session.Statistics { get async { await session.statistics() } }

  /// Removes a member for the life of the session, also if it starts again; only the host can, in a creator's session the creator
  /// and the moderators.
  ///
  /// - Throws: ``SessionError`` with the code `unknownPeer`, `notHost`, or in a creator's session `notPermitted` or `limitExceeded`.
  public nonisolated(nonsending) func remove(_ peer: PeerID) async throws(SessionError) {
    try await session.kick(peer)
  }

  /// Turns newcomers away from now on; only the host can, in a creator's session the creator and the moderators.
  ///
  /// Members stay, and those that lost their connection or started again come back. The lock holds when the host changes.
  /// - Throws: ``SessionError`` with the code `notHost`, or in a creator's session `notPermitted`.
  public nonisolated(nonsending) func lock() async throws(SessionError) {
    try await session.handle(.setLocked(true))
  }

  /// Lets newcomers in again; those can that can lock.
  ///
  /// - Throws: ``SessionError`` with the code `notHost`, or in a creator's session `notPermitted`.
  public nonisolated(nonsending) func unlock() async throws(SessionError) {
    try await session.handle(.setLocked(false))
  }

  /// Forgets the wrong passcodes of strangers, so that devices may prove the passcode again that have to wait, or that the lock
  /// after 20 wrong ones keeps out.
  public nonisolated(nonsending) func unlockPasscode() async {
    await session.input(.unlockPasscode)
  }

  /// Asks to be host, and waits for what becomes of it.
  ///
  /// The present host decides by its ``Session/Configuration/Hosting/requestHandler``; without a host this peer stands for election at
  /// once. A peer that may not host (``Session/Configuration/Hosting/canHost``) asks for nothing.
  /// - Parameter timeout: how long to wait.
  @discardableResult
  public nonisolated(nonsending) func requestHost(timeout: Duration = .seconds(5)) async -> HostOutcome {
    await session.requestHost(timeout: timeout)
  }

  /// Hands the host's role to a member, and waits for what becomes of it.
  ///
  /// This peer goes on hosting when the member does not take the role over.
  /// - Parameters:
  ///   - peer: the member that is to host.
  ///   - timeout: how long to wait.
  /// - Throws: ``SessionError`` with the code `unknownPeer`, `notHost` when this peer does not host, or `ended`.
  @discardableResult
  public nonisolated(nonsending) func handOver(
    to peer: PeerID, timeout: Duration = .seconds(5)
  ) async throws(SessionError) -> HostOutcome {
    try await session.handOver(to: peer, timeout: timeout)
  }

  /// The peer that began a creator's session; nil in an open one.
  public nonisolated(nonsending) var creator: Peer? { get async { await session.creator() } }

  /// The part of a peer, this one included, in a creator's session; nil of one that is not admitted, and in an open session.
  public nonisolated(nonsending) func role(of peer: PeerID) async -> PeerRole? {
    await session.role(of: peer)
  }

  /// How long a peer has its part in a creator's session from now; nil for a part without an end, for none, and in an open session.
  public nonisolated(nonsending) func roleTime(of peer: PeerID) async -> Duration? {
    await session.roleTime(of: peer)
  }

  /// Gives a peer a part in a creator's session.
  ///
  /// The creator names moderators, and makes them members again; what they have admitted and removed stays. With any
  /// other role a peer is admitted also before it comes, and after it was removed, by the creator or a moderator. Edits
  /// that a peer made before it became a guest stay.
  ///
  /// When the while is over every peer, by its own clock of the world, treats it as removed. Another call, also one without an
  /// end, takes the place of this one.
  ///
  /// - Parameters:
  ///   - role: The part.
  ///   - peer: The peer that gets it.
  ///   - time: How long, from now, at least a millisecond; nil for a part without an end, as that of a moderator always is.
  /// - Throws: ``SessionError`` with the code `notPermitted` when this peer's own role does not allow it, for the creator, for a
  ///   moderator with an end, and in an open session, or `limitExceeded` when this peer has ruled on too many.
  public nonisolated(nonsending) func setRole(
    _ role: PeerRole, of peer: PeerID, for time: Duration? = nil
  ) async throws(SessionError) {
    try await session.setRole(role, of: peer, for: time)
  }
}
