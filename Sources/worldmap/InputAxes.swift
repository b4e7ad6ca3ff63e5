import PeerCLI
import SharedWorld

/// How the axes of an input lie, for clouds whose axes are not those of the package.
struct InputAxes {
  /// A convention of another program.
  enum Frame: String, CaseIterable {
    case ros, colmap

    var frame: CoordinateFrame {
      switch self {
      case .ros: .ros
      case .colmap: .colmap
      }
    }
  }

  /// The axis that points up.
  enum Up: String, CaseIterable {
    case y, z

    var frame: CoordinateFrame {
      switch self {
      case .y: .world
      case .z: .zUp
      }
    }
  }

  var frame: Frame?
  var up: Up?

  /// The options of a command that keeps its axes at `path`.
  static func options<C: MapCommand>(_ path: WritableKeyPath<C, InputAxes>) -> [ArgumentParser<C>.Option] {
    [
      .choice(
        "--frame", path.appending(path: \.frame), among: Frame.allCases,
        help: "the axes of the input: ros (x ahead, z up) or colmap (y down, z ahead)"),
      .choice(
        "--up", path.appending(path: \.up), among: Up.allCases,
        help: "the axis of the input that points up: y (the default) or z, as in scans and drawings"),
    ]
  }

  /// Refuses options that contradict each other; call it before the input is read.
  func validate() throws(ProgramFailure) {
    guard frame == nil || up == nil else {
      throw .usage("--frame and --up exclude each other; a frame says which axis points up")
    }
  }

  /// The map with the axes of the package.
  func turned(_ map: WorldMap) throws(ProgramFailure) -> WorldMap {
    guard let axes = frame?.frame ?? up?.frame, axes != .world else { return map }
    do throws(ModelError) {
      return try map.transformed(by: axes.toWorld)
    } catch {
      throw .damaged("the map cannot be turned: \(error)")
    }
  }
}
