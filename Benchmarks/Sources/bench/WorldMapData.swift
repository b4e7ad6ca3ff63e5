import Foundation
import SharedWorld
import Synchronization
import WorldFormats

/// A cloud that maps are measured on, made when it is needed.
struct WorldMapData: Sendable {
  /// The last part of the rows' names.
  let name: String
  /// Whether it was recorded by a real device, not generated.
  let isReal: Bool
  private let load: @Sendable () throws -> FeatureCloud

  /// Rooms of 1 k to 1 M points, of 5 M when SHAREDWORLD_LARGE is set, and every file in the folder SHAREDWORLD_CLOUDS.
  static let all: [WorldMapData] = {
    let environment = ProcessInfo.processInfo.environment
    let large = environment["SHAREDWORLD_LARGE"] == nil ? [] : [("room-5M", 5_000_000)]
    let rooms = [("room-1k", 1_000), ("room-100k", 100_000), ("room-1M", 1_000_000)] + large
    return rooms.map(room) + (environment["SHAREDWORLD_CLOUDS"].map(clouds) ?? [])
  }()

  /// Positions and identifiers; the last cloud is kept, because rows of the same data follow each other.
  func cloud() throws -> FeatureCloud {
    try Self.cache.withLock { cached in
      if let (name, cloud) = cached, name == self.name { return cloud }
      cached = nil
      let cloud = try load()
      cached = (name, cloud)
      return cloud
    }
  }

  private static let cache = Mutex<(String, FeatureCloud)?>(nil)

  static func room(_ name: String, _ count: Int) -> WorldMapData {
    WorldMapData(name: name, isReal: false) { SyntheticRoom(seed: 1, pointCount: count).map().cloud }
  }

  private static func clouds(in folder: String) -> [WorldMapData] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.sorted().filter { ["ply", "pcd", "txt", "bin", "xyz"].contains(URL(filePath: $0).pathExtension) }
      .map { file in
        let url = URL(filePath: folder).appending(path: file)
        return WorldMapData(name: url.deletingPathExtension().lastPathComponent, isReal: true) {
          let cloud = try PointCloudFile(reading: [UInt8](Data(contentsOf: url)), fileExtension: url.pathExtension)
            .cloud
          return FeatureCloud(positions: cloud.positions, identifiers: cloud.identifiers)
        }
      }
  }
}
