import Glibc
package import SharedWorld
package import PeerCLI

/// A running peer with its page.
package actor Viewer {
  /// A file of the page.
  package struct PageFile: Sendable {
    let contentType: String
    let bytes: [UInt8]

    package init(contentType: String, bytes: [UInt8]) {
      self.contentType = contentType
      self.bytes = bytes
    }
  }

  nonisolated let session: Session
  nonisolated let changes: Changes
  /// The invitations that the page asks about.
  nonisolated let desk: InvitationDesk
  /// The codes that the page asks about.
  nonisolated let codes: CodeDesk
  nonisolated let options: ViewOptions
  nonisolated let console: Console
  private nonisolated let door: PageDoor
  nonisolated let entry: Entry
  let files: [String: PageFile]

  var scene = Scene()
  var people: People
  /// The invitations that wait for others.
  var calls = Calls()
  var progress: Session.MapProgress?
  var trouble: Trouble?
  var log = EventLog()
  /// The program's own peer, which edits for pages that are no members of their own.
  let own: Author
  /// The browsers that are.
  var devices = Devices()
  /// The map of another peer that arrived last.
  var receipt: Session.MapReceipt?
  /// The session's map that came into view last.
  var sharedID: MapID?
  /// Why the user ended the session; nil while it goes on.
  package internal(set) var ending: Ending?

  /// A viewer of `session`.
  ///
  /// - Parameters:
  ///   - session: The session that the page shows.
  ///   - options: The command line.
  ///   - desk: The invitations that wait for the user; its reports must reach `changes`.
  ///   - codes: The codes that wait for the user, likewise.
  ///   - changes: The news that the page is told of.
  ///   - console: Receives the address of the page, and failures.
  ///   - door: Where the page is served.
  ///   - entry: The passcode that the user typed, if any, and where.
  ///   - files: The page by path.
  package init(
    _ session: Session, options: ViewOptions, desk: InvitationDesk, codes: CodeDesk, changes: Changes,
    console: Console, door: PageDoor, entry: Entry = Entry(), files: [String: PageFile]
  ) {
    self.session = session
    self.options = options
    self.desk = desk
    self.codes = codes
    self.changes = changes
    self.console = console
    self.files = files
    self.door = door
    self.entry = entry
    people = People(session.localPeer)
    own = Author(session)
  }

  /// The port the page is served on.
  package nonisolated var port: UInt16 { door.port }

  nonisolated var pageKey: PageKey { door.key }

  /// The page's address, which works once.
  package nonisolated var address: String { door.address }

  /// The same for other machines, for pages that may do everything or look alone; nil where none reaches the page.
  nonisolated func addressForOthers(for access: PageKey.Access = .everything) -> String? {
    door.addressForOthers(for: access)
  }

  /// The fingerprint of the certificate for HTTPS; nil without one.
  nonisolated var fingerprint: String? { door.fingerprint }

  /// Serves the page and follows the session until it ends or the task is cancelled.
  package func run() async {
    let me = Report.Person(id: session.localPeer.id.description, name: session.localPeer.name)
    let picture = isatty(STDOUT_FILENO) == 1 ? addressForOthers().flatMap { QRCode($0) } : nil
    console.say(.serving(door, me, port: session.port, picture))
    if let kept = entry.kept { await takeOver(kept) }
    for target in options.peer.connect where !entry.room.contains(target) { await session.peers.keepInviting(target) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.enterRoom() }
      group.addTask { await self.followEvents() }
      group.addTask { await self.beat() }
      group.addTask { await self.hostDevices() }
      for server in door.servers { group.addTask { await self.serve(by: server) } }
      group.addTask { await self.hear() }
      // The first task ends early, and the end of any other one is that of the page.
      await group.next()
      await group.next()
      group.cancelAll()
    }
  }

  private func serve(by server: HTTPServer) async {
    await server.run(
      bodyLimit: { self.bodyLimit(of: $0) }, trusts: { self.pageKey.access(of: $0) != nil }
    ) { request throws(HTTPFailure) in try await self.respond(to: request) }
  }

  private func followEvents() async {
    for await event in session.events {
      log.record(event)
      record(event)
      // A browser that is a member shows what this program knows.
      if case .peerJoined(let peer) = event, devices[peer.id] == nil {
        await tellView(to: .peer(peer.id))
        await tellPointer(of: own, to: peer.id)
      }
      changes.announce(event.news)
    }
  }

  /// Tells pages each second that the server is there, and whom an invitation has reached, of which no event tells.
  private func beat() async {
    var shown: [PeerID] = []
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      let inviting = await session.state.inviting.map(\.id)
      changes.announce(inviting == shown ? .beat : .state)
      shown = inviting
      await releaseDevices()
    }
  }

  private func record(_ event: Session.Event) {
    switch event {
    case .candidateFound(let candidate): people.note(candidate)
    case .candidateLost(let candidate): people.forget(candidate)
    case .discoveryUnavailable(let reason): trouble = Trouble(text: "peers cannot be found now: \(reason)")
    case .nobodyFound(let diagnosis):
      show(ProgramFailure("nobody-found", diagnosis.summary))
      trouble?.isHint = true
    case .peerJoined(let peer):
      people.note(peer)
      calls.answer(peer.id)
      calls.forget(peer.id)
      trouble = nil
    case .peerReconnected(let peer): people.note(peer)
    case .peerReconnecting(let peer), .peerLeft(let peer, _):
      people.note(peer)
      people.point(peer.id, at: nil)
    case .mapProgress(let progress): self.progress = progress.verifiedBytes < progress.totalBytes ? progress : nil
    case .mapReceived(let receipt): (progress, self.receipt) = (nil, receipt)
    case .anchorRemoved(let anchor, _): if !isShared { scene.forget(anchor.id) }
    case .mapFailed(let error): show(ProgramFailure(error))
    case .problem(let error):
      show(ProgramFailure(error))
      trouble?.isPasscodeClosed = error.code == .passcodeLocked
    case .ended where ending != nil: break
    case .ended(let reason): show(ProgramFailure("ended", "the session is over: \(reason.rawValue)"))
    case .invitationReceived(let invitation) where devices[invitation.peer.id] != nil: break
    case .invitationReceived(let invitation):
      // The desk has reported it where the user is asked.
      if options.peer.accept == .ask {
        calls.ask(invitation)
      } else {
        console.complain(.invitation(invitation, isAsked: false))
      }
    case .invitationFailed(let target, let error, let isRetried): show(error, inviting: target, isRetried: isRetried)
    case .newDevice(let peer, let known):
      let message = "\(peer.name) has a new key \(peer.id.short); the known one is \(known.id.short)"
      show(ProgramFailure("new-device", message))
    // Every event makes the page look again, which must not find these.
    case .invitationEnded(let peer, let id):
      calls.end(id, of: peer)
      desk.withdraw(id)
    case .codeEnded(_, let id, _): codes.withdraw(id)
    // The others say nothing that the page's state does not.
    default: break
    }
  }

  private func show(_ error: SessionError, inviting target: InvitationTarget, isRetried: Bool) {
    note(error, inviting: target)
    console.complain(.invitationFailed(inviting: people.name(of: target), error, isRetried: isRetried))
  }

  /// Shows what went wrong, on the page and in the terminal.
  private func show(_ failure: ProgramFailure) {
    trouble = Trouble(text: failure.message)
    console.complain(.error(code: failure.code, message: failure.message, command: nil))
    changes.announce()
  }
}

// MARK: - One session after another

/// One session of the program takes the place of another: a session has its passcode from its beginning.
extension Viewer {
  /// A failure that the user is told of.
  struct Trouble {
    let text: String
    /// The room that asks for a passcode, or refused this peer's.
    var room: InvitationTarget?
    /// Whether strangers have to wait until somebody lets them try the passcode again.
    var isPasscodeClosed = false
    /// Whether nothing has failed, and it only may help.
    var isHint = false
  }

  /// The belongings that pass from one session to the next, so that a passcode costs neither a map nor an anchor.
  package struct Kept: Sendable {
    fileprivate let scene: Scene
    /// Whether this peer has shared the map in view.
    fileprivate let isMapOwn: Bool
    fileprivate let anchors: [Anchor]
    fileprivate let edits: Edits
  }

  /// How a session began that took the place of another one.
  package struct Entry: Sendable {
    let hasPasscode: Bool
    /// Where the room is whose passcode the user typed.
    let room: [InvitationTarget]
    let kept: Kept?

    /// A session with the passcode of a room; the first session of a program has none.
    package init(hasPasscode: Bool = false, room: [InvitationTarget] = [], kept: Kept? = nil) {
      (self.hasPasscode, self.room, self.kept) = (hasPasscode, room, kept)
    }
  }

  /// Why a page ended its session.
  package enum Ending: Sendable {
    /// The user has left.
    case left
    /// The user typed a passcode for the room at these places.
    case again(Passcode, inviting: [InvitationTarget], keeping: Kept)
  }

  /// The belongings of this session, for the next one.
  func kept() async -> Kept {
    let isMapOwn = isShared && scene.map.provider == nil
    return Kept(scene: scene, isMapOwn: isMapOwn, anchors: await session.world.anchors, edits: own.edits)
  }

  /// Takes over what the session before had; a map of somebody else comes into view without being shared here.
  func takeOver(_ kept: Kept) async {
    (scene, own.edits) = (kept.scene, kept.edits)
    do throws(SessionError) {
      if kept.isMapOwn {
        var map = kept.scene.map
        // Those that were removed must not come back.
        map.anchors = []
        let id = try await session.share(map)
        (scene, sharedID) = (await Self.prepare(map, id), id)
      }
      try await session.world.place(kept.anchors)
    } catch {
      trouble = Trouble(text: error.message)
    }
  }
}

extension Session.Event {
  /// The news that it makes for a page.
  fileprivate var news: Changes.News {
    switch self {
    case .anchorDragged, .participantMoved: .live
    case .dragEnded, .participantGone: [.live, .state]
    // Whatever else happens may show in the state.
    default: .state
    }
  }
}

extension Report {
  /// The page can be opened at the addresses of a door; this peer listens on `port`.
  ///
  /// - Parameter picture: The address for others where a camera is to read it from a terminal.
  fileprivate static func serving(_ door: PageDoor, _ person: Person, port: UInt16, _ picture: QRCode?) -> Report {
    // The address in a line of its own, so that a script can use it as it is.
    let other = [door.addressForOthers()].compactMap(\.self).filter { $0 != door.address }
    let lines: [Line] = ([door.address] + other + (picture?.lines ?? [])).map { "\($0)" }
    return Report(
      "ready",
      person.members + [
        "port": .integer(Int(port)), "address": .string(door.address),
        "addressForOthers": .optional(door.addressForOthers()), "fingerprint": .optional(door.fingerprint),
      ], lines + (door.fingerprint.map { ["SHA-256 of the certificate: \($0)"] } ?? []))
  }
}
