import Foundation
import Simulator

/// A seed that once showed a mistake, as `Fixtures/Seeds` lists it.
struct SeedFixture {
  let scenario: Scenario
  let seed: UInt64
  let count: Int

  var replayLine: String { "soak replay \(scenario.name) \(seed) \(count)" }

  func run() -> RunOutcome { scenario.run(seed: seed, count: count) }

  /// The seeds in a file, without its comments.
  static func read(_ name: String) -> [SeedFixture] {
    var root = URL(filePath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    let text = try? String(contentsOf: root.appending(path: "Fixtures/Seeds/\(name)"), encoding: .utf8)
    return (text ?? "").split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count > 2, let scenario = Scenario(name: String(words[0])) else { return nil }
      guard let seed = UInt64(words[1]), let count = Int(words[2]) else { return nil }
      return SeedFixture(scenario: scenario, seed: seed, count: count)
    }
  }
}
