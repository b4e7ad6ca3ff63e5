import Foundation

/// Every benchmark, in the order of the report: a new file adds its list here.
let benchmarks =
  WorldMapRows.all + MapUpdateRows.all + MapMemoryRows.all + HitTestRows.all + AnchorSetRows.all + FanOutRows.all
  + LatencyRows.all + MapTransferRows.all + SimulatorRows.all + GrowthRows.all

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
    for row in try await benchmark.run() {
      print(row.line)
      rows.append(row)
    }
  }
  if let path = options.json { try JSONEncoder.rows.encode(rows).write(to: URL(filePath: path)) }
} catch {
  try FileHandle.standardError.write(contentsOf: Data("bench: \(error)\n".utf8))
  exit(1)
}
