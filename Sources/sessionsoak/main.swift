import Glibc
import Simulator

let isReplay = CommandLine.arguments[1] == "replay"
let arguments = CommandLine.arguments.compactMap { UInt64($0) }
let clock = ContinuousClock()
let start = clock.now
var times: [Int64] = []
var failed = 0
for seed in isReplay ? arguments[0]...arguments[0] : arguments[0]...arguments[1] {
  let count = isReplay ? Int(arguments[1]) : 2 + Int(seed % 5)
  let outcome = SessionScenario.run(seed: seed, count: count, recording: isReplay)
  if isReplay { print(outcome.text) }
  if let text = outcome.violation { print("\(seed) \(count): \(text)"); failed += 1 }
  if let time = outcome.restTime { times.append(time / 1_000_000) }
}
times.sort()
if !times.isEmpty {
  let (median, high, most) = (times[times.count / 2], times[times.count * 99 / 100], times[times.count - 1])
  print("failed \(failed), rest ms p50 \(median) p99 \(high) max \(most)", clock.now - start)
}
