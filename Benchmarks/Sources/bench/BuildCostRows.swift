/// What builds of this package from nothing cost, and how large what they make is; each part takes minutes.
enum BuildCostRows {
  static let all = ["release", "app", "tests", "library"].map { part in
    Benchmark(name: "build-cost/\(part)", isOnRequest: true) {
      try ScriptedRows.rows(of: "Scripts/build-cost.sh", [part], isQuiet: false)
    }
  }
}
