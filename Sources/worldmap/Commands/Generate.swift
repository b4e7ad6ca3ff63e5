import SharedWorld
import WorldFormats
import PeerCLI

/// `worldmap generate`.
struct Generate: MapCommand {
  static let name = "generate"
  static let summary = "Make up the scan of a furnished room."
  static let discussion = """
    The same seed gives the same room on every machine. It has points on textured surfaces and edges, noise, outliers,
    identifiers with gaps, and plane anchors for floor, walls and furniture.
    """
  static var parser: ArgumentParser<Generate> {
    ArgumentParser(
      [
        .number("--points", "N", \.points, in: 0...Limits.points, help: "how many points (50000)"),
        .number("--seed", "N", \.seed, in: 0...UInt64.max, help: "another number, another room (1)"),
        .flag("--colours", \.hasColours, help: "give the points colours"),
      ], operands: [.word("OUTPUT", \.output)])
  }

  private var output = ""
  private var points: Int?
  private var seed: UInt64?
  private var hasColours = false

  init() {}

  func run(_ progress: Progress, _ report: inout Report) throws(ProgramFailure) -> ExitCode {
    let (points, seed) = (points ?? 50_000, seed ?? 1)
    let target = try MapOutput(output)
    progress.show("making up a room", 0.1)
    let map = SyntheticRoom(seed: seed, pointCount: points, includesColours: hasColours).map()
    let size = try target.write(map, progress)
    report.add("output", .string(output))
    report.add("seed", .string("\(seed)"))
    report.add("points", .integer(points))
    report.add("anchors", .integer(map.anchors.count))
    report.add("bytes", .integer(size), "\(output): \(Text.plural(points, "point")), \(Text.bytes(size))")
    return .done
  }
}
