import Foundation

/// Every benchmark, in the order of the report: a new file adds its list here.
let benchmarks =
  WorldMapRows.all + MapUpdateRows.all + MapMemoryRows.all + HitTestRows.all + AnchorSetRows.all + FanOutRows.all
  + LatencyRows.all + MessageRows.all + MapTransferRows.all + SimulatorRows.all + GrowthRows.all + AttackRows.all
  + BuildCostRows.all

do {
  let words = Array(CommandLine.arguments.dropFirst())
  if words.count == 3, words[0] == "--memory", let points = Int(words[2]) {
    try MapMemoryRows.measure(words[1], points: points)
    exit(0)
  }
  let options = try BenchOptions(words)
  var rows: [Row] = []
  print(Row.heading)
  for benchmark in benchmarks where options.selects(benchmark) {
    let measured = try await benchmark.run()
    for row in measured { print(row.line) }
    rows += measured
    // After each one, so that a run that is broken off leaves the figures it has.
    if let path = options.results { try measured.record(in: path, commit: options.commit) }
  }
  if let path = options.json { try JSONEncoder.rows.encode(rows).write(to: URL(filePath: path)) }
} catch {
  try FileHandle.standardError.write(contentsOf: Data("bench: \(error)\n".utf8))
  exit(1)
}
