import AlignmentTrials
import Glibc
import WorldAlignment
import WorldModel

/// The trials with descriptors that the command line names.
struct DescriptorOrder {
  private let mode: AlignmentMode
  private let relations: [DescribedTrial.Relation]
  /// One point of so many is in both clouds of one place.
  private let share: Int
  private let seeds: ClosedRange<UInt64>

  /// Nil where the words are no such order: `descriptors MODE RELATION FIRST-SEED LAST-SEED [SHARE]`.
  init?(_ words: [String]) {
    guard (5...6).contains(words.count), words[0] == "descriptors", ["gravity", "free"].contains(words[1]),
      let first = UInt64(words[3]), let last = UInt64(words[4]), first <= last,
      let share = Int(words.count == 6 ? words[5] : "5"), share > 0
    else { return nil }
    relations = DescribedTrial.Relation.allCases.filter { [$0.rawValue, "all"].contains(words[2]) }
    guard !relations.isEmpty else { return nil }
    mode = words[1] == "free" ? .free : .gravity
    (self.share, seeds) = (share, first...last)
  }

  func run() throws {
    for relation in relations {
      var (accepted, right, wrong, trials) = (0, 0, 0, 0)
      var (time, most): (Double, Float) = (0, 0)
      for seed in seeds {
        let points = 500 + Int(seed % 4) * 500
        let trial = DescribedTrial(relation, points: points, mode: mode, seed: seed, share: share)
        let start = processorTime()
        let relocalizer = try Relocalizer(describing: trial.map, sightings: trial.mapSightings)
        let answer = try relocalizer.relocalizeByDescriptors(trial.query, sightings: trial.querySightings, mode: mode)
        time = time + processorTime() - start
        trials += 1
        let isRight = relation.isOnePlace && answer?.proposal.map(trial.isRight) == true
        if isRight { right += 1 }
        if isRight, answer?.isAccepted == true { accepted += 1 }
        if !isRight {
          most = max(most, answer?.confidence ?? 0)
          if answer?.isAccepted == true { wrong += 1 }
        }
      }
      print(
        "\(relation): \(trials) trials, \(right) right, \(accepted) accepted, \(wrong) wrong accepts;",
        "largest confidence of a wrong one \(most); CPU ms \(Int(time / Double(trials) * 1000))")
      fflush(nil)
    }
  }
}
