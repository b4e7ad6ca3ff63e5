import SharedWorld
import WorldFormats
import PeerCLI

/// `worldmap info`.
struct Info: MapCommand {
  static let name = "info"
  static let summary = "Say what is in a map or a point cloud."
  static let discussion = "A .worldmap file is read block by block: its map may be larger than the memory."
  static var parser: ArgumentParser<Info> {
    ArgumentParser(
      [.flag("--anchors", \.listsAnchors, help: "list the anchors too")], operands: [.word("INPUT", \.path)])
  }

  private var path = ""
  private var listsAnchors = false

  init() {}

  func run(_ progress: Progress, _ report: inout Report) throws(ProgramFailure) -> ExitCode {
    var (anchors, lines): ([JSON], [Line]) = ([], [])
    let input = try OverviewInput(path, progress) { anchor in
      guard listsAnchors else { return }
      anchors.append(Self.json(anchor))
      lines.append(
        "    \(anchor.id)  \(Text.vector(anchor.transform.translation))  \(Self.kind(anchor))  \(anchor.name)")
    }
    let (overview, format) = (input.overview, input.losses.format.name)
    report.add("file", .string(path), "\(path)")
    report.add("format", .string(format), "  format    \(format)")
    let points = overview.points
    let share = points == 0 ? 0 : Float(input.size) / Float(points)
    report.add("bytes", .integer(input.size), "  size      \(Text.bytes(input.size))")
    report.add("points", .integer(points), "  points    \(Text.count(points)), \(Text.decimal(share, 2)) bytes each")
    report.add("bytesPerPoint", .single(share))
    input.losses.add(to: &report, indented: "            ")
    Self.add(overview.channels, to: &report)
    Self.add("bounds", overview.bounds, "  bounds    ", to: &report)
    Self.add("boundsWithoutOutliers", overview.boundsWithoutOutliers, "  mostly in ", to: &report)
    let (status, views) = (overview.mapping.status, overview.mapping.views)
    report.add("mappingStatus", .string("\(status)"), "  status    \(status)")
    report.add("buildingProgress", .single(overview.mapping.progress))
    let provider = overview.provider
    report.add("provider", provider.map { .string("\($0)") } ?? .null, provider.map { "  provider  \($0)" })
    report.add("views", views.map { .integer(Int($0)) } ?? .null)
    SurveyReport(overview).add(to: &report)
    report.add("anchors", .integer(overview.anchors), "  anchors   \(Text.count(overview.anchors))")
    if listsAnchors {
      report.add("anchorList", .array(anchors))
      for line in lines { report.add(line: line) }
    }
    return .done
  }

  private static func add(_ channels: FeatureCloud.Channels, to report: inout Report) {
    let channels = [
      ("confidence", channels.confidence != nil), ("colors", channels.colors != nil),
      ("normals", channels.normals != nil), ("descriptors", channels.descriptors != nil),
      ("evidence", channels.evidence != nil),
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
