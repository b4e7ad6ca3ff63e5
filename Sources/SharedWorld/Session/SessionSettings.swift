public import Authentication
import ServiceDiscovery

// The settings of a session in groups: an app that changes one reads the group, and not all of them.

extension Session.Configuration {
  /// Where a session keeps what outlives the process.
  public struct Storage: Sendable {
    /// A folder that keeps all that outlives the process, so that an app names one place; nil keeps what the paths below
    /// name.
    ///
    /// It is made if there is none (mode 0700), belongs to one peer, and holds the anchors (`SERVICE.journal`), the state
    /// (`SERVICE.state`) and parts of maps (`maps`). ``journal``, ``state`` and ``mapCache`` win over it, each for its part.
    /// ``Session/withSession(named:configuration:isolation:_:)`` keeps the identity there too (`identity-NAME.pem`).
    public var folder: String?
    /// A file that keeps the session's anchors, so that an app that restarts alone has its world back; nil keeps none.
    ///
    /// It is made if there is none (mode 0600). Every edit is on the disk a moment later, and a crash
    /// at any time leaves a state that the session was in. The map's points are not in it: save the map to a file.
    public var journal: String?
    /// A file that keeps what this peer needs to come back into its session when its process has been killed or the machine has
    /// lost power; nil keeps nothing.
    ///
    /// A process that starts again with the same identity and file is a member again without an invitation, in the
    /// place of its earlier start. A peer that leaves (``Session/leave()``, or the end of
    /// ``Session/withSession(as:configuration:isolation:_:)``) or is removed starts as a stranger. The file is made if
    /// there is none (mode 0600), and is replaced in one step; beside it there is one that ends in `.lock`. Anchors are
    /// kept by ``journal``.
    public var state: String?
    /// How long after the end of the process, to the minute and by the machine's clock, ``state`` still leads back into the
    /// session; later the peer starts as a stranger.
    public var graceTime: Duration = .seconds(600)
    /// Where parts of maps and resources are kept, so that what was here once need not travel again; nil keeps none.
    public var mapCache: MapCache?
    /// Where the folder for resources that arrive is made, which is removed when the session ends; nil: in `TMPDIR`, else in `/tmp`.
    public var resourceFolder: String?
    /// Opens the files of resources that arrive.
    var resourceOpening = ResourceFolder.open

    init() {}
  }

  /// How peers on the network are found, and what they read of this one.
  public struct Discovery: Sendable {
    /// How peers on the network are found.
    public var mode: DiscoveryMode = .automatic
    /// Whether this peer looks for others, shows itself, or both.
    public var role = DiscoveryRole.both
    /// The advertisement that others on the network read of this peer before any connection.
    public var advertising = Advertising()
    /// Signed announcements beside ``mode``, for networks where that does not work; nil for none.
    public var announcements: Announcements?

    init() {}
  }

  /// The peers that are invited, and the invitations that are accepted.
  public struct Invitations: Sendable {
    /// Which of the peers that are found are invited without ``Session/Peers/invite(_:expecting:context:timeout:)``.
    ///
    /// They are invited until they join, refuse or are out of sight; ``Session/Event/invitationFailed(_:_:isRetried:)`` tells of
    /// failures.
    public var outgoing = OutgoingInvitations.none
    /// Which invitations are accepted.
    public var incoming = IncomingInvitations.none
    /// Peers that are invited from the start until they join, beside those that are found: at addresses, or behind links.
    public var places: [InvitationTarget] = []
    /// How long an invitation by ``outgoing`` or ``Session/Peers/keepInviting(_:)`` waits for its answer before it is repeated, at
    /// most 60 s.
    public var timeout: Duration = .seconds(10)

    init() {}
  }

  /// Which peers are let in: by their keys, by a passcode, by a code that people compare, or by the app's own rules.
  public struct Authentication: Sendable {
    /// The keys that are admitted, besides the answers of ``Invitations/incoming``.
    public var trust = TrustPolicy.anyone
    /// The passcode of the room; nil for none.
    ///
    /// Peers with another passcode, or with none, are not connected: before anything else is said on a connection, both ends
    /// prove to each other that they know it. A peer that another member admits needs it too.
    public var passcode: Passcode?
    /// Shows the user six digits, and returns whether the other screen shows the same; nil: this app shows no codes.
    ///
    /// It is called for a connection if ``trust`` of either peer asks for that (``TrustPolicy/code(_:)``), before anybody is
    /// invited or admitted on it. Both users must confirm, within 60 s. It runs as a child task of the session, which is cancelled
    /// when the comparison ends without its answer. Without a handler, peers that ask for a code are not connected.
    public var codeHandler: (@Sendable (CodeComparison) async -> Bool)?
    /// Makes the app's own authentication of the peer at the other end of a connection; nil for none.
    ///
    /// It is called for every connection, also one that takes the place of another, before anybody is invited or admitted on it.
    /// Peers that this authenticator, or theirs, refuses are not connected, and no other member can change that. Two peers of which
    /// one has no authenticator are not connected either. It runs as a child task of the session.
    public var authenticator: (@Sendable (AuthenticationContext) -> any Authenticator)?
    /// How long the authenticators of two peers may take on a connection, at most 60 s.
    public var authenticatorTimeout: Duration = .seconds(10)

    init() {}
  }

  /// The host, the creator of the session, and the rights of its members.
  public struct Hosting: Sendable {
    /// The peers that decide about the session that this peer begins: its host, or this peer as its creator.
    ///
    /// A peer that comes back with its ``Storage/folder`` or ``Storage/state`` is in the session that it was in, whatever it says here.
    /// One that enters another session goes by that session's.
    public var authority = SessionAuthority.host
    /// The part that newcomers get in the session that this peer begins, until somebody gives them another.
    ///
    /// The session keeps it, not this peer: it holds whoever hosts, and at every moderator that lets somebody in. A session of
    /// ``SessionAuthority/host`` has no guests, and does not start with ``NewcomerRole/guests``.
    public var newcomers = NewcomerRole.members
    /// Whether this peer may ever be host.
    public var canHost = true
    /// The wish to host, 0…255; more is better.
    public var priority: UInt8 = 1
    /// Decides whether this peer, while it hosts, hands over to a member that asks for it by ``Session/Peers/requestHost(timeout:)``;
    /// nil: it does if that member's ``priority`` is higher.
    ///
    /// It runs as a child task of the session. A host may remove members and lock the session, so it is given to those that
    /// the app trusts with that.
    public var requestHandler: (@Sendable (Peer) async -> Bool)?
    /// The rule of who may share a map with the whole session; give all peers the same one.
    public var mapProviders: MapProviders = .anyone
    /// Whether this peer, while it hosts, keeps the anchors of owners that left for them until their lease ends; else it frees
    /// them, and everybody is told.
    public var keepsOrphanedOwnership = false

    init() {}
  }

  /// How much a session takes.
  public struct Limits: Sendable {
    /// The most peers, oneself included, of a session that this peer starts: 2…64.
    ///
    /// A peer that enters another session goes by that session's limit.
    public var members = 64
    /// The most memory that a map of another peer may take (bytes), encoded as well as decoded.
    ///
    /// A larger one is not taken, and is told of by ``Session/Event/mapFailed(_:)`` with the code `limit-exceeded`: where
    /// its size on the network is over the limit it is not fetched, else its head is read and nothing is decoded.
    public var mapMemory = 256 * 1024 * 1024
    /// How many attachments of other peers come by themselves; further ones are told of by
    /// ``Session/Event/attachmentChanged(_:)`` as ``SessionAttachment/State/listed``, and wait for ``Session/Files/fetch(_:)``.
    public var attachments = 64
    /// How large the attachments of other peers may be together that come by themselves (bytes).
    public var attachmentBytes = 256 * 1024 * 1024

    init() {}
  }
}
