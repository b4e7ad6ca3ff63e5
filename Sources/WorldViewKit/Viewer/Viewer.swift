package import SharedWorld
import WorldPeerKit

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
  nonisolated let changes = Changes()
  nonisolated let options: ViewOptions
  private nonisolated let server: HTTPServer
  private nonisolated let inviter: Inviter
  let files: [String: PageFile]

  var scene = Scene()
  var names: [PeerID: String]
  var progress: Session.MapProgress?
  var discovery = ""
  var problem: String?
  var tapsWithoutName = 0

  /// A viewer of `session`; `files` is the page by path.
  package init(_ session: Session, options: ViewOptions, files: [String: PageFile]) async throws(HTTPFailure) {
    self.session = session
    self.options = options
    self.files = files
    inviter = Inviter(session)
    names = [session.localPeer.id: session.localPeer.name]
    server = try await HTTPServer(host: options.http?.host ?? "127.0.0.1", port: options.http?.port ?? 0)
  }

  /// The port the page is served on.
  package nonisolated var port: UInt16 { server.port }

  /// Serves the page and follows the session until it ends or the task is cancelled.
  package func run() async {
    for address in options.connect {
      inviter.invite(.endpoint(Endpoint(host: address.host, port: address.port)))
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.followEvents() }
      group.addTask { await self.server.run { request throws(HTTPFailure) in try await self.respond(to: request) } }
      group.addTask { await self.inviter.run { await self.note($0) } }
      await group.next()
      group.cancelAll()
    }
  }

  private func followEvents() async {
    for await event in session.events {
      await note(event)
      changes.announce()
    }
  }

  private func note(_ event: Session.Event) async {
    switch event {
    case .candidateFound(let candidate):
      if options.invite == .all { inviter.invite(.candidate(candidate.id)) }
    case .discoveryAvailable(let backend): discovery = backend
    case .discoveryUnavailable(let reason): discovery = "unavailable: \(reason)"
    case .peerJoined(let peer), .peerReconnecting(let peer), .peerLeft(let peer, _): names[peer.id] = peer.name
    case .mapProgress(let progress): self.progress = progress.verifiedBytes < progress.totalBytes ? progress : nil
    case .mapReceived: progress = nil
    case .mapFailed(let error), .problem(let error): note(error)
    case .ended(let reason): problem = "the session is over: \(reason.rawValue)"
    default: break
    }
  }

  func note(_ error: SessionError) {
    problem = error.message
    changes.announce()
  }

  /// Brings the session's map into view if it is another one than before.
  func refreshScene() async {
    guard let id = await session.state().mapID, id != scene.mapID, let map = await session.map() else { return }
    let scene = await Self.prepare(map, id)
    // Another page may have been faster.
    if scene.mapID != self.scene.mapID { self.scene = scene }
  }

  @concurrent
  private static func prepare(_ map: WorldMap, _ id: MapID) async -> Scene { Scene(map, id: id) }
}
