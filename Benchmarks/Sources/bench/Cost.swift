import CMachine
import Foundation
import Glibc

/// What some work took of the machine, all threads of this process together.
struct Cost {
  /// Real time (seconds).
  var seconds = 0.0
  /// Time on processors (seconds).
  var cpu = 0.0
  /// Blocks of memory asked for.
  var allocations = 0.0
  /// Calls of the kernel for sockets, epoll and eventfd, and every time a thread went to sleep.
  var calls = 0.0

  /// What `work` takes.
  static func of(_ work: () throws -> Void) rethrows -> Cost {
    let start = now
    try work()
    return now - start
  }

  /// What `work` takes.
  static func of(isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Void) async rethrows -> Cost
  {
    let start = now
    try await work()
    return now - start
  }

  /// Memory that is in use (bytes).
  static var residentBytes: Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    return (pages?.dropFirst().first.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  static func - (left: Cost, right: Cost) -> Cost {
    Cost(
      seconds: left.seconds - right.seconds, cpu: left.cpu - right.cpu,
      allocations: left.allocations - right.allocations, calls: left.calls - right.calls)
  }

  /// What was used since the process began.
  private static var now: Cost {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Cost(
      seconds: time(of: CLOCK_MONOTONIC), cpu: time(of: CLOCK_PROCESS_CPUTIME_ID),
      allocations: Double(counted_allocations()), calls: Double(counted_calls()) + Double(usage.ru_nvcsw))
  }

  private static func time(of clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
