import Foundation
import SharedWorld

/// Reads and writes `.worldmap` files.
enum MapFile {
  static func load(_ path: String) throws(Failure) -> WorldMap {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Failure("io", "\(path) cannot be read")
    }
    do {
      return try WorldMap(decoding: Array(data))
    } catch {
      throw Failure("corrupt-data", "\(path): \(error)")
    }
  }

  /// Writes the whole file or leaves the old one.
  static func save(_ map: WorldMap, to path: String) throws(Failure) {
    do {
      try Data(try map.encoded()).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw Failure("io", "\(path) cannot be written: \(error)")
    }
  }
}
