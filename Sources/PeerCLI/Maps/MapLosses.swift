package import WorldFormats

/// The part of a file that is not in the map that was read from it.
package struct MapLosses: Sendable {
  /// The format of the file.
  package let format: MapFormat
  /// The points that were left out; see `MapFile.droppedPoints`.
  package var droppedPoints = 0
  /// Why an archive of ARKit gave no points; nil for every other file.
  package var unreadablePoints: String?

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
    report.add("unreadablePoints", .optional(unreadablePoints), unreadablePoints.map { "\(indent)\($0)" })
  }
}
