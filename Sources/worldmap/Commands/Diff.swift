import SharedWorld
import PeerCLI

/// `worldmap diff`.
struct Diff: MapCommand {
  static let name = "diff"
  static let summary = "Say how two maps differ."
  static let discussion = """
    Anchors are matched by id, points by identifier. The axes of an anchor are a metre long. Exits with 0 when there is no
    difference and with 1 when there is.
    """
  static var parser: ArgumentParser<Diff> {
    ArgumentParser(
      [
        .number(
          "--tolerance", "METERS", \.tolerance, in: 0...1e6,
          help: "what points and the ends of anchors' axes may move unnoticed (0)")
      ], operands: [.word("OLD", \.oldPath), .word("NEW", \.newPath)])
  }

  private var oldPath = ""
  private var newPath = ""
  private var tolerance: Float?

  init() {}

  func run(_ progress: Progress, _ report: inout Report) throws(ProgramFailure) -> ExitCode {
    let tolerance = tolerance ?? 0
    let old = try MapInput(oldPath, progress).map
    let new = try MapInput(newPath, progress).map
    progress.show("comparing", 0.8)
    let points = CloudDifference(old.cloud, new.cloud, tolerance: tolerance)
    report.add("pointsAdded", .integer(points.added), "points   \(Text.count(points.added)) added")
    report.add("pointsRemoved", .integer(points.removed), "         \(Text.count(points.removed)) removed")
    let largest = points.largestMove > 0 ? ", by up to \(Text.decimal(points.largestMove, 6)) m" : ""
    report.add("pointsMoved", .integer(points.moved), "         \(Text.count(points.moved)) moved\(largest)")
    report.add("largestMove", .single(points.largestMove))
    let channels: Line? = points.sameChannels ? nil : "         with other channels"
    report.add("sameChannels", .bool(points.sameChannels), channels)
    let anchors = Self.changes(old.anchors, new.anchors, tolerance)
    report.add("anchorsChanged", .array(anchors.map(\.json)))
    report.add(line: "anchors  \(Text.count(anchors.count)) changed")
    for change in anchors { report.add(line: "         \(change.line)") }
    let sameViews = old.views == new.views
    report.add(
      "sameViews", .bool(sameViews), sameViews ? nil : "views    \(Self.text(old.views)), then \(Self.text(new.views))")
    let sameKeyframes = old.keyframes == new.keyframes
    report.add("sameKeyframes", .bool(sameKeyframes), sameKeyframes ? nil : "keyframes differ")
    let sameSections = old.unknownSections == new.unknownSections
    report.add("sameUnknownSections", .bool(sameSections), sameSections ? nil : "sections of later versions differ")
    let isEqual = anchors.isEmpty && points.isEmpty && sameViews && sameKeyframes && sameSections
    report.add("equal", .bool(isEqual))
    return isEqual ? .done : .negative
  }

  private static func text(_ views: UInt32?) -> String { views.map { Text.count(Int($0)) } ?? "unknown" }

  /// A changed anchor.
  private struct Change {
    var anchor: Anchor
    var what: String

    var line: String { "\(anchor.id)  \(what)  \(anchor.name)" }
    var json: JSON {
      ["id": .string("\(anchor.id)"), "name": .string(anchor.name), "change": .string(what)]
    }
  }

  private static func changes(_ old: [Anchor], _ new: [Anchor], _ tolerance: Float) -> [Change] {
    let before = Dictionary(old.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let after = Set(new.map(\.id))
    let removed = old.filter { !after.contains($0.id) }.map { Change(anchor: $0, what: "removed") }
    let others = new.compactMap { anchor -> Change? in
      guard let last = before[anchor.id] else { return Change(anchor: anchor, what: "added") }
      let what = differences(last, anchor, tolerance)
      return what.isEmpty ? nil : Change(anchor: anchor, what: what.joined(separator: ", "))
    }
    return removed + others
  }

  private static func differences(_ old: Anchor, _ new: Anchor, _ tolerance: Float) -> [String] {
    let distance = (new.transform.translation - old.transform.translation).length
    var what: [String] = []
    if distance > tolerance { what.append("moved by \(Text.decimal(distance, 3)) m") }
    if turn(old.transform, new.transform) > tolerance { what.append("turned") }
    if new.name != old.name { what.append("renamed from \"\(old.name)\"") }
    if new.kind != old.kind { what.append("of another kind") }
    if new.payload != old.payload { what.append("with another payload") }
    if new.creator != old.creator || new.createdAt != old.createdAt { what.append("of another origin") }
    return what
  }

  /// How far the end of an axis of one metre moves when an anchor is turned in place (metres).
  private static func turn(_ old: Transform, _ new: Transform) -> Float {
    [SIMD3<Float>(1, 0, 0), [0, 1, 0], [0, 0, 1]].reduce(0) { max($0, (new.rotate($1) - old.rotate($1)).length) }
  }
}

/// How two clouds differ.
struct CloudDifference {
  private(set) var added = 0
  private(set) var removed = 0
  private(set) var moved = 0
  /// The largest distance between two places of one point (metres).
  private(set) var largestMove: Float = 0
  /// Whether the points of both have equal channels.
  private(set) var sameChannels = true

  var isEmpty: Bool { added + removed + moved == 0 && sameChannels }

  /// Walks through both clouds in the order of their identifiers.
  init(_ old: FeatureCloud, _ new: FeatureCloud, tolerance: Float) {
    sameChannels = old.channels.descriptors?.kind == new.channels.descriptors?.kind
    let orders = (Self.order(old), Self.order(new))
    var (left, right) = (0, 0)
    while left < orders.0.count, right < orders.1.count {
      let (before, after) = (orders.0[left], orders.1[right])
      if old.identifiers[before] == new.identifiers[after] {
        compare(old, before, new, after, tolerance)
        left += 1
        right += 1
      } else if old.identifiers[before] < new.identifiers[after] {
        removed += 1
        left += 1
      } else {
        added += 1
        right += 1
      }
    }
    removed += orders.0.count - left
    added += orders.1.count - right
  }

  private static func order(_ cloud: FeatureCloud) -> [Int] {
    cloud.isSorted ? Array(cloud.indices) : cloud.indices.sorted { cloud.identifiers[$0] < cloud.identifiers[$1] }
  }

  private mutating func compare(
    _ oldCloud: FeatureCloud, _ before: Int, _ newCloud: FeatureCloud, _ after: Int, _ tolerance: Float
  ) {
    let (old, new) = (oldCloud[before], newCloud[after])
    let distance = (new.position - old.position).length
    if distance > tolerance { moved += 1 }
    largestMove = max(largestMove, distance)
    guard sameChannels else { return }
    sameChannels = old.color == new.color && old.confidence == new.confidence && old.normal == new.normal
    if oldCloud.channels.descriptors?[before] != newCloud.channels.descriptors?[after] { sameChannels = false }
    if oldCloud.channels.evidence?[before] != newCloud.channels.evidence?[after] { sameChannels = false }
  }
}
