import SharedWorld
import WorldFormats

/// A map that was read, and what it was read from.
struct MapInput {
  var map: WorldMap
  /// `worldmap` or the name of a point-cloud format.
  var format: String
  /// The size of the file (bytes).
  var size: Int
  /// The points of a point cloud that had no finite position.
  var droppedPoints = 0

  /// Text formats take several times the room of a map.
  static let largestFile = 4 * Limits.map

  /// Reads the file at `path`, whatever it is.
  init(_ path: String, _ progress: Progress) throws(Failure) {
    progress.show("reading \(path)", 0)
    let bytes = try Self.bytes(of: path)
    size = bytes.count
    progress.show("decoding \(path)", 0.3)
    do {
      map = try WorldMap(decoding: bytes)
      format = "worldmap"
    } catch WorldMapError.notAWorldMap {
      let file = try Self.cloud(bytes, path)
      map = WorldMap(cloud: file.cloud)
      format = file.format.rawValue
      droppedPoints = file.droppedPoints
    } catch {
      throw Failure(.damaged, "\(path): \(error)")
    }
  }

  static func bytes(of path: String) throws(Failure) -> [UInt8] {
    do throws(SessionError) {
      return try ReadFile.bytes(of: path, limit: largestFile)
    } catch {
      throw Failure(.io, error.message)
    }
  }

  private static func cloud(_ bytes: [UInt8], _ path: String) throws(Failure) -> PointCloudFile {
    do throws(PointCloudFileError) {
      return try PointCloudFile(reading: bytes, fileExtension: path.fileExtension)
    } catch {
      throw Failure(.damaged, "\(path): \(error)")
    }
  }
}

/// Writing of results.
enum MapOutput {
  /// What outputs can be, by name.
  static let formats = ["worldmap"] + PointCloudFormat.allCases.map(\.rawValue)

  /// Writes a map as what the extension of `path`, or `format`, says; gives the size of the file (bytes).
  static func write(
    _ map: WorldMap, to path: String, format: String? = nil, options: EncodingOptions = .lossless,
    _ progress: Progress
  ) throws(Failure) -> Int {
    let format = format ?? path.fileExtension ?? ""
    let cloudFormat = PointCloudFormat(rawValue: format) ?? PointCloudFormat(fileExtension: format)
    guard format == "worldmap" || cloudFormat != nil else {
      throw Failure(.usage, "\(path): there is no format \"\(format)\", only " + formats.joined(separator: ", "))
    }
    progress.show("encoding \(path)", 0.6)
    let bytes: [UInt8]
    do {
      if let cloudFormat {
        try map.cloud.validate()
        bytes = map.cloud.file(as: cloudFormat)
      } else {
        bytes = try map.encoded(options)
      }
    } catch {
      throw Failure(.damaged, "the map cannot be written: \(error)")
    }
    try write(bytes, to: path, progress)
    return bytes.count
  }

  /// Writes bytes in one step.
  static func write(_ bytes: [UInt8], to path: String, _ progress: Progress) throws(Failure) {
    progress.show("writing \(path)", 0.95)
    do throws(SessionError) {
      try AtomicFile.write(bytes, to: path)
    } catch {
      throw Failure(.io, error.message)
    }
  }
}

extension String {
  /// What follows the last dot of the last path component, in lower case.
  var fileExtension: String? {
    guard let name = split(separator: "/").last, let dot = name.lastIndex(of: "."), dot > name.startIndex else {
      return nil
    }
    return name[name.index(after: dot)...].lowercased()
  }
}
