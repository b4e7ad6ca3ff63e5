import Authentication
import ServiceDiscovery

extension Session {
  /// How a session finds others and treats them.
  public struct Configuration: Sendable {
    /// The DNS-SD service type without underscore: 1–15 letters, digits and hyphens (RFC 6335 §5.1).
    public var service: String
    /// The code of ``init(room:code:at:)``, of which ``Session/Configuration/Authentication/passcode`` is made; nil for a session that is no room.
    public internal(set) var code: String?
    /// Where a session keeps what outlives the process.
    public var storage = Storage()
    /// How peers on the network are found, and what they read of this one.
    public var discovery = Discovery()
    /// The peers that are invited, and the invitations that are accepted.
    public var invitations = Invitations()
    /// Which peers are let in: by their keys, by a passcode, by a code that people compare, or by the app's own rules.
    public var authentication = Authentication()
    /// The host, the creator of the session, and the rights of its members.
    public var hosting = Hosting()
    /// How much a session takes.
    public var limits = Limits()
    /// Where to listen; by default every address and any free port.
    public var listen = PeerAddress(host: "::", port: 0)
    /// How connections are made: over TCP, by an app's own ``Transport``, or in memory.
    public var transport = SessionTransport.tcp
    /// Decides whether an anchor that this peer owns goes to another peer that asks for it; nil: it goes at once.
    ///
    /// It runs as a child task of the session; an answer after the other's time-out has no effect.
    public var ownershipHandler: (@Sendable (OwnershipRequest) async -> Bool)?
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
        authentication.passcode = try Passcode(code)
      } catch {
        throw SessionError(.invalidArgument, "this is no code of a room: \(error)", cause: error)
      }
      self.code = code
      invitations.places = targets
      (invitations.outgoing, invitations.incoming) = (.all, .all)
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
  var journalPath: String? { storage.journal ?? storage.folder.map { "\($0)/\(service).journal" } }
  /// Where the state is kept.
  var statePath: String? { storage.state ?? storage.folder.map { "\($0)/\(service).state" } }
  /// Where parts of maps are kept.
  var mapFolder: MapCache? { storage.mapCache ?? storage.folder.map { MapCache(folder: $0 + "/maps") } }
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
