import SharedWorld
package import WorldFormats

/// A map that a program was given as a file of any format, and what it was read from.
package struct MapInput: Sendable {
  package var map: WorldMap
  /// The format that was found.
  package let format: MapFormat
  /// The size of the file (bytes).
  package let size: Int
  /// The points of a point cloud that had no finite position.
  package let droppedPoints: Int

  /// Reads the file at `path`.
  package init(_ path: String, _ progress: Progress = .none) throws(ProgramFailure) {
    progress.show("reading \(path)", 0)
    let bytes = try Self.bytes(of: path)
    size = bytes.count
    progress.show("decoding \(path)", 0.3)
    do throws(MapFileError) {
      let file = try MapFile(reading: bytes, fileExtension: path.fileExtension)
      map = file.map
      format = file.format
      droppedPoints = file.droppedPoints
    } catch {
      throw .damaged("\(path): \(error)")
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
