import PeerCLI
import SharedWorld
import WorldFormats

/// `worldmap convert`.
struct Convert: MapCommand {
  /// A frame of reference whose axes are not those of the package.
  private enum Frame: String, CaseIterable {
    case ros, colmap

    var frame: CoordinateFrame {
      switch self {
      case .ros: .ros
      case .colmap: .colmap
      }
    }
  }

  static let name = "convert"
  static let summary = "Write a map or a point cloud in another format."
  static let discussion = """
    The extension of OUTPUT chooses the format: \(MapOutput.extensions) (.txt and .bin are COLMAP's). Point-cloud \
    formats have no room for anchors and descriptors, COLMAP's and xyz none for normals and confidences, xyz none for \
    identifiers.
    """
  static var parser: ArgumentParser<Convert> {
    ArgumentParser(
      [
        .optional("--format", "NAME", \.format, help: MapOutput.formats),
        .number(
          "--within", "METRES", \.bound, in: 1e-6...100,
          help: "let coordinates move by at most this (worldmap only); without it they are exact"),
        .flag("--fast", \.isFast, help: "spend no time on a smaller file (worldmap only)"),
        .flag(
          "--in-space", \.isInSpace,
          help: "keep points of one place together: later versions differ in few bytes (worldmap only)"),
        .choice(
          "--frame", \.frame, among: Frame.allCases,
          help: "the axes of the input: ros (x ahead, z up) or colmap (y down, z ahead)"),
        .number(
          "--scale", "FACTOR", \.scale, in: 1e-6...1e6,
          help: "multiply all coordinates and sizes by this, for maps in another unit"),
      ], operands: [.word("INPUT", \.input), .word("OUTPUT", \.output)])
  }

  private var input = ""
  private var output = ""
  private var format: MapFormat?
  private var bound: Float?
  private var isFast = false
  private var isInSpace = false
  private var frame: Frame?
  private var scale: Float?

  init() {}

  func run(_ progress: Progress, _ report: inout Report) throws(ProgramFailure) -> ExitCode {
    let target = try MapOutput(output, format: format)
    var source = try MapInput(input, progress)
    if let scale { source.map.scale(by: scale) }
    if let frame { source.map = try Self.turned(source.map, from: frame) }
    var options = isFast ? EncodingOptions.fast : .lossless
    if isInSpace { options.arrangement = .inSpace }
    if let bound { options.precision = .within(bound: bound) }
    let size = try target.write(source.map, options: options, progress)
    let points = source.map.cloud.count
    report.add("input", .string(input))
    report.add("output", .string(output))
    report.add("points", .integer(points))
    report.add("droppedPoints", .integer(source.droppedPoints))
    report.add("bytes", .integer(size), "\(output): \(Text.plural(points, "point")), \(Text.bytes(size))")
    if source.droppedPoints > 0 {
      report.add(line: "\(Text.plural(source.droppedPoints, "point")) without a finite position left out")
    }
    return .done
  }

  /// The map with the axes of the package instead of those of `frame`.
  private static func turned(_ map: WorldMap, from frame: Frame) throws(ProgramFailure) -> WorldMap {
    do throws(ModelError) {
      return try map.transformed(by: frame.frame.toWorld)
    } catch {
      throw .damaged("the map cannot be turned: \(error)")
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
