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
        .number("--walk", "N", \.walk, in: 0...UInt64.max, help: "another number, other points of the same room (0)"),
        .numbers(
          "--origin", "X,Y,Z,YAW", \.origin,
          help: "the frame of the output: where its origin is in the room (metres), and its turn (degrees)"),
        .flag("--colors", \.hasColors, help: "give the points colours"),
      ], operands: [.word("OUTPUT", \.output)])
  }

  private var output = ""
  private var points: Int?
  private var seed: UInt64?
  private var walk: UInt64?
  private var origin: [Float]?
  private var hasColors = false

  init() {}

  func run(_ progress: Progress, _ report: inout Report) throws(ProgramFailure) -> ExitCode {
    let (points, seed) = (points ?? 50_000, seed ?? 1)
    let target = try MapOutput(output)
    progress.show("making up a room", 0.1)
    let room = SyntheticRoom(seed: seed, pointCount: points, includesColors: hasColors, walk: walk ?? 0)
    let map = try seen(room.map())
    let size = try target.write(map, progress)
    report.add("output", .string(output))
    report.add("seed", .string("\(seed)"))
    report.add("points", .integer(points))
    report.add("anchors", .integer(map.anchors.count))
    report.add("bytes", .integer(size), "\(output): \(Text.plural(points, "point")), \(Text.bytes(size))")
    return .done
  }

  /// The room in the frame of the output.
  private func seen(_ room: WorldMap) throws(ProgramFailure) -> WorldMap {
    guard let origin else { return room }
    let frame = Transform(position: [origin[0], origin[1], origin[2]], heading: origin[3])
    do throws(ModelError) {
      return try room.transformed(by: frame.inverse)
    } catch {
      throw .usage("--origin: \(error)")
    }
  }
}
