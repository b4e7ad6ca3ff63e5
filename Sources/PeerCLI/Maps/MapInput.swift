package import SharedWorld
import WorldFormats

/// A map that a program was given as a file of any format, and what it was read from.
package struct MapInput: Sendable {
  package var map: WorldMap
  /// All descriptors of its points, where the file has several a point.
  package let sightings: FeatureCloud.Sightings?
  /// The size of the file (bytes).
  package let size: Int
  /// The format of the file, and what of it is not in the map.
  package let losses: MapLosses

  /// Reads the file at `path`.
  package init(_ path: String, _ progress: Progress = .none) throws(ProgramFailure) {
    progress.show("reading \(path)", 0)
    let bytes = try Self.bytes(of: path)
    progress.show("decoding \(path)", 0.3)
    try self.init(bytes, fileExtension: path.fileExtension, of: path)
  }

  /// Reads a whole file; `source` names it in an error.
  package init(_ bytes: [UInt8], fileExtension: String?, of source: String) throws(ProgramFailure) {
    size = bytes.count
    do throws(MapFileError) {
      let file = try MapFile(reading: bytes, fileExtension: fileExtension)
      map = file.map
      sightings = file.sightings
      var losses = MapLosses(file.format)
      losses.droppedPoints = file.droppedPoints
      losses.unreadablePoints = file.unreadablePoints
      losses.origin = file.origin
      self.losses = losses
    } catch {
      throw .damaged("\(source): \(error)")
    }
  }

  /// The warning that an archive gave its anchors alone; nil for every other file.
  package func warning(about path: String) -> Report? {
    losses.unreadablePoints.map { reason in
      Report("points-unreadable", ["file": .string(path), "reason": .string(reason)], ["\(path): \(reason)"])
    }
  }

  /// The bytes of a file that may be a map.
  package static func bytes(of path: String) throws(ProgramFailure) -> [UInt8] {
    do throws(SessionError) {
      return try ReadFile.bytes(of: path, limit: MapFile.largestFile)
    } catch {
      throw .io(error.message)
    }
  }
}

extension String {
  /// The extension of the last path component, in lower case.
  package var fileExtension: String? {
    guard let name = split(separator: "/").last, let dot = name.lastIndex(of: "."), dot > name.startIndex else {
      return nil
    }
    return name[name.index(after: dot)...].lowercased()
  }
}
