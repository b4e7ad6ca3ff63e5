import PeerCLI
import SharedWorld
import WorldViewKit

/// Starts a peer and its page as the command line says and gives the exit status.
enum WorldView {
  static func run(arguments: [String]) async -> ExitCode {
    let console = Console("worldview", arguments.contains(Console.Format.option) ? .events : .text)
    let options: ViewOptions
    do throws(Finished) {
      options = try ViewOptions.parser.read(arguments, over: ViewOptions(), help: ViewOptions.help, on: console)
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
    return await options.peer.run(on: console, asking: desk, comparing: codes) { session, map in
      let viewer = try await Viewer(
        session, options: options, desk: desk, codes: codes, changes: changes, console: console, files: files)
      if let map { try await session.share(map) }
      return await run(viewer)
    }
  }

  /// Serves the page until the session ends or a signal comes.
  private static func run(_ viewer: Viewer) async -> ExitCode {
    let signals = Signals()
    return await withTaskGroup(of: ExitCode?.self) { group in
      group.addTask {
        await viewer.run()
        return await viewer.hasLeft ? .done : .session
      }
      group.addTask { await signals.next().map(ExitCode.signalled) }
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
  ]

  private static func script(_ bytes: [UInt8]) -> Viewer.PageFile {
    Viewer.PageFile(contentType: "text/javascript; charset=utf-8", bytes: bytes)
  }
}
