import SharedWorld
import WorldFormats
import WorldPeerKit

/// `worldmap generate`.
enum Generate: Command {
  static let name = "generate"
  static let summary = "Make up the scan of a furnished room"
  static let operands = ["OUTPUT"]
  static let options = [
    Option("--points", "N", "how many points; 50000 by default"),
    Option("--seed", "N", "another number, another room; 1 by default"),
    Option("--colours", nil, "give the points colours"),
  ]
  static let discussion = """
    The same seed gives the same room on every machine. It has points on textured surfaces and edges, noise, outliers,
    identifiers with gaps, and plane anchors for floor, walls and furniture.
    """

  static func run(
    _ arguments: Arguments, _ progress: Progress, _ report: inout Report
  ) throws(Failure) -> ExitCode {
    let points = try arguments.number("--points", in: 0...Limits.points) ?? 50_000
    let seed = try arguments.number("--seed", in: 0...UInt64.max) ?? 1
    progress.show("making up a room", 0.1)
    let map = SyntheticRoom(seed: seed, pointCount: points, includesColours: arguments.has("--colours")).map()
    let output = arguments.operands[0]
    let size = try MapOutput.write(map, to: output, progress)
    report.add("output", .string(output))
    report.add("seed", .string("\(seed)"))
    report.add("points", .integer(points))
    report.add("anchors", .integer(map.anchors.count))
    report.add("bytes", .integer(size), "\(output): \(Text.plural(points, "point")), \(Text.bytes(size))")
    return .success
  }
}
