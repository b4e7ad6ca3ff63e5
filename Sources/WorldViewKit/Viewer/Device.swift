import SharedWorld

/// Somebody who edits by the page, and what can be taken back: the program's own peer, or a browser that is a member itself.
///
/// It is confined to the viewer.
final class Author {
  let session: Session
  /// The edits, in the order in which they were made.
  var edits: Edits
  /// The ids under which a device has placed anchors, so that one that is sent twice is placed once.
  var placed: Set<AnchorID> = []
  /// The anchors that are being dragged.
  var hand = Hand()

  init(_ session: Session, edits: Edits = Edits()) {
    (self.session, self.edits) = (session, edits)
  }
}

/// A browser that is a member of its own, with all tabs that share its stream of events; confined to the viewer.
///
/// Its key follows from a secret that the browser keeps and shows to nobody but this program. Its requests show another one,
/// which this program gave it: the key of the page, which all browsers share, makes nobody this member.
final class Device {
  /// A browser that shows nothing and asks nothing for so many looks is gone.
  ///
  /// Looks are counted and not the time, which goes on while the machine sleeps.
  private static let patience = 20

  let identity: PeerIdentity
  /// The secret that its requests show.
  let token = PageKey.secret()
  /// Whether it may change nothing.
  let isLooking: Bool
  /// Whether its user has left the session.
  var hasLeft = false
  /// The member; nil until it is one.
  private(set) var author: Author?
  /// The requests that wait until it is one, or learn why not.
  private var waiting: [CheckedContinuation<String?, Never>] = []
  private var streams = 0
  /// Looks since its last sign of life.
  private var looks = 0

  init(_ identity: PeerIdentity, isLooking: Bool) {
    (self.identity, self.isLooking) = (identity, isLooking)
  }

  /// Lets a request wait until this browser is a member.
  func wait(_ request: CheckedContinuation<String?, Never>) {
    if author == nil { waiting.append(request) } else { request.resume(returning: nil) }
  }

  /// It is a member by a session of its own.
  func admit(_ session: Session) {
    author = Author(session)
    answer(nil)
  }

  /// It becomes no member, or is none any more.
  func dismiss(because problem: String) { answer(problem) }

  private func answer(_ problem: String?) {
    for request in waiting { request.resume(returning: problem) }
    waiting = []
  }

  /// A stream of events has begun.
  func begin() { streams += 1 }

  /// A stream of events has ended.
  func end() {
    streams = max(0, streams - 1)
    noteSign()
  }

  /// It has asked something.
  func noteSign() { looks = 0 }

  /// Whether nobody looks at its pages any more; asked once a second.
  func isAbandoned() -> Bool {
    looks = streams > 0 ? 0 : looks + 1
    return looks > Self.patience
  }
}

/// The browsers that are members of their own.
struct Devices {
  /// More browsers share the program's own member: a session has 64.
  private static let limit = 40

  private var devices: [PeerID: Device] = [:]
  /// Those that were removed: they would come back with another page.
  private var removed: Set<PeerID> = []
  /// The tokens of those that were removed, or have left: their other tabs do not bring them back.
  private var over: Set<String> = []
  /// The door through which they come; made for the first of them.
  private var door: CompanionDoor?
  /// The keys of those that have come, for each of which a session is to run.
  let arrivals: AsyncStream<PeerID>
  private let arrive: AsyncStream<PeerID>.Continuation

  init() { (arrivals, arrive) = AsyncStream.makeStream(of: PeerID.self) }

  /// The browser with a key; nil for one that is no member.
  subscript(peer: PeerID) -> Device? { devices[peer] }

  var all: [Device] { Array(devices.values) }

  /// The door of the program's session.
  mutating func door(of session: Session) throws(SessionError) -> CompanionDoor {
    if let door { return door }
    let made = try CompanionDoor(of: session)
    door = made
    return made
  }

  /// The browser whose requests show a token.
  func find(_ token: String) -> Device? { devices.values.first { PageKey.isSame($0.token, token) } }

  /// Whether a browser had a token whose membership has ended for good.
  func isOver(_ token: String) -> Bool { over.contains { PageKey.isSame($0, token) } }

  /// Adds a browser.
  mutating func add(_ device: Device) throws(HTTPFailure) {
    guard !removed.contains(device.identity.peerID) else {
      throw HTTPFailure(403, "this browser was removed from the session")
    }
    guard devices.count < Self.limit else {
      throw HTTPFailure(409, "\(Self.limit) browsers are members here already")
    }
    devices[device.identity.peerID] = device
    // After the end nobody would host it.
    if case .terminated = arrive.yield(device.identity.peerID) { throw HTTPFailure(503, "worldview ends") }
  }

  /// A browser is no member any more.
  mutating func remove(_ device: Device, isRemoved: Bool) {
    let peer = device.identity.peerID
    // Its page may have come back by now.
    if devices[peer] === device { devices[peer] = nil }
    if isRemoved { removed.insert(peer) }
    if isRemoved || device.hasLeft { over.insert(device.token) }
  }
}
