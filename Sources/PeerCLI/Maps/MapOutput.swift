import SharedWorld
package import WorldFormats

/// A file that a map is written to, in one step: an interrupted program leaves the old file.
package struct MapOutput: Sendable {
  private let path: String
  private let format: MapFormat

  /// A file at `path`, which is not touched yet.
  ///
  /// - Parameter format: The format to write; nil follows the extension of `path`.
  package init(_ path: String, format: MapFormat? = nil) throws(ProgramFailure) {
    guard let format = format ?? path.fileExtension.flatMap({ MapFormat(fileExtension: $0) }) else {
      throw .usage("\(path): unknown format; end the name with one of \(Self.extensions)")
    }
    guard MapFormat.writable.contains(format) else {
      throw .usage("\(path): archives of ARKit are only read; end the name with one of \(Self.extensions)")
    }
    self.path = path
    self.format = format
  }

  /// Writes a map; gives the size of the file (bytes).
  package func write(
    _ map: WorldMap, options: EncodingOptions = .kept, _ progress: Progress = .none
  ) throws(ProgramFailure) -> Int {
    progress.show("encoding \(path)", 0.6)
    let bytes: [UInt8]
    do throws(WorldMapError) {
      bytes = try map.file(as: format, options: options)
    } catch {
      throw .damaged("the map cannot be written: \(error)")
    }
    try Self.write(bytes, to: path, progress)
    return bytes.count
  }

  /// Writes bytes to the file at `path`, in one step.
  package static func write(_ bytes: [UInt8], to path: String, _ progress: Progress = .none) throws(ProgramFailure) {
    progress.show("writing \(path)", 0.95)
    do throws(SessionError) {
      try AtomicFile.write(bytes, to: path)
    } catch {
      throw .io(error.message)
    }
  }

  /// The names of all formats, as a list for people.
  package static let formats = MapFormat.writable.map(\.name).joined(separator: ", ")

  /// The extensions that choose a format, as a list for people.
  package static let extensions = MapFormat.writable.map { "." + $0.fileExtension }
    .reduce(into: []) { list, name in if !list.contains(name) { list.append(name) } }.joined(separator: ", ")
}

extension MapFormat: ArgumentValue {
  package init(argument: String) throws(UsageError) {
    guard let format = MapFormat(named: argument), Self.writable.contains(format) else {
      let hint = suggestion(for: argument, among: Self.writable.map(\.name))
      throw UsageError("'\(argument)' is not one of \(MapOutput.formats)\(hint)")
    }
    self = format
  }
}
