public import Authentication
import ServiceDiscovery

extension Session {
  /// How a session finds others and treats them.
  public struct Configuration: Sendable {
    /// The DNS-SD service type without underscore: 1–15 letters, digits and hyphens (RFC 6335 §5.1).
    public var service: String
    /// How peers on the network are found.
    public var discovery: DiscoveryMode = .automatic
    /// Signed announcements beside ``discovery``, for networks where that does not work; nil for none.
    public var announcements: Announcements?
    /// Whether this peer looks for others, shows itself, or both.
    public var discoveryRole = DiscoveryRole.both
    /// Which of the peers that are found are invited without ``Session/Peers/invite(_:expecting:context:timeout:)``.
    ///
    /// They are invited until they join, refuse or are out of sight; ``Session/Event/invitationFailed(_:_:isRetried:)`` tells of
    /// failures.
    public var invitePolicy = InvitationPolicy.none
    /// Decides whether a peer that is found is invited, where ``invitePolicy`` asks; by default none is.
    ///
    /// It is called once for each service in sight, as a child task of the session.
    public var inviteHandler: @Sendable (Candidate) async -> Bool = { _ in false }
    /// How long an invitation by ``invitePolicy`` or ``Session/Peers/keepInviting(_:)`` waits for its answer before it is repeated,
    /// at most 60 s.
    public var inviteTimeout: Duration = .seconds(10)
    /// Peers that are invited from the start until they join, beside those that are found: at addresses, or behind links.
    public var places: [InvitationTarget] = []
    /// How connections are made: over TCP, by an app's own ``Transport``, or in memory.
    public var transport = SessionTransport.tcp
    /// Where to listen; by default every address and any free port.
    public var listen = PeerAddress(host: "::", port: 0)
    /// A folder that keeps all that outlives the process, so that an app names one place; nil keeps what the paths below
    /// name.
    ///
    /// It is made if there is none (mode 0700), belongs to one peer, and holds the anchors (`SERVICE.journal`), the state
    /// (`SERVICE.state`) and parts of maps (`maps`). ``journal``, ``state`` and ``mapCache`` win over it, each for its part.
    /// ``Session/withSession(named:configuration:isolation:_:)`` keeps the identity there too (`identity-NAME.pem`).
    public var storage: String?
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
    /// The advertisement that others on the network read of this peer before any connection.
    public var advertising = Advertising()
    /// The wish to host, 0…255; more is better.
    public var hostPriority: UInt8 = 1
    /// Decides whether this peer, while it hosts, hands over to a member that asks for it by ``Session/Peers/requestHost(timeout:)``;
    /// nil: it does if that member's ``hostPriority`` is higher.
    ///
    /// It runs as a child task of the session. A host may remove members and lock the session, so it is given to those that
    /// the app trusts with that.
    public var hostRequestHandler: (@Sendable (Peer) async -> Bool)?
    /// Whether this peer may ever be host.
    public var canHost = true
    /// The most peers, oneself included, of a session that this peer starts: 2…64.
    ///
    /// A peer that enters another session goes by that session's limit.
    public var memberLimit = 64
    /// Whether this peer owns the session that it begins.
    ///
    /// A peer that comes back with its ``storage`` or ``state`` is in the session that it was in, owned or not. One that enters another
    /// session goes by that session's.
    public var ownership = SessionOwnership.open
    /// The rule of who may share a map with the whole session; give all peers the same one.
    public var mapProviders: MapProviders = .anyone
    /// The most memory that a map of another peer may take (bytes), encoded as well as decoded.
    ///
    /// A larger one is not taken, and is told of by ``Session/Event/mapFailed(_:)`` with the code `limit-exceeded`: where
    /// its size on the network is over the limit it is not fetched, else its head is read and nothing is decoded.
    public var mapMemoryLimit = 256 * 1024 * 1024
    /// Where parts of maps and resources are kept, so that what was here once need not travel again; nil keeps none.
    public var mapCache: MapCache?
    /// Where the folder for resources that arrive is made, which is removed when the session ends; nil: in `TMPDIR`, else in `/tmp`.
    public var resourceFolder: String?
    /// How many attachments of other peers come by themselves; further ones are told of by
    /// ``Session/Event/attachmentChanged(_:)`` as ``SessionAttachment/State/listed``, and wait for ``Session/Files/fetch(_:)``.
    public var attachmentCountLimit = 64
    /// How large the attachments of other peers may be together that come by themselves (bytes).
    public var attachmentSizeLimit = 256 * 1024 * 1024
    /// Opens the files of resources that arrive.
    var resourceOpening = ResourceFolder.open
    /// The keys that are admitted, besides ``invitationHandler``'s own answers.
    public var trust = TrustPolicy.anyone
    /// The passcode of the room; nil for none.
    ///
    /// Peers with another passcode, or with none, are not connected: before anything else is said on a connection, both ends
    /// prove to each other that they know it. A peer that another member admits needs it too.
    public var passcode: Passcode?
    /// The code of ``init(room:code:at:)``, of which ``passcode`` is made; nil for a session that is no room.
    public internal(set) var code: String?
    /// Makes the app's own authentication of the peer at the other end of a connection; nil for none.
    ///
    /// It is called for every connection, also one that takes the place of another, before anybody is invited or admitted on it.
    /// Peers that this driver, or theirs, does not authenticate are not connected, and no other member can change that. Two peers
    /// of which one has no driver are not connected either. It runs as a child task of the session.
    public var driver: (@Sendable (DriverContext) -> any SessionDriver)?
    /// How long the drivers of two peers may take on a connection, at most 60 s.
    public var driverTimeout: Duration = .seconds(10)
    /// Shows the user six digits, and returns whether the other screen shows the same; nil: this app shows no codes.
    ///
    /// It is called for a connection if ``trust`` of either peer asks for that (``TrustPolicy/code(_:)``), before anybody is
    /// invited or admitted on it. Both users must confirm, within 60 s. It runs as a child task of the session, which is cancelled
    /// when the comparison ends without its answer. Without a handler, peers that ask for a code are not connected.
    public var codeHandler: (@Sendable (CodeComparison) async -> Bool)?
    /// Which invitations are accepted; by default those that ``invitationHandler`` accepts.
    public var acceptPolicy = InvitationPolicy.ask
    /// Answers invitations, where ``acceptPolicy`` asks.
    ///
    /// It runs as a child task of the session, which is cancelled when the invitation ends without its answer, and may take as
    /// long as the inviter waits.
    public var invitationHandler: @Sendable (Invitation) async -> InvitationDecision = { _ in
      .decline(reason: "this app accepts no invitations")
    }
    /// Decides whether an anchor that this peer owns goes to another peer that asks for it; nil: it goes at once.
    ///
    /// It runs as a child task of the session; an answer after the other's time-out has no effect.
    public var ownershipHandler: (@Sendable (OwnershipRequest) async -> Bool)?
    /// Whether this peer, while it hosts, keeps the anchors of owners that left for them until their lease ends; else it frees
    /// them, and everybody is told.
    public var keepsOrphanedOwnership = false
    /// The least time between two measurements of a frame by ``Session/Frames/keepAligned(by:)``: a search for a scan costs tenths of a second
    /// of a processor.
    public var realignmentInterval: Duration = .seconds(2)
    /// Encodes and decodes the objects that this app sends and receives; give all peers the same.
    public var coder: any ObjectCoder = JSONObjectCoder()
    /// The steps that objects pass on their way: those that leave in this order, those that arrive in reverse order.
    public var middleware: [any MessageMiddleware] = []

    /// Whether SIGINT, which is Ctrl-C, and SIGTERM end a session that a closure runs: it says goodbye, ``Session/events`` end, and
    /// what the closure asks of the session throws ``SessionError/Code/ended``.
    ///
    /// A signal that the app handles or ignores stays the app's, and the second one of a kind ends the process at once. A
    /// session of ``Session/start(as:configuration:)`` leaves signals alone.
    public var endsOnSignals = true

    /// Receives the library's messages for people, at most five of a kind within ten seconds; nil: nobody does.
    ///
    /// The library itself prints nothing. It is called on any thread, often on the session's own: return at once.
    public var log: (@Sendable (LogMessage) -> Void)?

    /// A configuration with the defaults.
    public init(service: String = "sharedworld") {
      self.service = service
    }

    /// The configuration of ``Session/join(_:code:as:at:isolation:_:)``, to be changed before a session starts with it: who proves
    /// the code is invited and accepted, and nobody else.
    ///
    /// - Parameters:
    ///   - room: the name of the room, or a link of somebody in it.
    ///   - code: the code of the room; nil: the one of the link.
    ///   - place: where somebody of the room listens, as `HOST:PORT`, or a link.
    /// - Throws: ``SessionError`` with the code `invalidArgument`.
    public init(room: String, code: String? = nil, at place: String? = nil) throws(SessionError) {
      let targets = try [room.contains("://") ? room : nil, place].compactMap(\.self).map(InvitationTarget.init(place:))
      let links = targets.compactMap(\.link)
      self.init(service: room.contains("://") ? links[0].service : Passcode.normalized(code: room))
      do throws(DiscoveryError) {
        _ = try ServiceType(service)
      } catch {
        throw SessionError(
          .invalidArgument,
          "'\(room)' is no name of a room: it has 1 to 15 letters, digits and hyphens, and one letter at least",
          cause: error)
      }
      if let other = links.first(where: { $0.service != service }) {
        throw SessionError(.invalidArgument, "the link leads into the room '\(other.service)', not into '\(service)'")
      }
      guard let text = code ?? links.compactMap(\.passcode).first else {
        throw SessionError(.invalidArgument, "the room '\(service)' has a code: give it, or host a room of your own")
      }
      let code = Passcode.normalized(code: text)
      do throws(Passcode.Defect) {
        passcode = try Passcode(code)
      } catch {
        throw SessionError(.invalidArgument, "this is no code of a room: \(error)", cause: error)
      }
      (self.code, places, invitePolicy, acceptPolicy) = (code, targets, .automatic, .automatic)
    }
  }
}

extension Session.Configuration {
  /// The words of a session to everybody on the network.
  public struct Advertising: Hashable, Sendable {
    /// Whether it tells the peer's name.
    public var showsName = false
    /// The app's own keys and values; ``Session/Peers/setDiscoveryInfo(_:)`` changes them.
    ///
    /// Keys have 1–9 printable ASCII characters without `=` and differ in more than case; `v`, `auth`, `st`, `n`, `k` and
    /// `id` are this library's, and refused. A key and its value have at most 254 bytes, and there is room for about 300
    /// bytes in all (RFC 6763 §6).
    public var info: [String: String] = [:]
    /// Whether the service has another random name each time.
    ///
    /// Otherwise its name is derived from the private key of the identity: it tells nobody who this is, and a restart takes the
    /// place of what a crash has left in the lists of others; but those who watch the network can tell that the same
    /// device is back.
    public var hidesDevice = false

    /// Tells nothing but that there is a peer.
    public init() {}
  }

  /// Where the anchors are kept.
  var journalPath: String? { journal ?? storage.map { "\($0)/\(service).journal" } }
  /// Where the state is kept.
  var statePath: String? { state ?? storage.map { "\($0)/\(service).state" } }
  /// Where parts of maps are kept.
  var mapFolder: MapCache? { mapCache ?? storage.map { MapCache(folder: $0 + "/maps") } }
}

/// A folder in which parts of maps and resources are kept over the end of the program.
///
/// Each part is a file (mode 0600) and is checked against its hash whenever it is read; a damaged one is removed and
/// fetched again. A cache that cannot be read or written is told of by ``Session/Event/problem(_:)`` and costs nothing
/// but time. No two sessions may use one folder at a time.
public struct MapCache: Hashable, Sendable {
  /// The folder; it is made if there is none (mode 0700).
  public var folder: String
  /// How much may be kept (bytes); what was not used for the longest time goes first.
  public var limit: Int

  /// A cache in a folder of the app's.
  public init(folder: String, limit: Int = 2 * 1024 * 1024 * 1024) {
    self.folder = folder
    self.limit = limit
  }
}
