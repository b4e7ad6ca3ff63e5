import Foundation
import TestSupport
import Testing

/// Hosts that lack a library which is loaded when it is first used.
@Suite("A machine without Avahi", .endsHangs)
struct MissingLibraryTests {
  /// Files with the names of Avahi's libraries stand before the real ones, and are no libraries.
  private static func hide(in folder: URL) throws -> [String: String] {
    let hidden = folder.appending(path: "hidden")
    try FileManager.default.createDirectory(at: hidden, withIntermediateDirectories: true)
    for name in ["libavahi-core.so.7", "libavahi-common.so.3", "libdns_sd.so.1"] {
      try Data().write(to: hidden.appending(path: name))
    }
    return ["LD_LIBRARY_PATH": hidden.path]
  }

  @Test(
    "worldpeer starts, says which package discovery needs, and connects by address", arguments: ["embedded", "auto"])
  func connects(discovery: String) async throws {
    try await withFolder { folder in
      let bare = try Self.hide(in: folder)
      let ann = try PeerProcess("ann", in: folder, ["--accept", "all"], discovery: discovery, environment: bare)
      let port = try #require(try await ann.event("ready").port)
      let missing = try await ann.line { $0.event == "discovery" && $0.reason?.contains("core") == true }
      #expect(missing.reason?.contains("install the Debian package libavahi-core7") == true)
      let bob = try PeerProcess(
        "bob", in: folder, ["--connect", "127.0.0.1:\(port)"], discovery: discovery, environment: bare)
      for peer in [ann, bob] { #expect(try await peer.ask("wait peers 1").event == "answer") }
    }
  }
}
