import SharedWorld
import PeerCLI

/// `worldmap crop`.
struct Crop: MapCommand {
  static let name = "crop"
  static let summary = "Keep only a part of a map."
  static var parser: ArgumentParser<Crop> {
    ArgumentParser(
      [
        .numbers("--box", "X,Y,Z,X,Y,Z", \.box, help: "keep what is between these two corners (metres)"),
        .numbers("--sphere", "X,Y,Z,R", \.sphere, help: "keep what is at most R metres from this point"),
        .flag(
          "--outliers", \.dropsOutliers, help: "leave out the outliers: keep the box that info calls \"mostly in\""),
        .flag("--all-anchors", \.keepsAllAnchors, help: "keep the anchors outside too"),
        .number(
          "--every", "N", \.step, in: 1...Limits.points,
          help: "of the points that are left keep only every Nth, in the order of their identifiers"),
      ], operands: [.word("INPUT", \.input), .word("OUTPUT", \.output)])
  }

  private var input = ""
  private var output = ""
  private var box: [Float]?
  private var sphere: [Float]?
  private var dropsOutliers = false
  private var keepsAllAnchors = false
  private var step: Int?

  init() {}

  func run(_ progress: Progress, _ report: inout Report) throws(ProgramFailure) -> ExitCode {
    let target = try MapOutput(output)
    var map = try MapInput(input, progress).map
    let pointsBefore = map.cloud.count
    progress.show("cropping", 0.5)
    let limits = dropsOutliers ? BoundingBox(ignoringOutliersOf: map.cloud.positions) : nil
    let isInside = { (point: SIMD3<Float>) -> Bool in
      if let box, !Self.contains(box, point) { return false }
      if let sphere, !((point - SIMD3(sphere[0], sphere[1], sphere[2])).length <= sphere[3]) { return false }
      return limits?.contains(point) ?? true
    }
    var found = 0
    map.cloud.removeAll { point in
      guard isInside(point.position) else { return true }
      found += 1
      return (found - 1) % (step ?? 1) != 0
    }
    if !keepsAllAnchors { map.anchors.removeAll { !isInside($0.transform.translation) } }
    let size = try target.write(map, progress)
    report.add("output", .string(output))
    report.add("pointsBefore", .integer(pointsBefore))
    report.add("points", .integer(map.cloud.count))
    report.add("anchors", .integer(map.anchors.count))
    report.add("bytes", .integer(size))
    let counts = "\(Text.count(map.cloud.count)) of \(Text.plural(pointsBefore, "point"))"
    report.add(line: "\(output): \(counts), \(Text.plural(map.anchors.count, "anchor")), \(Text.bytes(size))")
    return .done
  }

  /// Whether a point lies between two corners, in whatever order they are given.
  private static func contains(_ corners: [Float], _ point: SIMD3<Float>) -> Bool {
    (0..<3).allSatisfy { axis in
      let ends = (corners[axis], corners[axis + 3])
      return point[axis] >= min(ends.0, ends.1) && point[axis] <= max(ends.0, ends.1)
    }
  }
}
