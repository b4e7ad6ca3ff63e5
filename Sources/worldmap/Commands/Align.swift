import PeerCLI
import SharedWorld
import WorldAlignment

/// `worldmap align`.
struct Align: MapCommand {
  static let name = "align"
  static let summary = "Find where a local cloud belongs in a map."
  static let discussion = """
    Exits with 0 when the place is certain, and with 1 when it is not: too few points, too little in common, or another \
    place that fits nearly as well. The matrix takes positions of QUERY to positions of MAP. Where both have descriptors \
    of one kind, as archives of ARKit do, points that look alike decide, else the shape. A pose that a small part \
    carries asks for a second look: a thing that was moved fits where it stands now.
    """
  static var parser: ArgumentParser<Align> {
    ArgumentParser(
      [
        .flag("--gravity", \.knowsGravity, help: "y is up in both files (the default)"),
        .flag("--free", \.isFree, help: "QUERY may be turned any way; y is up in MAP"),
        .optional(
          "--merge", "FILE", \.merged, help: "if the place is certain, write MAP with what QUERY adds to FILE"),
        .optional(
          "--picture", "FILE", \.picture, help: "draw both clouds from above, as they are and aligned (.png or .svg)"),
      ], operands: [.word("MAP", \.mapPath), .word("QUERY", \.queryPath)])
  }

  private var mapPath = ""
  private var queryPath = ""
  private var knowsGravity = false
  private var isFree = false
  private var merged: String?
  private var picture: String?

  init() {}

  func run(_ progress: Progress, _ report: inout Report) throws(ProgramFailure) -> ExitCode {
    guard !knowsGravity || !isFree else {
      throw .usage("--gravity and --free exclude each other; leave out one of them")
    }
    let drawing = try picture.map { path throws(ProgramFailure) in try AlignmentPicture(path) }
    let output = try merged.map { path throws(ProgramFailure) in try MapOutput(path) }
    let (mapInput, queryInput) = (try MapInput(mapPath, progress), try MapInput(queryPath, progress))
    let (map, query) = (mapInput.map, queryInput.map)
    progress.show("aligning", 0.5)
    let answer: Relocalization
    do throws(AlignmentError) {
      answer = try Relocalizer(map: map.cloud, sightings: mapInput.sightings)
        .relocalize(query.cloud, sightings: queryInput.sightings, mode: isFree ? .free : .gravity)
    } catch {
      throw .damaged("\(mapPath), \(queryPath): \(error)")
    }
    Self.add(answer, to: &report)
    if let drawing {
      try drawing.draw(map, query, moved: answer.proposal, progress)
      report.add("picture", .string(drawing.path), "\(drawing.path): as they are (left) and aligned (right)")
    }
    guard let output, let path = merged else { return answer.isAccepted ? .done : .negative }
    guard let transform = answer.transform else {
      report.add("merged", .null, "\(path) was not written, because the place is not certain")
      return .negative
    }
    progress.show("merging", 0.7)
    let merge: MapMerge
    do throws(ModelError) {
      merge = try MapMerge(map, adding: query, at: transform)
    } catch {
      throw .damaged("the maps cannot be merged: \(error)")
    }
    let bytes = try output.write(merge.map, progress)
    report.add(
      "merged",
      [
        "output": .string(path), "points": .integer(merge.map.cloud.count), "added": .integer(merge.added),
        "joined": .integer(merge.joined), "renumbered": .integer(merge.renumbered), "bytes": .integer(bytes),
      ],
      "\(path): \(Text.plural(merge.added, "point")) added, \(Text.count(merge.joined)) joined, \(Text.bytes(bytes))")
    return .done
  }

  private static func add(_ answer: Relocalization, to report: inout Report) {
    let (state, reason) = words(answer.state)
    report.add(
      "accepted", .bool(answer.isAccepted), answer.isAccepted ? "the place is certain" : "not sure: \(reason ?? state)")
    report.add("state", .string(state))
    report.add("reason", .optional(reason))
    report.add("matrix", answer.proposal.map { .array(rows($0).map(JSON.single)) } ?? .null)
    report.add("inliers", .integer(answer.inliers))
    report.add("inlierRatio", .single(answer.inlierRatio))
    report.add("rms", answer.inliers > 0 ? .single(answer.rms) : .null)
    report.add(
      "confidence", .single(answer.confidence),
      "  confidence  \(Text.decimal(answer.confidence, 2)) (from 0.50 on it is certain)")
    let share = Text.decimal(answer.inlierRatio * 100, 1)
    report.add(
      line:
        "  inliers     \(Text.count(answer.inliers)) (\(share) %), \(Text.decimal(answer.rms * 1000, 1)) mm from the map"
    )
    if let support = answer.support {
      let sides = support.box.extent
      let size = [sides.x, sides.y, sides.z].map { Text.decimal($0, 1) }.joined(separator: " × ")
      report.add(
        "support",
        [
          "by": .string(support.source.rawValue), "points": .integer(support.points),
          "extent": .array([sides.x, sides.y, sides.z].map(JSON.single)),
        ], "  carried by  \(support.source.rawValue), in a part of \(size) m")
    } else {
      report.add("support", .null)
    }
    let sure = answer.uncertainty
    report.add("positionDeviation", sure.map { .number($0.position) } ?? .null)
    report.add("orientationDeviation", sure.map { .number($0.orientation) } ?? .null)
    guard let matrix = answer.proposal.map(rows) else { return }
    for row in 0..<4 {
      let numbers = matrix[row * 4..<row * 4 + 4].map { Text.decimal($0, 6) }
      report.add(line: "  \(row == 0 ? "matrix      " : "            ")\(numbers.joined(separator: "  "))")
    }
  }

  /// The entries of a transform, row by row.
  private static func rows(_ transform: Transform) -> [Float] {
    let c = transform.columns
    return (0..<4).flatMap { [c.0[$0], c.1[$0], c.2[$0], c.3[$0]] }
  }

  /// The state and the reason of a limited one, as scripts read them.
  private static func words(_ state: Relocalization.State) -> (state: String, reason: String?) {
    switch state {
    case .relocalizing: ("relocalizing", nil)
    case .normal: ("normal", nil)
    case .limited(let reason): ("limited", reason.rawValue)
    }
  }
}
