import PeerCLI
import SharedWorld
import Synchronization
import WorldViewKit

/// Starts a peer and its page as the command line says and gives the exit status.
enum WorldView {
  static func run(arguments: [String]) async -> ExitCode {
    let room = arguments.first.flatMap(RoomChoice.Part.init(rawValue:))
    let console = Console(
      "worldview", command: room?.rawValue, arguments.contains(Console.Format.option) ? .events : .text)
    var options: ViewOptions
    do throws(Finished) {
      options = try ViewOptions.read(arguments, on: console)
    } catch {
      return error.status
    }
    let changes = Changes()
    let desk = InvitationDesk { report in
      console.complain(report)
      changes.announce()
    }
    let codes = CodeDesk { report in
      console.complain(report)
      changes.announce()
    }
    do {
      options.peer = try options.peer.withCode(console)
      let folder = options.peer.identity ?? options.peer.storage
      let door = try await PageDoor(at: options.http, securelyAt: options.https, keysIn: folder)
      return await run(options, at: door, console, desk, codes, changes)
    } catch {
      return console.end(error)
    }
  }

  /// Runs sessions one after another, until one ends otherwise than by a passcode that the user typed.
  private static func run(
    _ options: ViewOptions, at door: PageDoor, _ console: Console, _ desk: InvitationDesk, _ codes: CodeDesk,
    _ changes: Changes
  ) async -> ExitCode {
    var options = options
    var passcode: Passcode?
    var entry = Viewer.Entry(hasPasscode: options.peer.room.part != nil)
    while true {
      let (typed, current, settings) = (passcode, entry, options)
      let ending = Mutex<Viewer.Ending?>(nil)
      let status = await options.peer.run(
        on: console, asking: desk, comparing: codes,
        configure: {
          if let typed { $0.authentication.passcode = typed }
          $0.hosting.authority = settings.isCurated ? .curated : settings.isOwned ? .creator : .host
        }
      ) { session, map in
        let viewer = Viewer(
          session, options: settings, desk: desk, codes: codes, changes: changes, console: console, door: door,
          entry: current, files: files)
        if let map { try await viewer.share(map) }
        let status = await run(viewer)
        let reason = await viewer.ending
        ending.withLock { $0 = reason }
        return status
      }
      guard case .again(let next, let places, let kept)? = ending.withLock({ $0 }) else { return status }
      (passcode, entry) = (next, Viewer.Entry(hasPasscode: true, room: places, kept: kept))
      // The session before has handed it over.
      options.peer.map = nil
    }
  }

  /// Serves the page until the session ends or a signal comes.
  private static func run(_ viewer: Viewer) async -> ExitCode {
    let signals = await Signals()
    return await withTaskGroup(of: ExitCode?.self) { group in
      group.addTask {
        await viewer.run()
        if case .left? = await viewer.ending { return .done }
        return .session
      }
      group.addTask { await signals.next().map(ExitCode.signaled) }
      let status = await group.next() ?? nil
      group.cancelAll()
      return status ?? .session
    }
  }

  private static let files: [String: Viewer.PageFile] = [
    "/": .init(contentType: "text/html; charset=utf-8", bytes: PackageResources.page_html),
    "/page.css": .init(contentType: "text/css; charset=utf-8", bytes: PackageResources.page_css),
    "/view.js": script(PackageResources.view_js),
    "/camera.js": script(PackageResources.camera_js),
    "/panel.js": script(PackageResources.panel_js),
    "/server.js": script(PackageResources.server_js),
    "/anchors.js": script(PackageResources.anchors_js),
    "/dom.js": script(PackageResources.dom_js),
    "/gestures.js": script(PackageResources.gestures_js),
    "/stage.js": script(PackageResources.stage_js),
    "/steady.js": script(PackageResources.steady_js),
    "/peers.js": script(PackageResources.peers_js),
    "/stream.js": script(PackageResources.stream_js),
    "/worker.js": script(PackageResources.worker_js),
    "/example.js": script(PackageResources.example_js),
    "/member.js": script(PackageResources.member_js),
    "/device.js": script(PackageResources.device_js),
    "/xr.js": script(PackageResources.xr_js),
    "/scene.js": script(PackageResources.scene_js),
    "/shaders.js": script(PackageResources.shaders_js),
    "/upright.js": script(PackageResources.upright_js),
    "/points.js": script(PackageResources.points_js),
    "/picture.js": script(PackageResources.picture_js),
    "/export.js": script(PackageResources.export_js),
    "/talk.js": script(PackageResources.talk_js),
    "/delta.js": script(PackageResources.delta_js),
    "/modes.js": script(PackageResources.modes_js),
    "/labels.js": script(PackageResources.labels_js),
    "/lines.js": script(PackageResources.lines_js),
  ]

  private static func script(_ bytes: [UInt8]) -> Viewer.PageFile {
    Viewer.PageFile(contentType: "text/javascript; charset=utf-8", bytes: bytes)
  }
}
