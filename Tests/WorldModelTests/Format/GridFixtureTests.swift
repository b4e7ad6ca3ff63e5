import Foundation
import Testing
import WorldFormats

@testable import WorldModel

/// The bound of quantised positions, on every fixture.
@Suite struct GridFixtureTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fixtures")

  /// The files of `folder`, by name.
  private static func files(_ folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .sorted { $0.path < $1.path }
  }

  /// Every cloud that is in the repository, a generated room, and what is in the folder SHAREDWORLD_CLOUDS.
  private static func clouds() throws -> [(name: String, cloud: FeatureCloud)] {
    var clouds = [("room", SyntheticRoom(seed: 5, pointCount: 20_000).map().cloud)]
    for file in try files(fixtures.appendingPathComponent("Maps")) {
      clouds.append((file.lastPathComponent, try WorldMap(decoding: [UInt8](Data(contentsOf: file))).cloud))
    }
    let others = ProcessInfo.processInfo.environment["SHAREDWORLD_CLOUDS"].map { [URL(fileURLWithPath: $0)] } ?? []
    let known: Set = ["ply", "pcd", "txt", "bin", "csv", "xyz"]
    for folder in [fixtures.appendingPathComponent("PointClouds")] + others {
      for file in try files(folder) where known.contains(file.pathExtension) {
        let bytes = [UInt8](try Data(contentsOf: file))
        clouds.append(
          (file.lastPathComponent, try PointCloudFile(reading: bytes, fileExtension: file.pathExtension).cloud))
      }
    }
    return clouds
  }

  @Test(arguments: [Float(0.000001), 0.0005, 0.003, 1, 100], [EncodingOptions.Arrangement.byIdentifier, .inSpace])
  func `no coordinate of a fixture moves farther than the bound`(
    bound: Float, arrangement: EncodingOptions.Arrangement
  ) throws {
    let clouds = try Self.clouds()
    #expect(clouds.count >= 17)
    for (name, cloud) in clouds {
      let options = EncodingOptions(precision: .within(bound: bound), arrangement: arrangement)
      let decoded = try WorldMap(decoding: WorldMap(cloud: cloud).encoded(options)).cloud
      let isSame = decoded.identifiers == cloud.identifiers && decoded.channels == cloud.channels
      #expect(isSame, "\(name)")
      // In doubles, so that rounding does not hide what is beyond the bound.
      let worst = zip(decoded.positions, cloud.positions).reduce(0.0) { worst, pair in
        let moved = SIMD3<Double>(pair.0) - SIMD3<Double>(pair.1)
        return max(worst, moved.x.magnitude, moved.y.magnitude, moved.z.magnitude)
      }
      #expect(worst <= Double(bound), "\(name)")
    }
  }
}
