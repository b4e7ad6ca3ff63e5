import Foundation
import SharedWorld
import Testing

@testable import worldmap

@Suite struct ToolTests {
  /// A folder with a small room, removed when the test ends.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "worldmap-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      #expect(
        Tool.run(["generate", "--points", "2000", "--seed=7", "--colours", path("room.worldmap")]).code == .success)
    }
    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    /// Runs the tool with --json and reads its answer; words that begin with @ are files of this folder.
    func run(_ words: String...) throws -> (code: ExitCode, answer: [String: Any]) {
      let words = words.map { $0.hasPrefix("@") ? path(String($0.dropFirst())) : $0 }
      let result = Tool.run(words + ["--json"])
      let answer = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
      return (result.code, answer)
    }
  }

  @Test func `help is complete`() {
    for command in Tool.commands {
      let help = Tool.run([command.name, "--help"])
      #expect(help.code == .success && help.output.hasPrefix("usage: worldmap \(command.name) "))
      for option in command.options { #expect(help.output.contains("  " + option.usage)) }
      #expect(Tool.run(["--help"]).output.contains("\n  \(command.name) "))
      #expect(Tool.run(["help", command.name]).output == help.output)
      #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 132 })
    }
  }

  @Test(arguments: [
    [], ["frobnicate"], ["info"], ["info", "a", "b"], ["info", "--bogus", "a"], ["convert", "a"],
    ["thumbnail", "a", "b.gif"], ["thumbnail", "a", "b.png", "--size", "1x1"],
    ["generate", "a.worldmap", "--points", "-1"],
  ])
  func `a wrong command line is told`(words: [String]) {
    let result = Tool.run(words)
    #expect(result.code == .usage && result.output.isEmpty && !result.error.isEmpty)
  }

  @Test func `info`() throws {
    let folder = try Folder()
    let (code, answer) = try folder.run("info", "@room.worldmap", "--anchors")
    #expect(code == .success && answer["format"] as? String == "worldmap")
    #expect(answer["points"] as? Int == 2000 && answer["channels"] as? [String] == ["colours"])
    let anchors = try #require(answer["anchorList"] as? [[String: Any]])
    #expect(anchors.count == answer["anchors"] as? Int)
    #expect(anchors.contains { $0["name"] as? String == "floor" && $0["kind"] as? String == "plane" })
    let text = Tool.run(["info", folder.path("room.worldmap")])
    #expect(text.output.contains("points    2,000"))
  }

  @Test(arguments: ["ply", "pcd", "txt", "bin"])
  func `there and back`(fileExtension: String) throws {
    let folder = try Folder()
    #expect(try folder.run("convert", "@room.worldmap", "@cloud.\(fileExtension)").code == .success)
    #expect(try folder.run("convert", "@cloud.\(fileExtension)", "@back.worldmap").code == .success)
    let map = try WorldMap(contentsOfFile: folder.path("room.worldmap"))
    #expect(try WorldMap(contentsOfFile: folder.path("back.worldmap")).cloud == map.cloud)
    // The anchors are gone, and diff says so.
    let (code, answer) = try folder.run("diff", "@room.worldmap", "@back.worldmap")
    #expect(code == .difference && answer["pointsMoved"] as? Int == 0)
    #expect((answer["anchorsChanged"] as? [Any])?.count == map.anchors.count)
  }

  @Test func `quantised maps differ within their bound`() throws {
    let folder = try Folder()
    #expect(try folder.run("crop", "@room.worldmap", "@near.worldmap", "--outliers").code == .success)
    #expect(try folder.run("convert", "@near.worldmap", "@small.worldmap", "--within", "0.001").code == .success)
    #expect(try folder.run("diff", "@near.worldmap", "@near.worldmap").code == .success)
    #expect(try folder.run("convert", "@near.worldmap", "@small.worldmap", "--within", "1000").code == .usage)
    #expect(try folder.run("diff", "@near.worldmap", "@small.worldmap").code == .difference)
    // A coordinate moves by at most 1 mm, a point by √3 times that.
    #expect(try folder.run("diff", "@near.worldmap", "@small.worldmap", "--tolerance", "0.00174").code == .success)
  }

  @Test func `other axes and units`() throws {
    let folder = try Folder()
    try Data("2 4 6\n".utf8).write(to: folder.url.appending(path: "ros.xyz"))
    #expect(try folder.run("convert", "@ros.xyz", "@w.worldmap", "--frame", "ros", "--scale", "0.5").code == .success)
    // x ahead, y left, z up becomes −z ahead, −x left, y up.
    #expect(try WorldMap(contentsOfFile: folder.path("w.worldmap")).cloud.positions == [[-2, 3, -1]])
    #expect(try folder.run("convert", "@ros.xyz", "@w.worldmap", "--frame", "unity").code == .usage)
    // Anchors keep their share of the map.
    let room = try WorldMap(contentsOfFile: folder.path("room.worldmap"))
    #expect(try folder.run("convert", "@room.worldmap", "@half.worldmap", "--scale", "0.5").code == .success)
    let half = try WorldMap(contentsOfFile: folder.path("half.worldmap"))
    for (one, other) in zip(room.anchors, half.anchors) {
      guard case .plane(let plane) = one.kind, case .plane(let small) = other.kind else { continue }
      #expect(small.extent == plane.extent / 2 && small.boundary == plane.boundary.map { $0 / 2 })
    }
    // What no Float can hold is not written, whatever the format.
    try Data("1e38 0 0\n".utf8).write(to: folder.url.appending(path: "far.xyz"))
    for output in ["@far.worldmap", "@far.ply"] {
      #expect(try folder.run("convert", "@far.xyz", output, "--scale", "1000").code == .damaged)
    }
  }

  @Test func `every change of an anchor is named`() throws {
    let folder = try Folder()
    var map = try WorldMap(contentsOfFile: folder.path("room.worldmap"))
    map.anchors[0].transform.translation.x += 2
    map.anchors[1].name = "new name"
    map.anchors.remove(at: 2)
    map.anchors.append(Anchor(name: "lamp"))
    try map.write(toFile: folder.path("new.worldmap"))
    let (code, answer) = try folder.run("diff", "@room.worldmap", "@new.worldmap")
    let changes = try #require(answer["anchorsChanged"] as? [[String: String]]).compactMap { $0["change"] }
    #expect(code == .difference && changes.count == 4)
    #expect(Set(changes.map { $0.prefix(8) }) == ["removed", "moved by", "renamed ", "added"])
  }

  @Test func `a tolerance is for turns too`() throws {
    let folder = try Folder()
    var map = try WorldMap(contentsOfFile: folder.path("room.worldmap"))
    // By a thousandth, in place.
    let turn = try #require(Transform(quaternion: [0, 0.0005, 0, 1]))
    map.anchors[0].transform = map.anchors[0].transform * turn
    try map.write(toFile: folder.path("turned.worldmap"))
    for (tolerance, code) in [("0", ExitCode.difference), ("0.0009", .difference), ("0.0011", .success)] {
      #expect(try folder.run("diff", "@room.worldmap", "@turned.worldmap", "--tolerance", tolerance).code == code)
    }
  }

  @Test func `differences outside points and anchors are named`() throws {
    let folder = try Folder()
    let room = try WorldMap(contentsOfFile: folder.path("room.worldmap"))
    var map = room
    map.views = 3
    try map.write(toFile: folder.path("views.worldmap"))
    map = room
    map.unknownSections = [.init(code: 0x5A59_5857, codec: 0, rawLength: 1, coveredLength: 1, bytes: [1])]
    try map.write(toFile: folder.path("sections.worldmap"))
    for (name, member) in [("views", "sameViews"), ("sections", "sameUnknownSections")] {
      let (code, answer) = try folder.run("diff", "@room.worldmap", "@\(name).worldmap")
      #expect(code == .difference && answer[member] as? Bool == false)
      #expect(Tool.run(["diff", folder.path("room.worldmap"), folder.path("\(name).worldmap")]).output.contains(name))
    }
  }

  @Test func `descriptors are compared point by point`() throws {
    let folder = try Folder()
    func write(_ bytes: [UInt8], _ name: String, kind: String = "orb") throws {
      let channels = FeatureCloud.Channels(descriptors: .init(kind: kind, size: 2, bytes: bytes))
      let count = bytes.count / 2
      let cloud = FeatureCloud(
        positions: .init(repeating: .zero, count: count), identifiers: (0..<UInt64(count)).map(\.self),
        channels: channels)
      try WorldMap(cloud: cloud).write(toFile: folder.path(name))
    }
    try write([1, 2, 3, 4, 5, 6], "three.worldmap")
    try write([1, 2, 3, 4], "two.worldmap")
    try write([1, 2, 3, 9], "other.worldmap")
    try write([1, 2, 3, 4], "kind.worldmap", kind: "brief")
    for (name, isSame) in [("two", true), ("other", false), ("kind", false)] {
      let answer = try folder.run("diff", "@three.worldmap", "@\(name).worldmap").answer
      #expect(answer["pointsRemoved"] as? Int == 1 && answer["sameChannels"] as? Bool == isSame)
    }
  }

  @Test func `damage is found, named and survived`() throws {
    let folder = try Folder()
    #expect(try folder.run("verify", "@room.worldmap").code == .success)
    var bytes = try #require(FileManager.default.contents(atPath: folder.path("room.worldmap")))
    bytes[bytes.count / 2] ^= 4
    try bytes.write(to: folder.url.appending(path: "bad.worldmap"))
    let (code, answer) = try folder.run("verify", "@bad.worldmap")
    let faults = try #require(answer["faults"] as? [[String: Any]])
    #expect(code == .damaged && faults.count == 1 && faults[0]["offset"] is Int)
    #expect(try folder.run("info", "@bad.worldmap").code == .damaged)
    #expect(try folder.run("salvage", "@bad.worldmap", "@saved.worldmap").code == .difference)
    #expect(try folder.run("verify", "@saved.worldmap").code == .success)
    #expect(try folder.run("salvage", "@room.worldmap", "@whole.worldmap").code == .success)
    #expect(try folder.run("diff", "@room.worldmap", "@whole.worldmap").code == .success)
    try Data("nothing".utf8).write(to: folder.url.appending(path: "junk"))
    #expect(try folder.run("salvage", "@junk", "@none.worldmap").code == .damaged)
  }

  @Test func `crop`() throws {
    let folder = try Folder()
    let (code, answer) = try folder.run("crop", "@room.worldmap", "@part.worldmap", "--box", "3,3,3,-3,-1.2,-3")
    let part = try WorldMap(contentsOfFile: folder.path("part.worldmap"))
    #expect(code == .success && answer["points"] as? Int == part.cloud.count)
    #expect((1..<2000).contains(part.cloud.count))
    #expect(part.cloud.positions.allSatisfy { $0.y >= -1.2 && $0.y <= 3 && $0.x >= -3 && $0.x <= 3 })
    #expect(!part.anchors.contains { $0.name == "floor" })
    let third = try folder.run("crop", "@room.worldmap", "@third.worldmap", "--every", "3", "--all-anchors").answer
    #expect(third["points"] as? Int == 667)
    let ball = try folder.run("crop", "@room.worldmap", "@ball.ply", "--sphere", "0,-0.5,0,2", "--outliers").answer
    #expect((1..<1900).contains(try #require(ball["points"] as? Int)))
  }

  @Test func `thumbnail`() throws {
    let folder = try Folder()
    for (name, start) in [("a.png", [0x89, 0x50]), ("b.svg", [0x3c, 0x73])] as [(String, [UInt8])] {
      for view in ["above", "perspective"] {
        #expect(
          try folder.run("thumbnail", "@room.worldmap", "@\(name)", "--view", view, "--size", "160x120").code
            == .success)
        let bytes = try #require(FileManager.default.contents(atPath: folder.path(name)))
        #expect(Array(bytes.prefix(2)) == start)
      }
    }
    #expect(
      try folder.run("thumbnail", "@room.worldmap", "@a.png", "--camera", "0,0,2,0,-1,0", "--size=99x99").code
        == .success)
  }

  @Test func `files that cannot be used are told`() throws {
    let folder = try Folder()
    #expect(try folder.run("info", "@missing").code == .io)
    #expect(try folder.run("info", "/").code == .io)
    #expect(try folder.run("convert", "@room.worldmap", "@no/such/folder.ply").code == .io)
    for command in ["convert", "crop"] {
      let (code, answer) = try folder.run(command, "@room.worldmap", "@file.docx")
      let message = try #require(answer["error"] as? String)
      #expect(code == .usage && message.contains("no format \"docx\", only worldmap, ply-"))
    }
    try Data("1 2 3\n4 5 x\n".utf8).write(to: folder.url.appending(path: "bad.xyz"))
    let (code, answer) = try folder.run("info", "@bad.xyz")
    #expect(code == .damaged && (answer["error"] as? String)?.hasSuffix("\"x\" is no number in line 2") == true)
  }
}
