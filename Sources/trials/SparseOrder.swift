import AlignmentTrials
import Glibc
import WorldAlignment
import WorldModel

/// The trials of sparse rooms that the command line names.
struct SparseOrder {
  private let mode: AlignmentMode
  private let relations: [SparseTrial.Relation]
  private let points: [Int]
  private let seeds: ClosedRange<UInt64>
  private let isListed: Bool

  /// Nil where the words are no such order: `sparse MODE RELATION POINTS FIRST-SEED LAST-SEED [list]`.
  init?(_ words: [String]) {
    guard words.count >= 6, words[0] == "sparse", ["gravity", "free"].contains(words[1]),
      let first = UInt64(words[4]), let last = UInt64(words[5]), first <= last
    else { return nil }
    mode = words[1] == "free" ? .free : .gravity
    relations = SparseTrial.Relation.allCases.filter { [$0.rawValue, "all"].contains(words[2]) }
    points = words[3] == "all" ? [3000, 5000, 8000] : [Int(words[3]) ?? 0]
    guard !relations.isEmpty, points[0] > 0 else { return nil }
    seeds = first...last
    isListed = words.dropFirst(6) == ["list"]
  }

  func run() throws {
    for relation in relations {
      for points in points { try run(relation, points) }
    }
  }

  private func run(_ relation: SparseTrial.Relation, _ points: Int) throws {
    var (right, accepted, wrong) = (0, 0, 0)
    var time: Double = 0
    for seed in seeds {
      let trial = SparseTrial(relation, points: points, mode: mode, seed: seed)
      let start = processorTime()
      let relocalizer = try Relocalizer(map: trial.map)
      let answer = try relocalizer.relocalize(trial.query, mode: mode)
      time += processorTime() - start
      let isRight = relation.isOnePlace && answer.proposal.map(trial.isRight) == true
      if isRight { right += 1 }
      if isRight, answer.isAccepted { accepted += 1 }
      if !isRight, answer.isAccepted { wrong += 1 }
      guard isListed else { continue }
      print("\(relation) \(points) \(seed): \(isRight ? "right" : "wrong"), \(answer.state), \(answer.confidence)")
      fflush(nil)
    }
    print(
      "\(relation) \(points): \(seeds.count) trials, \(right) right, \(accepted) accepted, \(wrong) wrong accepts;",
      "CPU ms \(Int(time / Double(seeds.count) * 1000))")
    fflush(nil)
  }
}
