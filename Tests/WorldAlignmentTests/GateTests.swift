import AlignmentTrials
import TestSupport
import Testing
import WorldAlignment
import WorldModel

/// The promise of ``MappingStatus``: what share of the scans of a map are accepted.
@Suite("Gate", .endsHangs)
struct GateTests {
  /// The scans of some maps of one status.
  private struct Tally {
    var scans = 0
    var accepted = 0
    var share: Double { Double(accepted) / Double(scans) }
  }

  /// Parts of rooms are what coverage and density alone say too much of.
  private static let few: [(GateTrial.Kind, ClosedRange<UInt64>)] = [(.room, 1...8), (.sweep, 1...8), (.corner, 1...8)]

  @Test func `of scans with other points of a place a map that is mapped accepts 95 %, and one that is extending half`()
    throws
  {
    var tallies: [String: Tally] = [:]
    for (kind, seeds) in Tier.isCheck ? GateTrial.Kind.allCases.map({ ($0, 1...20) }) : Self.few {
      for seed in seeds {
        let trial = GateTrial(kind, seed: seed, scans: 2)
        guard let name = Self.name(of: Self.status(of: trial)) else { continue }
        let map = try Relocalizer(map: trial.map)
        for scan in trial.scans {
          let pose = try map.relocalize(scan.query, mode: .gravity).transform
          tallies[name, default: Tally()].scans += 1
          if pose.map(scan.isRight) == true { tallies[name, default: Tally()].accepted += 1 }
        }
      }
    }
    let (mapped, extending) = (try #require(tallies["mapped"]), try #require(tallies["extending"]))
    #expect(mapped.scans >= 12 && mapped.share >= 0.95)
    #expect(extending.scans >= 6 && extending.share >= 0.5)
  }

  private static func status(of trial: GateTrial) -> MappingStatus {
    MappingEvidence(FeatureCloud(positions: trial.map, identifiers: trial.map.indices.map { UInt64($0) })).status
  }

  /// Nil for what promises nothing.
  private static func name(of status: MappingStatus) -> String? {
    switch status {
    case .mapped: "mapped"
    case .extending: "extending"
    case .limited, .notAvailable: nil
    }
  }
}
