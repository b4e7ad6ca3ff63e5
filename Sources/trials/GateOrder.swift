import AlignmentTrials
import Glibc
import WorldAlignment
import WorldModel

/// The trials of the gate that the command line names.
struct GateOrder {
  private let seeds: ClosedRange<UInt64>
  private let isListed: Bool
  /// The clouds of files; where there are none, places are made up.
  private let clouds: [(name: String, points: [SIMD3<Float>])]

  /// Scans of each map.
  private static let scans = 4

  /// A map that was tried.
  private struct Outcome {
    let evidence: MappingEvidence
    var accepted = 0
    var wrong = 0

    init(_ trial: GateTrial) throws {
      evidence = MappingEvidence(
        FeatureCloud(positions: trial.map, identifiers: trial.map.indices.map { UInt64($0) }))
      let relocalizer = try Relocalizer(map: trial.map)
      for scan in trial.scans {
        let answer = try relocalizer.relocalize(scan.query, mode: .gravity)
        guard let pose = answer.transform else { continue }
        if scan.isRight(pose) { accepted += 1 } else { wrong += 1 }
      }
    }

    /// The name of the status without its reasons, and the least share of scans that it promises.
    var status: (name: String, promise: Double) {
      switch evidence.status {
      case .mapped: ("mapped", 0.95)
      case .extending: ("extending", 0.5)
      case .limited, .notAvailable: ("limited", 0)
      }
    }

    var share: Double { Double(accepted) / Double(GateOrder.scans) }
  }

  /// Nil where the words are no such order: `gate FIRST-SEED LAST-SEED [list] [FILE ...]`.
  init?(_ words: [String]) throws {
    guard words.count >= 3, words[0] == "gate", let first = UInt64(words[1]), let last = UInt64(words[2]), first <= last
    else { return nil }
    seeds = first...last
    isListed = words.dropFirst(3).first == "list"
    clouds = try words.dropFirst(isListed ? 4 : 3).map { path in
      let name = path.split(separator: ".").last.map(String.init)
      return (path, try GateTrial.cloud(reading: try bytes(of: path), fileExtension: name))
    }
  }

  func run() throws {
    var all: [Outcome] = []
    if clouds.isEmpty {
      for kind in GateTrial.Kind.allCases {
        all += try run(kind.rawValue) { GateTrial(kind, seed: $0, scans: Self.scans) }
      }
    } else {
      for cloud in clouds { all += try run(cloud.name) { GateTrial(of: cloud.points, seed: $0, scans: Self.scans) } }
    }
    report("all", all)
    tabulate(all)
    let good = all.filter { $0.accepted == Self.scans }
    print(
      "\(good.count) clouds of which each scan was accepted: \(good.count { $0.evidence.status == .mapped }) mapped,",
      "\(good.count { $0.evidence.status == .extending }) extending; \(all.reduce(0) { $0 + $1.wrong }) wrong accepts")
  }

  private func run(_ name: String, _ trial: (UInt64) -> GateTrial) throws -> [Outcome] {
    let outcomes = try seeds.map { seed in
      let outcome = try Outcome(trial(seed))
      if isListed {
        let evidence = outcome.evidence
        print(
          "\(name) \(seed): \(evidence.points) points, \(evidence.coveredCells) cells, density \(evidence.density),",
          "strength \(evidence.strength), \(evidence.status); \(outcome.accepted) accepted, \(outcome.wrong) wrong")
        fflush(nil)
      }
      return outcome
    }
    report(name, outcomes)
    return outcomes
  }

  /// Prints for each status what share of the scans was accepted, and how many clouds keep the promise by themselves.
  private func report(_ name: String, _ outcomes: [Outcome]) {
    let parts = ["mapped", "extending", "limited"].map { status in
      let some = outcomes.filter { $0.status.name == status }
      let kept = some.count { $0.share >= $0.status.promise }
      return "\(some.count) \(status): \(Self.share(of: some)) accepted, \(kept) keep it"
    }
    print("\(name): \(parts.joined(separator: "; "))")
    fflush(nil)
  }

  /// Prints what share of the scans was accepted by evidence.
  private func tabulate(_ outcomes: [Outcome]) {
    let densities: [Float] = [0, 12, 15, 18, 24, .infinity]
    let strengths: [Float] = [0, 10_000, 20_000, 40_000, 70_000, 140_000, .infinity]
    print("strength from: clouds, share accepted by density", densities.dropLast())
    for (low, high) in zip(strengths, strengths.dropFirst()) {
      let row = zip(densities, densities.dropFirst()).map { sparse, dense in
        let some = outcomes.filter {
          $0.evidence.strength >= low && $0.evidence.strength < high && $0.evidence.density >= sparse
            && $0.evidence.density < dense
        }
        return "\(some.count) \(Self.share(of: some))"
      }
      print("\(low): \(row.joined(separator: " | "))")
    }
  }

  /// The share of scans that were accepted, with three digits; a dash where there are no clouds.
  private static func share(of outcomes: [Outcome]) -> String {
    guard !outcomes.isEmpty else { return "–" }
    let share = outcomes.reduce(0) { $0 + $1.share } / Double(outcomes.count)
    return "\((share * 1000).rounded() / 1000)"
  }
}

/// The bytes of a file.
private func bytes(of path: String) throws -> [UInt8] {
  guard let file = fopen(path, "rb") else { throw UnreadableFile(path: path) }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var block = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&block, 1, block.count, file)
    if count == 0 { return bytes }
    bytes += block.prefix(count)
  }
}

/// A file of the command line that cannot be opened.
private struct UnreadableFile: Error, CustomStringConvertible {
  let path: String
  var description: String { "cannot read \(path): does it exist?" }
}
