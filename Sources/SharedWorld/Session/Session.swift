/// One peer's part in a shared world.
///
/// It finds peers, exchanges invitations, agrees on a host, shares maps and keeps anchors the same everywhere. Local
/// changes never wait for the network. All methods may be called from any task; events come in one order.
public final class Session: Sendable {
  let core: SessionCore

  /// This peer.
  public let localPeer: Peer
  /// The TCP port this peer listens on.
  public let port: UInt16

  init(core: SessionCore, localPeer: Peer, port: UInt16) {
    self.core = core
    self.localPeer = localPeer
    self.port = port
  }

  /// Runs `body` with a session that ends, politely, when the body returns or throws.
  ///
  /// - Throws: ``SessionError`` when the session cannot start, and whatever `body` throws.
  public static func withSession<R: Sendable>(
    as identity: PeerIdentity, configuration: Configuration = Configuration(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Session) async throws -> R
  ) async throws -> R {
    let core = try SessionCore(identity: identity, configuration: configuration)
    let port = try await core.start()
    let session = Session(core: core, localPeer: Peer(id: identity.peerID, name: identity.name), port: port)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await core.runJobs() }
      do {
        let result = try await body(session)
        await core.leave()
        return result
      } catch {
        await core.leave()
        throw error
      }
    }
  }

  /// Runs `body` with a session that uses another service type and otherwise the defaults.
  public static func withSession<R: Sendable>(
    as identity: PeerIdentity, service: String, isolation: isolated (any Actor)? = #isolation,
    _ body: (Session) async throws -> R
  ) async throws -> R {
    try await withSession(as: identity, configuration: Configuration(service: service), isolation: isolation, body)
  }

  /// Runs tasks on the session's own thread, where its methods are called and its events are read without a change of
  /// threads: for apps to which ten microseconds matter.
  ///
  /// While such a task runs the session does nothing else, so it must neither block nor compute for long.
  ///
  ///     Task(executorPreference: session.executor) {
  ///       for await event in session.events { draw(event) }
  ///     }
  public var executor: any TaskExecutor { core.tasks }

  /// What happens, in order.
  public var events: Events { Events(hub: core.hub) }

  /// Everything an app shows of a session, at one moment.
  public func state() async -> State { await core.state() }

  /// Invites a peer and waits for its answer.
  ///
  /// Two peers that invite each other have both agreed: they are joined without asking, over one connection.
  /// - Parameters:
  ///   - target: whom to invite.
  ///   - context: data for the other app, at most 4 KiB.
  ///   - timeout: how long to wait, at most 60 s.
  /// - Throws: ``SessionError`` with the code `declined`, `invitationTimedOut`, `cancelled` (the task was cancelled),
  ///   `unknownPeer`, `versionMismatch`, `identityMismatch`, `limitExceeded` or `notConnected`.
  public func invite(
    _ target: InvitationTarget, context: [UInt8] = [], timeout: Duration = .seconds(30)
  ) async throws(SessionError) -> Peer {
    try await core.invite(target, context: context, timeout: timeout)
  }

  /// Says goodbye to everybody and ends the session.
  public func leave() async { await core.leave() }

  /// Removes a member for the life of the session, also if it starts again; only the host can.
  ///
  /// - Throws: ``SessionError`` with the code `unknownPeer` or `notHost`.
  public func kick(_ peer: PeerID) async throws(SessionError) { try await core.kick(peer) }

  /// Turns newcomers away from now on; only the host can.
  ///
  /// Members stay, and those that lost their connection or started again come back. The lock holds when the host changes.
  /// - Throws: ``SessionError`` with the code `notHost`.
  public func lockSession() async throws(SessionError) { try await core.setLocked(true) }

  /// Lets newcomers in again; only the host can.
  ///
  /// - Throws: ``SessionError`` with the code `notHost`.
  public func unlockSession() async throws(SessionError) { try await core.setLocked(false) }

  /// Who is connected to whom, and what this peer's own connections carry.
  public func statistics() async -> Statistics { await core.statistics() }

  /// Asks to be host.
  ///
  /// The present host hands over if it can; without one this peer stands for election at once.
  public func requestHost() async { await core.requestHost() }

  /// Asks a member to become host.
  public func handOver(to peer: PeerID) async throws(SessionError) { try await core.handOver(to: peer) }

  /// Sends a message to some members, or to all, reliably and in order.
  ///
  /// - Parameters:
  ///   - bytes: at most 60 KiB.
  ///   - peers: who gets it; nil is everybody.
  public func send(_ bytes: [UInt8], to peers: [PeerID]? = nil) async throws(SessionError) {
    try await core.send(bytes, to: peers)
  }
}

extension Session {
  /// Everything an app shows of a session, at one moment.
  public struct State: Sendable {
    /// The other peers, in the order of their ids.
    public let peers: [PeerStatus]
    /// Whom this peer invites: those that are connected and have not answered yet.
    public let inviting: [Peer]
    /// Who hosts; nil while an election runs.
    public let host: PeerID?
    /// Counts the hosts of a session; a new host has a higher one.
    public let epoch: UInt64
    /// The session's map, once it is here.
    public let mapID: MapID?
    /// How far this peer has come with the session's map; of others ``PeerStatus/map`` tells.
    public let mapStatus: MapStatus
    /// Whether all is here that the connected peers had when they were connected.
    public let isSynchronised: Bool
    /// The feature points of that map.
    public let mapPoints: Int
    /// The anchors in the session.
    public let anchorCount: Int
    /// The time all members share (milliseconds since the session's first host began).
    public let sessionTime: UInt64
    /// Whether newcomers are turned away.
    public let isLocked: Bool
    /// The most peers that the session may have, this one included.
    public let memberLimit: Int
    /// Services seen on the network, in the order of their ids.
    public let candidates: [Candidate]
  }
}
