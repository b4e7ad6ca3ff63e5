import Foundation

/// What the core of a session costs without sockets; the simulator measures itself (`soak cost`), since what it runs is
/// no public API.
enum SimulatorRows {
  /// Beside `Benchmarks`, where `Scripts/bench.sh` has built it.
  private static let soak = URL(filePath: ".build/release/soak")

  static let all = [
    Benchmark(name: "idle-cpu/64") {
      // All 64 nodes and the simulated network share one thread, so this is an upper bound for one node.
      let percent = try milliseconds(nodes: 64) / 64 / 1000 * 100
      return [row("idle-cpu/64", percent, "% of a core", limit: 1)]
    },
    Benchmark(name: "simulated-second/8") {
      [row("simulated-second/8", try milliseconds(nodes: 8), "ms", limit: 2)]
    },
  ]

  struct Failure: Error, CustomStringConvertible {
    let description = "soak cost gave no figure"
  }

  private static func row(_ name: String, _ value: Double, _ unit: String, limit: Double) -> Row {
    Row(name: name, value: value, unit: unit, baseline: "the limit", baselineValue: limit, ratio: value / limit)
  }

  /// Real milliseconds that a simulated second of a session at rest takes.
  private static func milliseconds(nodes: Int) throws -> Double {
    let process = Process()
    process.executableURL = soak
    process.arguments = ["cost", String(nodes)]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let value = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw Failure() }
    return value
  }
}
