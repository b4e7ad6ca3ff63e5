import Testing
// Alone, as in a program that only reads and writes files: the model comes with it.
import WorldFormats

@Suite("Maps of any format")
struct MapFileTests {
  private static let map = WorldMap(
    anchors: [Anchor(name: "lamp")], cloud: FeatureCloud(positions: [[1, 2, 3], [-4, 5.5, 6]], identifiers: [0, 1]))

  @Test("what was written is read again, and its content tells the format", arguments: MapFormat.writable)
  func thereAndBack(format: MapFormat) throws {
    let file = try MapFile(reading: try Self.map.file(as: format))
    #expect(file.format == format && file.droppedPoints == 0)
    #expect(file.map.cloud.positions == Self.map.cloud.positions)
    #expect(file.map.cloud.identifiers == Self.map.cloud.identifiers)
    // Only the package's own format has room for anchors.
    #expect(file.map.anchors == (format == .worldMap ? Self.map.anchors : []))
  }

  @Test("every format has a name and an extension of its own kind", arguments: MapFormat.allCases)
  func names(format: MapFormat) throws {
    #expect(MapFormat(named: format.name) == format)
    let usual = try #require(MapFormat(fileExtension: format.fileExtension.uppercased()))
    #expect(usual.fileExtension == format.fileExtension)
  }

  @Test("an archive of ARKit is read and never written, and the error says why")
  func readOnly() {
    #expect(!MapFormat.writable.contains(.arkitArchive) && MapFormat(fileExtension: "ARWorldMap") == .arkitArchive)
    let error = #expect(throws: WorldMapError.self) { try Self.map.file(as: .arkitArchive) }
    #expect(error?.description.contains("write a .worldmap file") == true)
  }

  @Test("an unknown name or extension is no format")
  func unknown() {
    #expect(MapFormat(named: "docx") == nil && MapFormat(fileExtension: "docx") == nil)
    #expect(Set(MapFormat.allCases.map(\.name)).count == MapFormat.allCases.count)
  }

  @Test("points without a finite position are counted")
  func dropped() throws {
    let file = try MapFile(reading: Array("1 2 3\nnan 0 0\n".utf8))
    #expect(file.droppedPoints == 1 && file.map.cloud.positions == [[1, 2, 3]])
  }

  @Test(
    "text that only the name of its file calls a cloud is none, and a cloud that says that it has no points is one",
    arguments: ["xyz", "csv", "txt"])
  func noCloud(fileExtension: String) throws {
    for text in ["# nothing here\n", "name,address\n"] where fileExtension != "txt" || !text.hasPrefix("name") {
      #expect(throws: MapFileError.unknownFormat) {
        try MapFile(reading: Array(text.utf8), fileExtension: fileExtension)
      }
    }
    for format in [PointCloudFormat.plyASCII, .pcdASCII, .colmapText] {
      let file = try MapFile(reading: FeatureCloud().file(as: format), fileExtension: fileExtension)
      #expect(file.format == .pointCloud(format) && file.map.cloud.isEmpty)
    }
  }

  @Test("a fault is told with its place")
  func faults() throws {
    #expect(throws: MapFileError.unknownFormat) { try MapFile(reading: Array("hello".utf8)) }
    let cloud = #expect(throws: MapFileError.self) { try MapFile(reading: Array("1 2 3\n4 x 6\n".utf8)) }
    #expect(cloud?.description.hasSuffix("in line 2") == true)
    var bytes = try Self.map.encoded()
    bytes.removeLast()
    let map = #expect(throws: MapFileError.self) { try MapFile(reading: bytes) }
    guard case .worldMap(let error) = map else { return #expect(Bool(false), "\(String(describing: map))") }
    #expect(map?.description == error.description)
  }

  @Test("a map that breaks a rule is not written in any format", arguments: MapFormat.writable)
  func invalid(format: MapFormat) {
    let cloud = FeatureCloud(positions: [[.infinity, 0, 0]], identifiers: [0])
    #expect(throws: WorldMapError.self) { try WorldMap(cloud: cloud).file(as: format) }
  }
}
