import Foundation
import SharedWorld
import Testing

@testable import PeerCLI
@testable import worldmap

/// Archives of ARKit, through the tool.
@Suite struct ArchiveToolTests {
  private static func fixture(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Fixtures/Archives/\(name).arexperience").path
  }

  private static func run(_ words: String...) throws -> (code: ExitCode, answer: [String: Any], text: String) {
    let json = Paper.run(words + ["--json"])
    let answer = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    return (json.code, answer, Paper.run(words).output)
  }

  @Test(arguments: [1, 2])
  func `info shows cameras, keyframes and residuals`(version: Int) throws {
    let (code, answer, text) = try Self.run("info", Self.fixture("room-\(version)"))
    #expect(code == .done && answer["format"] as? String == "arkit" && answer["anchors"] as? Int == 10)
    #expect(answer["cameras"] as? Int == version && answer["keyframes"] as? Int == 5)
    #expect(answer["droppedPoints"] as? Int == 2 && answer["unreadablePoints"] is NSNull)
    let residuals = try #require(answer["residuals"] as? [String: Double])
    let (median, largest) = (try #require(residuals["median"]), try #require(residuals["largest"]))
    #expect(median > 0.2 && median < 1 && largest > median && largest < 10)
    #expect(try #require(answer["depthDeviations"] as? [String: Double])["median"] ?? 0 > 0.08)
    for line in ["  cameras   \(version)\n", "  keyframes 5\n", "  residuals median 0.", "px left out\n"] {
      #expect(text.contains(line))
    }
  }

  @Test func `an archive becomes a .worldmap file that keeps everything, and aligns with itself`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "archive-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (input, output) = (Self.fixture("room-2"), folder.appending(path: "room.worldmap").path)
    let converted = try Self.run("convert", input, output)
    #expect(converted.code == .done && converted.answer["droppedPoints"] as? Int == 2)
    #expect(try Self.run("diff", input, output).code == .done)
    let map = try WorldMap(contentsOfFile: output)
    #expect(map.anchors.count == 10 && map.keyframes.count == 5 && map.cloud.channels.evidence != nil)
    // Half as large: places, cameras and what is measured in metres, not in pixels.
    #expect(try Self.run("convert", input, output, "--scale", "0.5").code == .done)
    let half = try WorldMap(contentsOfFile: output)
    #expect(half.keyframes[0].pose.translation == map.keyframes[0].pose.translation * 0.5)
    let (row, other) = (try #require(map.cloud.channels.evidence?[0]), try #require(half.cloud.channels.evidence?[0]))
    #expect(other.residual == row.residual && other.depthDeviation == row.depthDeviation.map { $0 * 0.5 })
    #expect(try Self.run("diff", input, output).answer["sameKeyframes"] as? Bool == false)
    let both = folder.appending(path: "both.worldmap").path
    let aligned = try Self.run("align", input, input, "--merge", both)
    #expect(aligned.code == .done && (aligned.answer["merged"] as? [String: Any])?["added"] as? Int == 0)
    #expect((aligned.answer["support"] as? [String: Any])?["by"] as? String == "descriptors")
    for command in [["thumbnail", input, folder.appending(path: "a.png").path], ["align", input, input]] {
      #expect([.done, .negative].contains(Paper.run(command).code))
    }
  }

  @Test func `of an unknown layout the anchors are converted, and the reason is said`() throws {
    let (code, answer, text) = try Self.run("info", Self.fixture("later-layout"))
    #expect(code == .done && answer["anchors"] as? Int == 1 && answer["points"] as? Int == 0)
    #expect(answer["unreadablePoints"] as? String == "points unreadable: trackingData 'MapDataSample' version 3")
    #expect(text.contains("points unreadable: trackingData 'MapDataSample' version 3\n"))
  }

  @Test func `a damaged archive is an error with its reason`() throws {
    let (code, answer, _) = try Self.run("info", Self.fixture("refused-cycle"))
    #expect(code == .damaged && (answer["error"] as? String)?.hasSuffix("object 6 holds itself") == true)
  }
}
