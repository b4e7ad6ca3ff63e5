public import WorldModel

/// Reads a world map from a file of any format that the package knows.
///
/// A point cloud becomes a map without anchors; see ``PointCloudFile`` for what else is kept.
public struct MapFile: Sendable {
  /// The map that was read.
  public var map: WorldMap
  /// The format that was found.
  public var format: MapFormat
  /// Points that were left out because their position is NaN or infinite.
  public var droppedPoints = 0

  /// The largest file worth reading (bytes): text is several times as large as a map.
  public static let largestFile = 4 * Limits.map

  /// Reads a file, whose format is recognised by its content.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - fileExtension: Without the dot, any case; it decides between text formats that look alike.
  /// - Throws: ``MapFileError`` with the place of the fault.
  public init(reading bytes: [UInt8], fileExtension: String? = nil) throws(MapFileError) {
    do throws(WorldMapError) {
      map = try WorldMap(decoding: bytes)
      format = .worldMap
    } catch .notAWorldMap {
      let file: PointCloudFile
      do throws(PointCloudFileError) {
        file = try PointCloudFile(reading: bytes, fileExtension: fileExtension)
      } catch {
        throw error == .unknownFormat ? .unknownFormat : .pointCloud(error)
      }
      map = WorldMap(cloud: file.cloud)
      format = .pointCloud(file.format)
      droppedPoints = file.droppedPoints
    } catch {
      throw .worldMap(error)
    }
  }
}

/// Why a file could not be read as a map.
public enum MapFileError: Error, Hashable, Sendable {
  /// The content is that of no known format.
  case unknownFormat
  /// The file is a damaged `.worldmap` file, or one of a later version.
  case worldMap(WorldMapError)
  /// The file is a damaged point cloud.
  case pointCloud(PointCloudFileError)
}

extension MapFileError: CustomStringConvertible {
  /// A sentence with the line or the byte of the fault.
  public var description: String {
    switch self {
    case .unknownFormat: "not a map: expected a .worldmap, PLY, PCD, COLMAP points3D or XYZ file"
    case .worldMap(let error): error.description
    case .pointCloud(let error): error.description
    }
  }
}
