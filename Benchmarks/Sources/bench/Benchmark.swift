import Glibc

/// Something to measure: gives one row, or several that one run yields together.
struct Benchmark: Sendable {
  /// What FILTER is compared with; the names of its rows begin with it.
  let name: String
  /// Whether it runs only when FILTER is its whole name.
  var isOnRequest = false
  let run: @Sendable () async throws -> [Row]
}

/// What the command line asks for.
struct BenchOptions {
  private(set) var filter: String?
  private(set) var json: String?
  /// The page in which the rows are recorded.
  private(set) var results: String?
  /// The commit that is measured, as the page shows it.
  private(set) var commit = "unknown"

  struct UsageError: Error, CustomStringConvertible {
    let description = "usage: bench [--filter NAME] [--json PATH] [--results PATH] [--commit HASH]"
  }

  init(_ arguments: some Sequence<String>) throws {
    var words = Array(arguments)[...]
    while let option = words.popFirst() {
      guard let value = words.popFirst() else { throw UsageError() }
      switch option {
      case "--filter": filter = value
      case "--json": json = value
      case "--results": results = value
      case "--commit": commit = value
      default: throw UsageError()
      }
    }
  }

  func selects(_ benchmark: Benchmark) -> Bool {
    benchmark.isOnRequest ? filter == benchmark.name : filter.map(benchmark.name.contains) ?? true
  }
}

/// The CPU time that `work` takes on this thread (seconds): programs that run beside it do not count.
func seconds(_ work: () throws -> Void) rethrows -> Double {
  let start = threadTime()
  try work()
  return threadTime() - start
}

private func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Times subject and baseline in turn, so that both meet the same noise of the machine, and gives the medians.
///
/// - Parameter rounds: how often; the first round warms up and does not count.
func compare(
  rounds: Int = 7, subject: () throws -> Void, baseline: () throws -> Void
) rethrows -> (subject: Double, baseline: Double) {
  var times: [(Double, Double)] = []
  for _ in 0...rounds { times.append((try seconds(subject), try seconds(baseline))) }
  return (median(times.dropFirst().map(\.0)), median(times.dropFirst().map(\.1)))
}

/// The middle value; of two the upper one.
func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
