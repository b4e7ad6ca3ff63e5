public import WorldModel

/// Reads a world map from a file of any format that the package knows.
///
/// A point cloud becomes a map without anchors; see ``PointCloudFile`` for what else is kept, and ``ARKitArchive`` for the
/// maps that iPhones and iPads save.
public struct MapFile: Sendable {
  /// The map that was read.
  public var map: WorldMap
  /// The format that was found.
  public var format: MapFormat
  /// All descriptors by which an archive of ARKit knows the points of ``map``; nil for every other file.
  public var sightings: FeatureCloud.Sightings?
  /// Points that were left out: of a point cloud those whose position is NaN or infinite, of an archive of ARKit those with
  /// large residuals (``ARKitArchive/worstResidual``).
  public var droppedPoints = 0
  /// The place in the frame of a point cloud that is (0, 0, 0) of ``map``; see ``PointCloudFile/origin``.
  public var origin = CloudOrigin.zero
  /// Why an archive of ARKit gave anchors and no points, as a sentence; nil for every other file.
  public var unreadablePoints: String?

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
    } catch .notAWorldMap where ARKitArchive.begins(bytes) {
      let archive: ARKitArchive
      do throws(ARKitArchiveError) { archive = try ARKitArchive(reading: bytes) } catch { throw .archive(error) }
      map = archive.map
      format = .arkitArchive
      sightings = archive.sightings
      droppedPoints = archive.droppedPoints
      unreadablePoints = archive.unreadablePoints
    } catch .notAWorldMap {
      let file: PointCloudFile
      do throws(PointCloudFileError) {
        file = try PointCloudFile(reading: bytes, fileExtension: fileExtension)
      } catch {
        throw error == .unknownFormat ? .unknownFormat : .pointCloud(error)
      }
      // Text without a number is a cloud without points to its reader, which only the name of the file called for.
      let isEmpty = file.cloud.isEmpty && file.droppedPoints == 0
      guard !isEmpty || !file.format.isText || PointCloudFormat(detecting: bytes) != nil else { throw .unknownFormat }
      map = WorldMap(cloud: file.cloud)
      format = .pointCloud(file.format)
      droppedPoints = file.droppedPoints
      origin = file.origin
    } catch {
      throw .worldMap(error)
    }
  }
}

/// Why a file could not be read as a map.
@nonexhaustive
public enum MapFileError: Error, Hashable, Sendable {
  /// The content is that of no known format.
  case unknownFormat
  /// The file is a damaged `.worldmap` file, or one of a later version.
  case worldMap(WorldMapError)
  /// The file is a damaged point cloud.
  case pointCloud(PointCloudFileError)
  /// The file is a damaged archive of ARKit, or one of something else.
  case archive(ARKitArchiveError)
}

extension MapFileError: CustomStringConvertible {
  /// A sentence with the line or the byte of the fault.
  public var description: String {
    switch self {
    case .unknownFormat: "not a map: expected a .worldmap, ARKit archive, PLY, PCD, COLMAP points3D or XYZ file"
    case .worldMap(let error): error.description
    case .pointCloud(let error): error.description
    case .archive(let error): error.description
    }
  }
}
