import SharedWorld
import WorldFormats
import PeerCLI

/// `worldmap info`.
struct Info: MapCommand {
  static let name = "info"
  static let summary = "Say what is in a map or a point cloud."
  static var parser: ArgumentParser<Info> {
    ArgumentParser(
      [.flag("--anchors", \.listsAnchors, help: "list the anchors too")], operands: [.word("INPUT", \.path)])
  }

  private var path = ""
  private var listsAnchors = false

  init() {}

  func run(_ progress: Progress, _ report: inout Report) throws(ProgramFailure) -> ExitCode {
    let input = try MapInput(path, progress)
    let map = input.map
    report.add("file", .string(path), "\(path)")
    report.add("format", .string(input.format.name), "  format    \(input.format.name)")
    let points = map.cloud.count
    let share = points == 0 ? 0 : Float(input.size) / Float(points)
    report.add("bytes", .integer(input.size), "  size      \(Text.bytes(input.size))")
    report.add("points", .integer(points), "  points    \(Text.count(points)), \(Text.decimal(share, 2)) bytes each")
    report.add("bytesPerPoint", .single(share))
    input.addLosses(to: &report, indented: "            ")
    Self.add(map.cloud, to: &report)
    Self.add("bounds", map.bounds, "  bounds    ", to: &report)
    Self.add("boundsWithoutOutliers", BoundingBox(ignoringOutliersOf: map.cloud.positions), "  mostly in ", to: &report)
    report.add("mappingStatus", .string("\(map.mappingStatus)"), "  status    \(map.mappingStatus)")
    report.add("buildingProgress", .single(map.buildingProgress))
    report.add(
      "provider", map.provider.map { .string("\($0)") } ?? .null, map.provider.map { "  provider  \($0)" })
    report.add("views", map.views.map { .integer(Int($0)) } ?? .null)
    SurveyReport(map).add(to: &report)
    report.add("anchors", .integer(map.anchors.count), "  anchors   \(Text.count(map.anchors.count))")
    if listsAnchors {
      report.add("anchorList", .array(map.anchors.map(Self.json)))
      for anchor in map.anchors {
        report.add(
          line: "    \(anchor.id)  \(Text.vector(anchor.transform.translation))  \(Self.kind(anchor))  \(anchor.name)")
      }
    }
    return .done
  }

  private static func add(_ cloud: FeatureCloud, to report: inout Report) {
    let channels = [
      ("confidence", cloud.channels.confidence != nil), ("colours", cloud.channels.colours != nil),
      ("normals", cloud.channels.normals != nil), ("descriptors", cloud.channels.descriptors != nil),
      ("evidence", cloud.channels.evidence != nil),
    ].filter(\.1).map(\.0)
    let line: Line? = channels.isEmpty ? nil : "  channels  \(channels.joined(separator: ", "))"
    report.add("channels", .array(channels.map { .string($0) }), line)
  }

  private static func add(_ key: String, _ box: BoundingBox?, _ title: String, to report: inout Report) {
    guard let box else { return report.add(key, .null) }
    let extent = Text.vector(box.extent)
    report.add(
      key, ["minimum": .point(box.minimum), "maximum": .point(box.maximum)],
      "\(title)\(Text.vector(box.minimum)) to \(Text.vector(box.maximum)), size \(extent) m")
  }

  static func json(_ anchor: Anchor) -> JSON {
    [
      "id": .string("\(anchor.id)"), "name": .string(anchor.name), "kind": .string(kind(anchor)),
      "position": .point(anchor.transform.translation),
    ]
  }

  private static func kind(_ anchor: Anchor) -> String {
    switch anchor.kind {
    case .plain: "plain"
    case .plane: "plane"
    case .image: "image"
    case .object: "object"
    case .mesh: "mesh"
    case .participant: "participant"
    }
  }
}
