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
  var names: [PeerID: String]
  /// The names that services in sight show.
  var candidateNames: [Candidate.ID: String] = [:]
  var progress: Session.MapProgress?
  var trouble: Trouble?
  var log = EventLog()
  /// The edits of this page's users.
  var edits = Edits()
  /// The map of another peer that arrived last.
  var receipt: Session.MapReceipt?
  /// The session's map that came into view last.
  var sharedID: MapID?
  /// The anchors that users of the page drag.
  var hand = Hand()
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
    names = [session.localPeer.id: session.localPeer.name]
  }

  /// The port the page is served on.
  package nonisolated var port: UInt16 { door.port }

  nonisolated var pageKey: PageKey { door.key }

  /// The page's address, which works once.
  package nonisolated var address: String { door.address }

  /// Serves the page and follows the session until it ends or the task is cancelled.
  package func run() async {
    let me = Report.Person(id: session.localPeer.id.description, name: session.localPeer.name)
    console.say(.serving(address, me, port: session.port))
    if let kept = entry.kept { await takeOver(kept) }
    for target in options.peer.connect where !entry.room.contains(target) { await session.keepInviting(target) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.enterRoom() }
      group.addTask { await self.followEvents() }
      group.addTask {
        await self.door.server.run(bodyLimit: { self.bodyLimit(of: $0) }) { request throws(HTTPFailure) in
          try await self.respond(to: request)
        }
      }
      // The first task ends early.
      await group.next()
      await group.next()
      group.cancelAll()
    }
  }

  private func followEvents() async {
    for await event in session.events {
      log.record(event)
      record(event)
      changes.announce(event.news)
    }
  }

  private func record(_ event: Session.Event) {
    switch event {
    case .candidateFound(let candidate): candidateNames[candidate.id] = candidate.seenBefore?.name ?? candidate.name
    case .candidateLost(let candidate): candidateNames[candidate.id] = nil
    case .discoveryUnavailable(let reason): trouble = Trouble(text: "peers cannot be found now: \(reason)")
    case .nobodyFound(let diagnosis): show(ProgramFailure("nobody-found", diagnosis.summary))
    case .peerJoined(let peer):
      names[peer.id] = peer.name
      trouble = nil
    case .peerReconnecting(let peer), .peerReconnected(let peer), .peerLeft(let peer, _):
      names[peer.id] = peer.name
    case .mapProgress(let progress): self.progress = progress.verifiedBytes < progress.totalBytes ? progress : nil
    case .mapReceived(let receipt): (progress, self.receipt) = (nil, receipt)
    case .anchorRemoved(let anchor, _): if !isShared { scene.forget(anchor.id) }
    case .mapFailed(let error), .problem(let error): show(ProgramFailure(error))
    case .ended where ending != nil: break
    case .ended(let reason): show(ProgramFailure("ended", "the session is over: \(reason.rawValue)"))
    case .invitationReceived(let invitation):
      // Else the desk has reported it.
      if options.peer.accept != .ask { console.complain(.invitation(invitation, isAsked: false)) }
    case .invitationFailed(let target, let error, let isRetried): show(error, inviting: target, isRetried: isRetried)
    case .newDevice(let peer, let known):
      let message = "\(peer.name) has a new key \(peer.id.short); the known one is \(known.short)"
      show(ProgramFailure("new-device", message))
    // Every event makes the page look again, which must not find these.
    case .invitationEnded(_, let id): desk.withdraw(id)
    case .codeEnded(_, let id, _): codes.withdraw(id)
    // The others say nothing that the page's state does not.
    default: break
    }
  }

  private func show(_ error: SessionError, inviting target: InvitationTarget, isRetried: Bool) {
    note(error, inviting: target)
    let name = target.candidate.map { candidateNames[$0] ?? $0 } ?? target.description
    console.complain(.invitationFailed(inviting: name, error, isRetried: isRetried))
  }

  /// Shows what went wrong, on the page and in the terminal.
  private func show(_ failure: ProgramFailure) {
    trouble = Trouble(text: failure.message)
    console.complain(.error(code: failure.code, message: failure.message, command: nil))
    changes.announce()
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
  /// The page can be opened at `address`; this peer listens on `port`.
  fileprivate static func serving(_ address: String, _ person: Person, port: UInt16) -> Report {
    // The address alone, so that a script can use the line as it is.
    Report("ready", person.members + ["port": .integer(Int(port)), "address": .string(address)], ["\(address)"])
  }
}
