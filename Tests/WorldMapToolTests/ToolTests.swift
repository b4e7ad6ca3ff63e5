import Foundation
import PeerCLI
import SharedWorld
import Synchronization
import Testing

@testable import worldmap

/// What a run of the tool wrote.
final class Paper: Sendable {
  private let written = Mutex((output: "", error: ""))

  /// Runs the tool; gives what it wrote and its exit status.
  static func run(_ words: [String]) -> (output: String, error: String, code: ExitCode) {
    let paper = Paper()
    let streams = Streams(
      output: { text in
        paper.written.withLock { $0.output += text }
        return true
      }, error: { text in paper.written.withLock { $0.error += text } })
    let status = Tool.run(words, streams: streams)
    return paper.written.withLock { ($0.output, $0.error, status) }
  }
}

@Suite struct ToolTests {
  /// A folder with a small room, removed when the test ends.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "worldmap-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      #expect(
        Paper.run(["generate", "--points", "2000", "--seed=7", "--colors", path("room.worldmap")]).code == .done)
    }
    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    /// Runs the tool with --json and reads its answer; words that begin with @ are files of this folder.
    func run(_ words: String...) throws -> (code: ExitCode, answer: [String: Any]) {
      let words = words.map { $0.hasPrefix("@") ? path(String($0.dropFirst())) : $0 }
      let result = Paper.run(words + ["--json"])
      let answer = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
      return (result.code, answer)
    }
  }

  /// The lines with which every help of a command ends.
  private static let helpEnd = ["  --help", "print this text"]

  @Test func `help is complete`() {
    let main = Paper.run(["--help"])
    #expect(main.code == .done && main.output.contains("EXIT STATUS") && main.output.contains("\n  4 "))
    #expect(Paper.run(["help"]).output == main.output && Paper.run(["-h"]).output == main.output)
    #expect(Paper.run(["--version"]).output == "worldmap \(Session.version)\n")
    for command in Tool.commands {
      #expect(Paper.run([command.name, "--version"]).output == "worldmap \(Session.version)\n")
      let help = Paper.run([command.name, "--help"])
      #expect(help.code == .done && help.output.hasPrefix("usage: worldmap \(command.name) "))
      #expect(main.output.contains("\n  \(command.name) "))
      #expect(Paper.run(["help", command.name]).output == help.output)
      #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
      for word in Self.helpEnd + ["--json"] { #expect(help.output.contains(word)) }
    }
  }

  @Test func `options are explained`() {
    for (command, option) in [
      ("info", "--anchors"), ("convert", "--within METERS"), ("convert", "--frame ros|colmap"),
      ("convert", "--up y|z"), ("thumbnail", "--up y|z"), ("thumbnail", "--frame ros|colmap"),
      ("diff", "--tolerance METERS"), ("crop", "--box X,Y,Z,X,Y,Z"), ("thumbnail", "--view above|perspective"),
      ("generate", "--seed N"), ("align", "--merge FILE"),
    ] {
      #expect(Paper.run([command, "--help"]).output.contains("\n  \(option) "))
    }
  }

  @Test(arguments: [
    (["frobnicate"], "unknown command 'frobnicate'"), (["inof"], "unknown command 'inof'; did you mean 'info'?"),
    (["--anchors", "info"], "option '--anchors' stands before the command; put it after"),
    (["info"], "missing argument INPUT"), (["info", "a", "b"], "unexpected argument 'b'"),
    (["info", "--bogus", "a"], "unknown option '--bogus'"), (["convert", "a"], "missing argument OUTPUT"),
    (
      ["convert", "a", "b.gif"],
      "b.gif: unknown format; end the name with one of .worldmap, .ply, .pcd, .txt, .bin, .xyz"
    ),
    (
      ["convert", "a", "b.ply", "--format=PLY"],
      "--format: 'PLY' is not one of worldmap, ply-ascii, ply, ply-big-endian, "
        + "pcd-ascii, pcd, pcd-compressed, colmap-txt, colmap, xyz; did you mean 'ply'?"
    ),
    (["thumbnail", "a", "b.gif"], "b.gif: unknown format; end the name with .png or .svg"),
    (
      ["thumbnail", "a", "b.png", "--size", "1x1"],
      "--size: '1x1' is not a size; write 1200x900, each side from 64 to 8192"
    ),
    (
      ["thumbnail", "a", "b.png", "--view=above", "--camera=1,2,3,4,5,6"],
      "--camera has no effect on --view above; leave out one of them"
    ),
    (
      ["convert", "a", "b.arexperience"],
      "b.arexperience: archives of ARKit are only read; "
        + "end the name with one of .worldmap, .ply, .pcd, .txt, .bin, .xyz"
    ),
    (
      ["convert", "a", "b.ply", "--frame=ros", "--up=z"],
      "--frame and --up exclude each other; a frame says which axis points up"
    ),
    (["align", "a", "b", "--free", "--gravity"], "--gravity and --free exclude each other; leave out one of them"),
    (
      ["align", "a", "b", "--merge", "c.gif"],
      "c.gif: unknown format; end the name with one of .worldmap, .ply, .pcd, .txt, .bin, .xyz"
    ),
    (["generate", "a.worldmap", "--points", "-1"], "--points: '-1' is not a number from 0 to 33554432"),
  ])
  func `a wrong command line is told, with what to do`(words: [String], message: String) throws {
    let result = Paper.run(words)
    #expect(result.code == .usage && result.output.isEmpty)
    let lines = result.error.split(separator: "\n")
    #expect(lines.count == 2 && lines[0] == "worldmap: \(message)" && lines[1].hasPrefix("Try: worldmap "))
    let json = Paper.run(words + ["--json"])
    let answer = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(answer["exitCode"] as? Int == 2 && answer["code"] as? String == "bad-command" && json.error == result.error)
  }

  @Test func `without a command there is help, and it counts as a mistake`() {
    let result = Paper.run([])
    #expect(result.code == .usage && result.output.isEmpty && result.error == Paper.run(["help"]).output)
  }

  @Test func `info`() throws {
    let folder = try Folder()
    let (code, answer) = try folder.run("info", "@room.worldmap", "--anchors")
    #expect(code == .done && answer["format"] as? String == "worldmap")
    #expect(answer["points"] as? Int == 2000 && answer["channels"] as? [String] == ["colors"])
    let anchors = try #require(answer["anchorList"] as? [[String: Any]])
    #expect(anchors.count == answer["anchors"] as? Int)
    #expect(anchors.contains { $0["name"] as? String == "floor" && $0["kind"] as? String == "plane" })
    let text = Paper.run(["info", folder.path("room.worldmap")])
    #expect(text.output.contains("points    2,000"))
  }

  @Test(arguments: ["ply", "pcd", "txt", "bin"])
  func `there and back`(fileExtension: String) throws {
    let folder = try Folder()
    #expect(try folder.run("convert", "@room.worldmap", "@cloud.\(fileExtension)").code == .done)
    #expect(try folder.run("convert", "@cloud.\(fileExtension)", "@back.worldmap").code == .done)
    let map = try WorldMap(contentsOfFile: folder.path("room.worldmap"))
    #expect(try WorldMap(contentsOfFile: folder.path("back.worldmap")).cloud == map.cloud)
    // The anchors are gone, and diff says so.
    let (code, answer) = try folder.run("diff", "@room.worldmap", "@back.worldmap")
    #expect(code == .negative && answer["pointsMoved"] as? Int == 0)
    #expect((answer["anchorsChanged"] as? [Any])?.count == map.anchors.count)
  }

  @Test func `quantized maps differ within their bound`() throws {
    let folder = try Folder()
    #expect(try folder.run("crop", "@room.worldmap", "@near.worldmap", "--outliers").code == .done)
    #expect(try folder.run("convert", "@near.worldmap", "@small.worldmap", "--within", "0.001").code == .done)
    #expect(try folder.run("diff", "@near.worldmap", "@near.worldmap").code == .done)
    #expect(try folder.run("convert", "@near.worldmap", "@small.worldmap", "--within", "1000").code == .usage)
    #expect(try folder.run("diff", "@near.worldmap", "@small.worldmap").code == .negative)
    // A coordinate moves by at most 1 mm, a point by √3 times that.
    #expect(try folder.run("diff", "@near.worldmap", "@small.worldmap", "--tolerance", "0.00174").code == .done)
  }

  @Test func `other axes and units`() throws {
    let folder = try Folder()
    try Data("2 4 6\n".utf8).write(to: folder.url.appending(path: "ros.xyz"))
    #expect(try folder.run("convert", "@ros.xyz", "@w.worldmap", "--frame", "ros", "--scale", "0.5").code == .done)
    // x ahead, y left, z up becomes −z ahead, −x left, y up.
    #expect(try WorldMap(contentsOfFile: folder.path("w.worldmap")).cloud.positions == [[-2, 3, -1]])
    #expect(try folder.run("convert", "@ros.xyz", "@w.worldmap", "--frame", "unity").code == .usage)
    // Right stays x, away becomes −z, up y.
    #expect(try folder.run("convert", "@ros.xyz", "@w.worldmap", "--up", "z").code == .done)
    #expect(try WorldMap(contentsOfFile: folder.path("w.worldmap")).cloud.positions == [[2, 6, -4]])
    #expect(try folder.run("convert", "@ros.xyz", "@w.worldmap", "--up", "y").code == .done)
    #expect(try WorldMap(contentsOfFile: folder.path("w.worldmap")).cloud.positions == [[2, 4, 6]])
    // Anchors keep their share of the map.
    let room = try WorldMap(contentsOfFile: folder.path("room.worldmap"))
    #expect(try folder.run("convert", "@room.worldmap", "@half.worldmap", "--scale", "0.5").code == .done)
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
    #expect(code == .negative && changes.count == 4)
    #expect(Set(changes.map { $0.prefix(8) }) == ["removed", "moved by", "renamed ", "added"])
  }

  @Test func `a tolerance is for turns too`() throws {
    let folder = try Folder()
    var map = try WorldMap(contentsOfFile: folder.path("room.worldmap"))
    // By a thousandth, in place.
    let turn = try #require(Transform(quaternion: [0, 0.0005, 0, 1]))
    map.anchors[0].transform = map.anchors[0].transform * turn
    try map.write(toFile: folder.path("turned.worldmap"))
    for (tolerance, code) in [("0", ExitCode.negative), ("0.0009", .negative), ("0.0011", .done)] {
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
      #expect(code == .negative && answer[member] as? Bool == false)
      #expect(Paper.run(["diff", folder.path("room.worldmap"), folder.path("\(name).worldmap")]).output.contains(name))
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
    #expect(try folder.run("verify", "@room.worldmap").code == .done)
    var bytes = try #require(FileManager.default.contents(atPath: folder.path("room.worldmap")))
    bytes[bytes.count / 2] ^= 4
    try bytes.write(to: folder.url.appending(path: "scratched.worldmap"))
    let repaired = try folder.run("salvage", "@scratched.worldmap", "@saved.worldmap")
    #expect(repaired.code == .done && repaired.answer["repairedBlocks"] as? [Int] == [0])
    #expect(try folder.run("diff", "@room.worldmap", "@saved.worldmap").code == .done)
    // More than the parity makes up for.
    for place in 0..<(bytes.count / 40) { bytes[bytes.count / 2 + place] ^= 4 }
    try bytes.write(to: folder.url.appending(path: "bad.worldmap"))
    let (code, answer) = try folder.run("verify", "@bad.worldmap")
    let faults = try #require(answer["faults"] as? [[String: Any]])
    #expect(code == .damaged && faults.count == 1 && faults[0]["offset"] is Int)
    #expect(try folder.run("info", "@bad.worldmap").code == .damaged)
    #expect(try folder.run("salvage", "@bad.worldmap", "@saved.worldmap").code == .negative)
    #expect(try folder.run("verify", "@saved.worldmap").code == .done)
    #expect(try folder.run("salvage", "@room.worldmap", "@whole.worldmap").code == .done)
    #expect(try folder.run("diff", "@room.worldmap", "@whole.worldmap").code == .done)
    try Data("nothing".utf8).write(to: folder.url.appending(path: "junk"))
    #expect(try folder.run("salvage", "@junk", "@none.worldmap").code == .damaged)
  }

  @Test func `crop`() throws {
    let folder = try Folder()
    let (code, answer) = try folder.run("crop", "@room.worldmap", "@part.worldmap", "--box", "3,3,3,-3,-1.2,-3")
    let part = try WorldMap(contentsOfFile: folder.path("part.worldmap"))
    #expect(code == .done && answer["points"] as? Int == part.cloud.count)
    #expect((1..<2000).contains(part.cloud.count))
    #expect(part.cloud.positions.allSatisfy { $0.y >= -1.2 && $0.y <= 3 && $0.x >= -3 && $0.x <= 3 })
    #expect(!part.anchors.contains { $0.name == "floor" })
    let third = try folder.run("crop", "@room.worldmap", "@third.worldmap", "--every", "3", "--all-anchors").answer
    #expect(third["points"] as? Int == 667)
    let ball = try folder.run("crop", "@room.worldmap", "@ball.ply", "--sphere", "0,-0.5,0,2", "--outliers").answer
    #expect((1..<1900).contains(try #require(ball["points"] as? Int)))
  }

  @Test func `align finds a part of a room, and merges what it adds`() throws {
    let folder = try Folder()
    let room = try WorldMap(contentsOfFile: folder.path("room.worldmap"))
    // The scan lacks a third of the map's points, and the map a third of the scan's; the frames differ by yaw and shift.
    let pose = Transform(x: [0.6, 0, -0.8], y: [0, 1, 0], z: [0.8, 0, 0.6], translation: [3, 0.5, -2])
    var (map, scan) = (room, try room.transformed(by: pose.inverse))
    map.cloud = room.cloud.selecting(room.cloud.indices.filter { $0 % 3 != 0 })
    scan.cloud = scan.cloud.selecting(scan.cloud.indices.filter { $0 % 3 != 1 })
    try map.write(toFile: folder.path("map.worldmap"))
    try scan.write(toFile: folder.path("scan.worldmap"))
    let (code, answer) = try folder.run("align", "@map.worldmap", "@scan.worldmap", "--merge", "@both.worldmap")
    #expect(code == .done && answer["accepted"] as? Bool == true && answer["state"] as? String == "normal")
    let confidence = try #require(answer["confidence"] as? Double)
    #expect(answer["reason"] is NSNull && confidence >= 0.5)
    let (inliers, rms) = try (#require(answer["inliers"] as? Int), #require(answer["rms"] as? Double))
    #expect(inliers > 50 && rms < 0.05)
    let matrix = try #require(answer["matrix"] as? [Double])
    let rows: [Double] = [0.6, 0, 0.8, 3, 0, 1, 0, 0.5, -0.8, 0, 0.6, -2, 0, 0, 0, 1]
    #expect(matrix.count == 16 && zip(matrix, rows).allSatisfy { ($0 - $1).magnitude < 0.01 })
    let merged = try #require(answer["merged"] as? [String: Any])
    let both = try WorldMap(contentsOfFile: folder.path("both.worldmap"))
    #expect(merged["points"] as? Int == both.cloud.count && both.cloud.count > map.cloud.count)
    #expect(Set(both.anchors.map(\.id)) == Set(room.anchors.map(\.id)))
    let text = Paper.run(["align", folder.path("map.worldmap"), folder.path("scan.worldmap")])
    #expect(text.code == .done && text.output.hasPrefix("the place is certain\n") && text.output.contains("  matrix  "))
  }

  @Test func `another walk finds other points of the room, from a frame of its own, and align draws both`() throws {
    let folder = try Folder()
    _ = try folder.run("generate", "--points", "20000", "--seed", "7", "@map.worldmap")
    _ = try folder.run(
      "generate", "--points", "9000", "--seed", "7", "--walk", "2", "--origin", "1,0,-2,90", "@scan.worldmap")
    let (map, scan) = try (
      WorldMap(contentsOfFile: folder.path("map.worldmap")), WorldMap(contentsOfFile: folder.path("scan.worldmap"))
    )
    #expect(map.anchors.map(\.id) == scan.anchors.map(\.id))
    let frame = Transform(x: [0, 0, -1], y: [0, 1, 0], z: [1, 0, 0], translation: [1, 0, -2])
    let seen = Set(map.cloud.positions)
    #expect(try scan.transformed(by: frame).cloud.positions.count { seen.contains($0) } == 0)
    let (code, answer) = try folder.run("align", "@map.worldmap", "@scan.worldmap", "--picture", "@both.png")
    let matrix = try #require(answer["matrix"] as? [Double])
    #expect(code == .done && abs(matrix[3] - 1) < 0.02 && abs(matrix[11] + 2) < 0.02)
    #expect(answer["picture"] as? String == folder.path("both.png"))
    #expect(try Data(contentsOf: folder.url.appending(path: "both.png")).starts(with: [0x89, 0x50, 0x4e, 0x47]))
    #expect(Paper.run(["align", "a", "b", "--picture", "c.gif"]).code == .usage)
  }

  @Test func `align says not sure, with a reason, and merges nothing then`() throws {
    let folder = try Folder()
    try Data("0 0 0\n1 0 0\n".utf8).write(to: folder.url.appending(path: "few.xyz"))
    let (code, answer) = try folder.run("align", "@room.worldmap", "@few.xyz", "--merge", "@both.worldmap")
    #expect(code == .negative && answer["accepted"] as? Bool == false && answer["matrix"] is NSNull)
    #expect(answer["state"] as? String == "limited" && answer["reason"] as? String == "insufficient-features")
    #expect(answer["merged"] is NSNull && !FileManager.default.fileExists(atPath: folder.path("both.worldmap")))
    #expect(Paper.run(["align", folder.path("room.worldmap"), folder.path("few.xyz"), "--free"]).code == .negative)
  }

  @Test func `thumbnail`() throws {
    let folder = try Folder()
    for (name, start) in [("a.png", [0x89, 0x50]), ("b.svg", [0x3c, 0x73])] as [(String, [UInt8])] {
      for view in ["above", "perspective"] {
        #expect(
          try folder.run("thumbnail", "@room.worldmap", "@\(name)", "--view", view, "--size", "160x120").code
            == .done)
        let bytes = try #require(FileManager.default.contents(atPath: folder.path(name)))
        #expect(Array(bytes.prefix(2)) == start)
      }
    }
    #expect(
      try folder.run("thumbnail", "@room.worldmap", "@a.png", "--camera", "0,0,2,0,-1,0", "--size=99x99").code
        == .done)
  }

  @Test func `a picture of a cloud with z up is that of the same cloud with y up`() throws {
    let folder = try Folder()
    let room = try WorldMap(contentsOfFile: folder.path("room.worldmap"))
    var turned = try room.transformed(by: CoordinateFrame.zUp.toWorld.inverse)
    turned.anchors = []
    try turned.write(toFile: folder.path("scan.worldmap"))
    var plain = room
    plain.anchors = []
    try plain.write(toFile: folder.path("plain.worldmap"))
    func picture(_ name: String, _ options: String...) throws -> Data? {
      let words = ["thumbnail", folder.path(name), folder.path("p.svg"), "--size=200x150"] + options
      #expect(Paper.run(words).code == .done)
      return FileManager.default.contents(atPath: folder.path("p.svg"))
    }
    let expected = try picture("plain.worldmap")
    #expect(try picture("scan.worldmap", "--up", "z") == expected)
    #expect(try picture("scan.worldmap") != expected)
  }

  @Test func `files that cannot be used are told`() throws {
    let folder = try Folder()
    #expect(try folder.run("info", "@missing").code == .io)
    #expect(try folder.run("info", "/").code == .io)
    #expect(try folder.run("convert", "@room.worldmap", "@no/such/folder.ply").code == .io)
    for command in ["convert", "crop"] {
      let (code, answer) = try folder.run(command, "@room.worldmap", "@file.docx")
      let message = try #require(answer["error"] as? String)
      #expect(code == .usage && message.contains("file.docx: unknown format; end the name with"))
    }
    try Data("1 2 3\n4 5 x\n".utf8).write(to: folder.url.appending(path: "bad.xyz"))
    let (code, answer) = try folder.run("info", "@bad.xyz")
    #expect(code == .damaged && (answer["error"] as? String)?.hasSuffix("\"x\" is no number in line 2") == true)
  }
}
