package import WorldFormats

/// The part of a file that is not in the map that was read from it.
package struct MapLosses: Sendable {
  /// The format of the file.
  package let format: MapFormat
  /// The points that were left out; see `MapFile.droppedPoints`.
  package var droppedPoints = 0
  /// Why an archive of ARKit gave no points; nil for every other file.
  package var unreadablePoints: String?
  /// The place in the file's frame that is (0, 0, 0) of the map (metres).
  package var origin = CloudOrigin.zero

  /// Nothing, of a file of this format.
  package init(_ format: MapFormat) {
    self.format = format
  }

  /// Adds what is lost.
  package func add(to report: inout Report, indented indent: String = "") {
    report.add("droppedPoints", .integer(droppedPoints))
    if droppedPoints > 0 {
      let limit = Text.decimal(ARKitArchive.worstResidual, 0)
      let why = format == .arkitArchive ? "with a residual over \(limit) px" : "without a finite position"
      report.add(line: "\(indent)\(Text.plural(droppedPoints, "point")) \(why) left out")
    }
    if origin != .zero {
      let text = origin.coordinates.map { Text.decimal(Float($0), 0) }.joined(separator: " ")
      report.add(
        "origin", .array(origin.coordinates.map(JSON.number)),
        "\(indent)shifted: \(text) of the file is 0 0 0 of the map")
    }
    report.add("unreadablePoints", .optional(unreadablePoints), unreadablePoints.map { "\(indent)\($0)" })
  }
}
