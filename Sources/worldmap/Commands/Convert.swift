import PeerCLI
import SharedWorld
import WorldFormats

/// `worldmap convert`.
struct Convert: MapCommand {
  static let name = "convert"
  static let summary = "Write a map or a point cloud in another format."
  static let discussion = """
    The extension of OUTPUT chooses the format: \(MapOutput.extensions) (.txt and .bin are COLMAP's). Point-cloud \
    formats have no room for anchors and descriptors, COLMAP's and xyz none for normals and confidences, xyz none for \
    identifiers. Archives of ARKit (.arexperience) are read and not written: a device relocalises only by tracking data of
    its own.
    """
  static var parser: ArgumentParser<Convert> {
    ArgumentParser(
      [
        .optional("--format", "NAME", \.format, help: MapOutput.formats),
        .number(
          "--within", "METERS", \.bound, in: 1e-6...100,
          help: "let coordinates move by at most this (worldmap only); without it they are exact"),
        .flag("--fast", \.isFast, help: "spend no time on a smaller file (worldmap only)"),
        .flag(
          "--in-space", \.isInSpace,
          help: "keep points of one place together: later versions differ in few bytes (worldmap only)"),
        .number(
          "--scale", "FACTOR", \.scale, in: 1e-6...1e6,
          help: "multiply all coordinates and sizes by this, for maps in another unit"),
      ] + InputAxes.options(\.axes), operands: [.word("INPUT", \.input), .word("OUTPUT", \.output)])
  }

  private var input = ""
  private var output = ""
  private var format: MapFormat?
  private var bound: Float?
  private var isFast = false
  private var isInSpace = false
  private var axes = InputAxes()
  private var scale: Float?

  init() {}

  func run(_ progress: Progress, _ report: inout Report) throws(ProgramFailure) -> ExitCode {
    try axes.validate()
    let target = try MapOutput(output, format: format)
    var source = try MapInput(input, progress)
    if let scale { source.map.scale(by: scale) }
    source.map = try axes.turned(source.map)
    var options = isFast ? EncodingOptions.fast : .lossless
    options.hasParity = true
    if isInSpace { options.arrangement = .inSpace }
    if let bound { options.precision = .within(bound: bound) }
    let size = try target.write(source.map, options: options, progress)
    let points = source.map.cloud.count
    report.add("input", .string(input))
    report.add("output", .string(output))
    report.add("points", .integer(points))
    report.add("bytes", .integer(size), "\(output): \(Text.plural(points, "point")), \(Text.bytes(size))")
    source.losses.add(to: &report)
    return .done
  }
}

extension WorldMap {
  /// Multiplies all coordinates and the sizes of anchors, whose directions stay.
  fileprivate mutating func scale(by factor: Float) {
    var channels = cloud.channels
    for index in channels.evidence?.indices ?? 0..<0 { channels.evidence?[index].depthDeviation? *= factor }
    cloud = FeatureCloud(
      positions: cloud.positions.map { $0 * factor }, identifiers: cloud.identifiers, channels: channels)
    for index in keyframes.indices { keyframes[index].pose.translation *= factor }
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
