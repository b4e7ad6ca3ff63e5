import Foundation
import SharedWorld
import WorldPeerKit
import WorldViewKit

/// Starts a peer and its page as the command line says and gives the exit status.
enum WorldView {
  static func run(arguments: [String]) async -> Int32 {
    do {
      guard let options = try ViewOptions(arguments: arguments) else {
        print(ViewOptions.help, terminator: "")
        return 0
      }
      return try await run(options)
    } catch let error as UsageError {
      complain("worldview: \(error)\nTry: worldview --help")
      return 2
    } catch {
      complain("worldview: \((error as? SessionError)?.message ?? "\(error)")")
      return 3
    }
  }

  private static func run(_ options: ViewOptions) async throws -> Int32 {
    let map = try options.map.map { path in try WorldMap(contentsOfFile: path) }
    let identity = try PeerIdentity.loadOrCreate(named: options.name, in: options.identity)
    return try await Session.withSession(as: identity, configuration: options.configuration) { session in
      let viewer = try await Viewer(session, options: options, files: files)
      if let map { try await session.share(map) }
      let host = options.http?.host ?? "127.0.0.1"
      // Not `print`, whose buffer would hold the address back from a reader of a pipe.
      let address = "http://\(Endpoint(host: host, port: viewer.port))/\n"
      try FileHandle.standardOutput.write(contentsOf: Data(address.utf8))
      return await withTaskGroup(of: Int32.self) { group in
        group.addTask {
          await viewer.run()
          return 3
        }
        group.addTask { await Signals.next() == nil ? 3 : 0 }
        let status = await group.next() ?? 0
        group.cancelAll()
        return status
      }
    }
  }

  private static let files: [String: Viewer.PageFile] = [
    "/": .init(contentType: "text/html; charset=utf-8", bytes: PackageResources.page_html),
    "/page.css": .init(contentType: "text/css; charset=utf-8", bytes: PackageResources.page_css),
    "/view.js": script(PackageResources.view_js),
    "/camera.js": script(PackageResources.camera_js),
    "/panel.js": script(PackageResources.panel_js),
  ]

  private static func script(_ bytes: [UInt8]) -> Viewer.PageFile {
    Viewer.PageFile(contentType: "text/javascript; charset=utf-8", bytes: bytes)
  }

  private static func complain(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }
}
