import Foundation
import PeerCLI
import SharedWorld
import Testing

@Suite("Maps from files")
struct MapInputTests {
  private static func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "peercli-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test("a file of any format is read, and where a map goes is known before it is made")
  func thereAndBack() throws {
    try Self.withFolder { folder in
      for name in ["a.worldmap", "a.ply", "a.PCD", "a.xyz"] {
        let path = folder.appending(path: name).path
        let map = WorldMap(cloud: FeatureCloud(positions: [[1, 2, 3]], identifiers: [0]))
        let size = try MapOutput(path).write(map)
        let input = try MapInput(path)
        #expect(input.size == size && input.map.cloud == map.cloud && input.losses.droppedPoints == 0)
      }
      let failure = #expect(throws: ProgramFailure.self) { try MapOutput("a.docx") }
      #expect(
        failure?.status == .usage && failure?.message.hasPrefix("a.docx: unknown format; end the name with") == true)
    }
  }

  @Test("a failure names the file and the place, and tells a missing file from a damaged one")
  func failures() throws {
    try Self.withFolder { folder in
      let path = folder.appending(path: "a.xyz").path
      let missing = #expect(throws: ProgramFailure.self) { try MapInput(path) }
      #expect(missing?.status == .io && missing?.message == "cannot read \(path): No such file or directory")
      try Data("1 2 3\n4 5 x\n".utf8).write(to: URL(filePath: path))
      let damaged = #expect(throws: ProgramFailure.self) { try MapInput(path) }
      #expect(damaged?.status == .damaged && damaged?.message.hasPrefix("\(path): ") == true)
      #expect(damaged?.message.hasSuffix("in line 2") == true)
    }
  }

  @Test("the extension is what follows the last dot of the name")
  func extensions() {
    #expect("a/b.PLY".fileExtension == "ply" && "a.b/c".fileExtension == nil && ".ply".fileExtension == nil)
  }
}
