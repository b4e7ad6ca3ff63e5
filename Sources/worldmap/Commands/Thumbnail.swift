import PeerCLI
import SharedWorld
import WorldFormats

/// `worldmap thumbnail`.
struct Thumbnail: MapCommand {
  /// Where the picture is drawn from.
  private enum View: String, CaseIterable {
    case above, perspective
  }

  /// A size in pixels.
  private struct Size: ArgumentValue {
    var width = 1200
    var height = 900

    init() {}

    init(argument: String) throws(UsageError) {
      let sides = argument.split(separator: "x", omittingEmptySubsequences: false).compactMap { Int($0) }
      guard sides.count == 2, sides.allSatisfy({ (64...8192).contains($0) }) else {
        throw UsageError("'\(argument)' is not a size; write 1200x900, each side from 64 to 8192")
      }
      (width, height) = (sides[0], sides[1])
    }
  }

  static let name = "thumbnail"
  static let summary = "Draw a map as PNG or SVG, from above or in perspective."
  static let discussion = "The extension of OUTPUT chooses the format: png or svg."
  static var parser: ArgumentParser<Thumbnail> {
    ArgumentParser(
      [
        .choice("--view", \.view, among: View.allCases, help: "where to look from (above)"),
        .numbers(
          "--camera", "X,Y,Z,X,Y,Z", \.camera,
          help: "the eye and what it looks at (metres); implies --view perspective"),
        .value("--size", "WxH", \.size, help: "pixels, each from 64 to 8192 (1200x900)"),
        .flag("--heights", \.showsHeights, help: "colour by height even where points have colours"),
        .flag("--ceiling", \.showsCeiling, help: "do not cut the ceiling away"),
      ] + InputAxes.options(\.axes), operands: [.word("INPUT", \.input), .word("OUTPUT", \.output)])
  }

  private var input = ""
  private var output = ""
  private var view: View?
  private var camera: [Float]?
  private var size = Size()
  private var axes = InputAxes()
  private var showsHeights = false
  private var showsCeiling = false

  init() {}

  func run(_ progress: Progress, _ report: inout Report) throws(ProgramFailure) -> ExitCode {
    guard let format = output.fileExtension, ["png", "svg"].contains(format) else {
      throw .usage("\(output): unknown format; end the name with .png or .svg")
    }
    guard view != .above || camera == nil else {
      throw .usage("--camera has no effect on --view above; leave out one of them")
    }
    try axes.validate()
    let map = try axes.turned(try MapInput(input, progress).map)
    progress.show("drawing", 0.5)
    var picture = MapPicture(map, width: size.width, height: size.height)
    if view == .perspective || camera != nil { picture.view = .perspective(pinhole(for: map)) }
    if showsHeights { picture.coloring = .height }
    picture.hidesCeiling = !showsCeiling
    let bytes = format == "png" ? picture.png() : Array(picture.svg().utf8)
    try MapOutput.write(bytes, to: output, progress)
    report.add("output", .string(output))
    report.add("width", .integer(size.width))
    report.add("height", .integer(size.height))
    report.add(
      "bytes", .integer(bytes.count), "\(output): \(size.width) x \(size.height), \(Text.bytes(bytes.count))")
    return .done
  }

  /// The camera that was given, or one that sees the whole map.
  private func pinhole(for map: WorldMap) -> PinholeCamera {
    let aspect = Float(size.width) / Float(size.height)
    guard let camera else { return PinholeCamera.framing(map, aspectRatio: aspect) }
    let (eye, target) = (SIMD3(camera[0], camera[1], camera[2]), SIMD3(camera[3], camera[4], camera[5]))
    return PinholeCamera(eye: eye, target: target, aspectRatio: aspect)
  }
}
