import Foundation

/// Every benchmark, in the order of the report: a new file adds its list here.
let benchmarks =
  WorldMapRows.all + HitTestRows.all + AnchorSetRows.all + FanOutRows.all + LatencyRows.all + MapTransferRows.all
  + SimulatorRows.all
  + GrowthRows.all

do {
  let options = try BenchOptions(CommandLine.arguments.dropFirst())
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
