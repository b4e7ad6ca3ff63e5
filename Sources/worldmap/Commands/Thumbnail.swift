import SharedWorld
import WorldFormats
import WorldPeerKit

/// `worldmap thumbnail`.
enum Thumbnail: Command {
  static let name = "thumbnail"
  static let summary = "Draw a map as PNG or SVG, from above or in perspective"
  static let operands = ["INPUT", "OUTPUT"]
  static let options = [
    Option("--view", "NAME", "above (the default) or perspective"),
    Option("--camera", "X,Y,Z,X,Y,Z", "the eye and what it looks at (metres); implies --view perspective"),
    Option("--size", "WxH", "pixels, each 64 to 8192; 1200x900 by default"),
    Option("--heights", nil, "colour by height even where points have colours"),
    Option("--ceiling", nil, "do not cut the ceiling away"),
  ]
  static let discussion = "The extension of OUTPUT chooses the format: png or svg."

  static func run(
    _ arguments: Arguments, _ progress: Progress, _ report: inout Report
  ) throws(Failure) -> ExitCode {
    let output = arguments.operands[1]
    guard let format = output.fileExtension, ["png", "svg"].contains(format) else {
      throw Failure(.usage, "\(output): a picture is a .png or an .svg")
    }
    let size = try size(arguments["--size"] ?? "1200x900")
    let view = arguments["--view"] ?? (arguments.has("--camera") ? "perspective" : "above")
    guard ["above", "perspective"].contains(view) else {
      throw Failure(.usage, "--view: \(view) is neither above nor perspective")
    }
    let camera = try arguments.list("--camera", count: 6)
    let map = try MapInput(arguments.operands[0], progress).map
    progress.show("drawing", 0.5)
    var picture = MapPicture(map, width: size.width, height: size.height)
    if view == "perspective" { picture.view = .perspective(Self.camera(camera, map, size)) }
    if arguments.has("--heights") { picture.colouring = .height }
    picture.hidesCeiling = !arguments.has("--ceiling")
    let bytes = format == "png" ? picture.png() : Array(picture.svg().utf8)
    try MapOutput.write(bytes, to: output, progress)
    report.add("output", .string(output))
    report.add("width", .integer(size.width))
    report.add("height", .integer(size.height))
    report.add(
      "bytes", .integer(bytes.count), "\(output): \(size.width) x \(size.height), \(Text.bytes(bytes.count))")
    return .success
  }

  private static func camera(_ numbers: [Float]?, _ map: WorldMap, _ size: (width: Int, height: Int)) -> PinholeCamera {
    let aspect = Float(size.width) / Float(size.height)
    guard let numbers else { return PinholeCamera.framing(map, aspectRatio: aspect) }
    let eye = SIMD3(numbers[0], numbers[1], numbers[2])
    return PinholeCamera(eye: eye, target: SIMD3(numbers[3], numbers[4], numbers[5]), aspectRatio: aspect)
  }

  private static func size(_ text: String) throws(Failure) -> (width: Int, height: Int) {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard sides.count == 2, sides.allSatisfy({ (64...8192).contains($0) }) else {
      throw Failure(.usage, "--size: \(text) is no size such as 1200x900, each side from 64 to 8192")
    }
    return (sides[0], sides[1])
  }
}
