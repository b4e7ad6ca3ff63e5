import Foundation
import Testing
import WorldFormats
import WorldModel

@Suite struct PointCloudFixtureTests {
  static let names = [
    "faces-first.ply", "doubles.ply", "features.pcd", "features-binary.pcd", "points3D.txt", "points3D.bin",
    "titles.csv",
  ]
  /// What make.py writes, without the point that has no position.
  private static let positions: [SIMD3<Float>] = [
    [0.5, -1.25, 2], [0.001, 3.5, -0.125], [100, 0, -7.75], [-2, 4, 8],
  ]
  private static let colors: [SIMD3<UInt8>] = [[255, 0, 0], [0, 254, 1], [3, 2, 253], [16, 32, 64]]

  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Fixtures/PointClouds")
    return [UInt8](try Data(contentsOf: folder.appending(path: name)))
  }

  private func read(_ name: String) throws -> PointCloudFile {
    try PointCloudFile(reading: Self.bytes(name), fileExtension: String(name.split(separator: ".")[1]))
  }

  @Test(arguments: [
    ("faces-first.ply", PointCloudFormat.plyASCII), ("features.pcd", .pcdASCII), ("features-binary.pcd", .pcdBinary),
    ("titles.csv", .xyz),
  ])
  func `files without identifiers keep their order`(name: String, format: PointCloudFormat) throws {
    let file = try read(name)
    #expect(file.format == format && file.droppedPoints == 1)
    #expect(file.cloud.positions == Self.positions)
    #expect(file.cloud.channels.colors == Self.colors)
    // The number of a point is its place in the file, whatever was dropped before it.
    #expect(file.cloud.identifiers == [0, 1, 2, 4])
    let normals = [SIMD3<Float>](repeating: [0, 1, 0], count: 4)
    #expect(file.cloud.channels.normals == (name.hasSuffix("pcd") ? normals : nil))
  }

  @Test(arguments: [("points3D.txt", PointCloudFormat.colmapText), ("points3D.bin", .colmapBinary)])
  func `COLMAP's points come in the order of their identifiers`(name: String, format: PointCloudFormat) throws {
    let file = try read(name)
    #expect(file.format == format && file.droppedPoints == 1)
    #expect(file.cloud.identifiers == [22, 36, 43, 50])
    #expect(file.cloud.positions == Self.positions.reversed())
    #expect(file.cloud.channels.colors == Self.colors.reversed())
  }

  @Test func `coordinates of a surveyor keep their last digits, from a rounded origin`() throws {
    let text = "691607.251 5334760.502 519.5\n691607.252 5334761.502 519.501\n691608.251 nan 0\n"
    let file = try PointCloudFile(reading: Array(text.utf8), as: .xyz)
    #expect(file.origin == CloudOrigin(x: 692_000, y: 5_335_000, z: 0) && file.droppedPoints == 1)
    #expect(abs(file.cloud.positions[1].x - file.cloud.positions[0].x - 0.001) < 1e-4)
    #expect(abs(file.cloud.positions[0].y + 239.498) < 1e-3 && file.cloud.positions[0].z == 519.5)
    #expect(try PointCloudFile(reading: Array("16000 2 3\n".utf8), as: .xyz).origin == .zero)
  }

  @Test func `columns may be in any order and of any type`() throws {
    let file = try read("doubles.ply")
    #expect(file.format == .plyBigEndian && file.droppedPoints == 1)
    #expect(file.cloud.positions == Self.positions.reversed())
    #expect(file.cloud.identifiers == [999_999_999_996, 999_999_999_998, 999_999_999_999, 1_000_000_000_000])
    #expect(file.cloud.channels.isEmpty)
  }

  @Test(arguments: names)
  func `every prefix and every changed byte is a cloud or an error`(name: String) throws {
    let bytes = try Self.bytes(name)
    let format = try read(name).format
    var failures = 0
    for count in 0..<bytes.count where !reads(Array(bytes.prefix(count)), as: format) { failures += 1 }
    for index in bytes.indices {
      for mask in [1, 0x80, 0xff] as [UInt8] {
        var changed = bytes
        changed[index] ^= mask
        if !reads(changed, as: format) { failures += 1 }
      }
    }
    #expect(failures > 20)
  }

  /// Whether a file can be read; whatever is read must be a valid cloud.
  private func reads(_ bytes: [UInt8], as format: PointCloudFormat) -> Bool {
    guard let file = try? PointCloudFile(reading: bytes, as: format) else { return false }
    #expect(file.cloud.positions.allSatisfy { $0.isFinite } && file.cloud.isSorted)
    return true
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["SHAREDWORLD_CLOUDS"] != nil))
  func `real clouds survive every format`() throws {
    let folder = try #require(ProcessInfo.processInfo.environment["SHAREDWORLD_CLOUDS"])
    let clouds = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter { name in
      ["ply", "pcd", "txt", "xyz", "bin"].contains { name.hasSuffix("." + $0) }
    }
    #expect(!clouds.isEmpty)
    for name in clouds {
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder).appending(path: name)))
      let file = try PointCloudFile(reading: bytes, fileExtension: String(name.suffix(3)))
      #expect(file.cloud.count >= 500, "\(name)")
      for format in [PointCloudFormat.plyBigEndian, .pcdCompressed, .colmapBinary] {
        let back = try PointCloudFile(reading: file.cloud.file(as: format), as: format)
        #expect(back.cloud.positions == file.cloud.positions && back.cloud.identifiers == file.cloud.identifiers)
      }
    }
  }
}
