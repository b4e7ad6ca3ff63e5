import SharedWorld
import WorldPeerKit

/// `worldmap convert`.
enum Convert: Command {
  static let name = "convert"
  static let summary = "Write a map or a point cloud in another format"
  static let operands = ["INPUT", "OUTPUT"]
  static let options = [
    Option("--format", "NAME", MapOutput.formats.joined(separator: ", ")),
    Option("--within", "METRES", "let coordinates move by at most this (worldmap only); without it they are exact"),
    Option("--fast", nil, "spend no time on a smaller file (worldmap only)"),
    Option("--in-space", nil, "keep points of one place together: later versions differ in few bytes (worldmap only)"),
    Option("--frame", "NAME", "the axes of the input: ros (x ahead, z up) or colmap (y down, z ahead)"),
    Option("--scale", "FACTOR", "multiply all coordinates and sizes by this, for maps in another unit"),
  ]
  static let discussion = """
    The extension of OUTPUT chooses the format: worldmap, ply, pcd, txt or bin (COLMAP), xyz. Point-cloud formats have
    no room for anchors and descriptors, COLMAP's and xyz none for normals and confidences, xyz none for identifiers.
    """

  static func run(
    _ arguments: Arguments, _ progress: Progress, _ report: inout Report
  ) throws(Failure) -> ExitCode {
    let scale = try arguments.number("--scale", in: 1e-6...1e6 as ClosedRange<Float>)
    let bound = try arguments.number("--within", in: 1e-6...100 as ClosedRange<Float>)
    var input = try MapInput(arguments.operands[0], progress)
    if let scale { input.map.scale(by: scale) }
    if let name = arguments["--frame"] { input.map = try turned(input.map, from: name) }
    var options = arguments.has("--fast") ? EncodingOptions.fast : .lossless
    if arguments.has("--in-space") { options.arrangement = .inSpace }
    if let bound { options.precision = .within(bound: bound) }
    let output = arguments.operands[1]
    let size = try MapOutput.write(
      input.map, to: output, format: arguments["--format"], options: options, progress)
    report.add("input", .string(arguments.operands[0]))
    report.add("output", .string(output))
    report.add("points", .integer(input.map.cloud.count))
    report.add("droppedPoints", .integer(input.droppedPoints))
    report.add(
      "bytes", .integer(size), "\(output): \(Text.plural(input.map.cloud.count, "point")), \(Text.bytes(size))")
    if input.droppedPoints > 0 {
      report.add(line: "\(Text.plural(input.droppedPoints, "point")) without a finite position left out")
    }
    return .success
  }

  /// The map with the axes of the package instead of those of the frame called `name`.
  private static func turned(_ map: WorldMap, from name: String) throws(Failure) -> WorldMap {
    let frames: [String: CoordinateFrame] = ["ros": .ros, "colmap": .colmap]
    guard let frame = frames[name] else { throw Failure(.usage, "--frame: \(name) is neither ros nor colmap") }
    do throws(ModelError) {
      return try map.transformed(by: frame.toWorld)
    } catch {
      throw Failure(.damaged, "the map cannot be turned: \(error)")
    }
  }
}

extension WorldMap {
  /// Multiplies all coordinates and the sizes of anchors, whose directions stay.
  fileprivate mutating func scale(by factor: Float) {
    cloud = FeatureCloud(
      positions: cloud.positions.map { $0 * factor }, identifiers: cloud.identifiers, channels: cloud.channels)
    for index in anchors.indices {
      anchors[index].transform.translation *= factor
      anchors[index].kind = anchors[index].kind.scaled(by: factor)
    }
  }
}

extension Anchor.Kind {
  /// The same with other lengths.
  fileprivate func scaled(by factor: Float) -> Anchor.Kind {
    switch self {
    case .plain, .participant: return self
    case .plane(var plane):
      plane.extent *= factor
      plane.boundary = plane.boundary.map { $0 * factor }
      return .plane(plane)
    case .image(var image):
      image.physicalSize *= factor
      return .image(image)
    case .object(var object):
      object.extent *= factor
      return .object(object)
    case .mesh(var mesh):
      mesh.extent *= factor
      return .mesh(mesh)
    }
  }
}
