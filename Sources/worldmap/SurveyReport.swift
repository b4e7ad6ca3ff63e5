import PeerCLI
import SharedWorld

/// The record that a device made while it mapped, in numbers.
struct SurveyReport {
  private let cameras: Int
  private let keyframes: Int
  private let evidence: EvidenceSummary

  init(_ overview: MapOverview) {
    cameras = Set(overview.keyframes.map(\.camera)).count
    keyframes = overview.keyframes.count
    evidence = overview.evidence
  }

  /// Adds the numbers, and lines where there are any.
  func add(to report: inout Report) {
    report.add("cameras", .integer(cameras), keyframes > 0 ? "  cameras   \(Text.count(cameras))" : nil)
    let (sightings, residuals, deviations) = (evidence.sightings, evidence.residuals, evidence.depthDeviations)
    report.add("keyframes", .integer(keyframes), keyframes > 0 ? "  keyframes \(Text.count(keyframes))" : nil)
    report.add("sightings", .integer(sightings), sightings > 0 ? "  sightings \(Text.count(sightings))" : nil)
    report.add("residuals", Self.json(residuals), Self.line("  residuals ", residuals, "px", digits: 2))
    report.add("depthDeviations", Self.json(deviations), Self.line("  depth σ   ", deviations, "m", digits: 3))
  }

  private static func json(_ values: [Float]) -> JSON {
    guard let largest = values.last else { return .null }
    return [
      "median": .single(quantile(0.5, values)), "p90": .single(quantile(0.9, values)), "largest": .single(largest),
    ]
  }

  private static func line(_ title: String, _ values: [Float], _ unit: String, digits: Int) -> Line? {
    guard let largest = values.last else { return nil }
    let numbers = [quantile(0.5, values), quantile(0.9, values), largest].map { Text.decimal($0, digits) }
    return
      "\(title)median \(numbers[0]) \(unit), nine in ten up to \(numbers[1]) \(unit), largest \(numbers[2]) \(unit)"
  }

  /// The value below which a share of rising values lies.
  private static func quantile(_ share: Float, _ values: [Float]) -> Float {
    values[Int(share * Float(values.count - 1))]
  }
}
