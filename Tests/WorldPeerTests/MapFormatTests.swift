import Foundation
import SharedWorld
import TestSupport
import Testing
import WorldFormats

/// Maps of every format, through the program.
@Suite("Maps of other programs", .endsHangs)
struct MapFormatTests {
  /// A room of 200 points as a file of each format.
  private static func files(in folder: URL) throws -> [String] {
    let room = SyntheticRoom(seed: 3, pointCount: 200).map()
    return try MapFormat.writable.map { format in
      let path = folder.appending(path: "\(format.name).\(format.fileExtension)").path
      try Data(try room.file(as: format)).write(to: URL(filePath: path))
      return path
    }
  }

  @Test("a peer starts with a map of any format")
  func started() async throws {
    try await withFolder { folder in
      for path in try Self.files(in: folder) {
        let peer = try PeerProcess("ann", in: folder, ["--map", path])
        #expect(try await peer.ask("status").points == 200, "\(path)")
        try peer.send("quit")
        #expect(try await peer.status() == 0, "\(path)")
      }
    }
  }

  @Test("load takes every format; what is no map changes nothing")
  func loaded() async throws {
    try await withFolder { folder in
      let peer = try PeerProcess("ann", in: folder)
      for path in try Self.files(in: folder) {
        let answer = try await peer.ask("load '\(path)'")
        #expect(answer.points == 200, "\(path)")
      }
      let junk = folder.appending(path: "junk").path
      try Data("no map".utf8).write(to: URL(filePath: junk))
      #expect(try await peer.ask("load '\(junk)'").code == "corrupt-data")
      #expect(try await peer.ask("load /nowhere").code == "io")
      #expect(try await peer.ask("status").points == 200)
    }
  }

  @Test("an archive of ARKit is a map like any other, and of an unknown layout its anchors come with a warning")
  func archive() async throws {
    func fixture(_ name: String) -> String {
      URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../Fixtures/Archives/\(name).arexperience"
      )
      .path
    }
    try await withFolder { folder in
      let peer = try PeerProcess("ann", in: folder, ["--map", fixture("room-2")])
      #expect(try await peer.ask("status").points ?? 0 > 40)
      let answer = try await peer.ask("load '\(fixture("later-layout"))'")
      #expect(answer.points == 0)
      #expect(try await peer.event("points-unreadable").reason?.hasSuffix("version 3") == true)
      #expect(try await peer.ask("load '\(fixture("refused-cycle"))'").code == "corrupt-data")
      try peer.send("quit")
      #expect(try await peer.status() == 0)
    }
  }

  @Test("save writes a map, and no file whose name promises another format")
  func saved() async throws {
    try await withFolder { folder in
      let peer = try PeerProcess("ann", in: folder)
      try await peer.ask("place lamp 1 2 3")
      let path = folder.appending(path: "room").path
      for name in [path, path + ".worldmap"] {
        #expect(try await peer.ask("save '\(name)'").event == "answer")
        #expect(try WorldMap(contentsOfFile: name).anchors.map(\.name) == ["lamp"])
      }
      #expect(try await peer.ask("save '\(path).ply'").code == "bad-command")
      #expect(!FileManager.default.fileExists(atPath: path + ".ply"))
    }
  }

  @Test("save keeps the anchors of a file that was loaded and not sent, beside those of the session")
  func savedAsLoaded() async throws {
    try await withFolder { folder in
      let (path, copy) = (folder.appending(path: "room.worldmap").path, folder.appending(path: "copy.worldmap").path)
      var room = SyntheticRoom(seed: 3, pointCount: 2_000).map()
      room.anchors = [Anchor(name: "shelf"), Anchor(name: "door")]
      try room.write(toFile: path)
      let peer = try PeerProcess("ann", in: folder)
      try await peer.ask("load '\(path)'")
      try await peer.ask("place lamp 1 2 3")
      #expect(try await peer.ask("save '\(copy)'").event == "answer")
      let saved = try WorldMap(contentsOfFile: copy)
      #expect(saved.anchors.map(\.name).sorted() == ["door", "lamp", "shelf"] && saved.cloud.count == 2_000)
    }
  }

  @Test("a point cloud is shared with another peer like any map")
  func shared() async throws {
    try await withFolder { folder in
      let path = folder.appending(path: "room.ply").path
      let room = SyntheticRoom(seed: 3, pointCount: 5_000).map()
      try Data(try room.file(as: .pointCloud(.plyASCII))).write(to: URL(filePath: path))
      let ann = try PeerProcess("ann", in: folder, ["--accept", "all", "--map", path])
      let port = try #require(try await ann.event("ready").port)
      let bob = try PeerProcess("bob", in: folder, ["--connect", "127.0.0.1:\(port)"])
      try await ann.ask("wait peers 1")
      let shared = try await ann.ask("send-map")
      #expect(shared.points == 5_000)
      #expect(try await bob.event("map-received").mapID == shared.mapID)
      #expect(try await bob.ask("tap 0.5 0.6 lamp").id != nil)
    }
  }
}
