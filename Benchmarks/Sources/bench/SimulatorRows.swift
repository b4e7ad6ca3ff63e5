import Foundation

/// What the core of a session costs without sockets; the simulator measures itself (`soak cost`, `soak join`), since what
/// it runs is no public API.
enum SimulatorRows {
  /// Beside `Benchmarks`, where `Scripts/bench.sh` has built it.
  private static let soak = URL(filePath: ".build/release/soak")

  static let all = [
    Benchmark(name: "idle-cpu/64") {
      // All 64 nodes and the simulated network share one thread, so this is an upper bound for one node.
      let percent = try milliseconds("cost", nodes: 64) / 64 / 1000 * 100
      return [row("idle-cpu/64", percent, "% of a core", limit: 1)]
    },
    Benchmark(name: "simulated-second/8") {
      [row("simulated-second/8", try milliseconds("cost", nodes: 8), "ms", limit: 2)]
    },
    Benchmark(name: "join-cost") {
      let few = try milliseconds("join", nodes: 16)
      return try [32, 64].map { count in
        let value = try milliseconds("join", nodes: count)
        let linear = few * Double(count) / 16
        return Row(
          name: "join-cost/\(count)", value: value, unit: "ms", baseline: "that of 16, in proportion",
          baselineValue: linear, ratio: value / linear)
      }
    },
  ]

  struct Failure: Error, CustomStringConvertible {
    let description = "soak gave no figure"
  }

  private static func row(_ name: String, _ value: Double, _ unit: String, limit: Double) -> Row {
    Row(name: name, value: value, unit: unit, baseline: "the limit", baselineValue: limit, ratio: value / limit)
  }

  /// The figure with which the answer of the simulator begins (real milliseconds).
  private static func milliseconds(_ command: String, nodes: Int) throws -> Double {
    let process = Process()
    process.executableURL = soak
    process.arguments = [command, String(nodes)]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let value = text.split(whereSeparator: \.isWhitespace).first.flatMap({ Double($0) }) else { throw Failure() }
    return value
  }
}
