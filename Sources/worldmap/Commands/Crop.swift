import SharedWorld
import WorldPeerKit

/// `worldmap crop`.
enum Crop: Command {
  static let name = "crop"
  static let summary = "Keep only a part of a map"
  static let operands = ["INPUT", "OUTPUT"]
  static let options = [
    Option("--box", "X,Y,Z,X,Y,Z", "keep what is between these two corners (metres)"),
    Option("--sphere", "X,Y,Z,R", "keep what is at most R metres from this point"),
    Option("--outliers", nil, "leave out the outliers: keep the box that info calls \"mostly in\""),
    Option("--all-anchors", nil, "keep the anchors outside too"),
    Option("--every", "N", "of the points that are left keep only every Nth, in the order of their identifiers"),
  ]

  static func run(
    _ arguments: Arguments, _ progress: Progress, _ report: inout Report
  ) throws(Failure) -> ExitCode {
    let box = try arguments.list("--box", count: 6)
    let sphere = try arguments.list("--sphere", count: 4)
    let step = try arguments.number("--every", in: 1...Limits.points) ?? 1
    var map = try MapInput(arguments.operands[0], progress).map
    let pointsBefore = map.cloud.count
    progress.show("cropping", 0.5)
    let limits = arguments.has("--outliers") ? BoundingBox(ignoringOutliersOf: map.cloud.positions) : nil
    let isInside = { (point: SIMD3<Float>) -> Bool in
      if let box, !Self.contains(box, point) { return false }
      if let sphere, !((point - SIMD3(sphere[0], sphere[1], sphere[2])).length <= sphere[3]) { return false }
      return limits?.contains(point) ?? true
    }
    var found = 0
    map.cloud.removeAll { point in
      guard isInside(point.position) else { return true }
      found += 1
      return (found - 1) % step != 0
    }
    if !arguments.has("--all-anchors") { map.anchors.removeAll { !isInside($0.transform.translation) } }
    let output = arguments.operands[1]
    let size = try MapOutput.write(map, to: output, progress)
    report.add("output", .string(output))
    report.add("pointsBefore", .integer(pointsBefore))
    report.add("points", .integer(map.cloud.count))
    report.add("anchors", .integer(map.anchors.count))
    report.add("bytes", .integer(size))
    let counts = "\(Text.count(map.cloud.count)) of \(Text.plural(pointsBefore, "point"))"
    report.add(line: "\(output): \(counts), \(Text.plural(map.anchors.count, "anchor")), \(Text.bytes(size))")
    return .success
  }

  /// Whether a point lies between two corners, in whatever order they are given.
  private static func contains(_ corners: [Float], _ point: SIMD3<Float>) -> Bool {
    (0..<3).allSatisfy { axis in
      let ends = (corners[axis], corners[axis + 3])
      return point[axis] >= min(ends.0, ends.1) && point[axis] <= max(ends.0, ends.1)
    }
  }
}
