import Dispatch
import Glibc

/// The signals that ask a program to end: SIGINT and SIGTERM, or those that are named.
///
/// Once this object is made they do not kill the program; the first one waits to be read.
package final class Signals: Sendable {
  private let numbers: AsyncStream<Int32>
  // Dispatch's objects may be used from every thread; they are not marked so.
  nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

  package init(_ wanted: [Int32] = [SIGINT, SIGTERM]) async {
    let (numbers, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingOldest(1))
    self.numbers = numbers
    sources = wanted.map { number in
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield(number) }
      return source
    }
    for source in sources { await Self.start(source) }
  }

  /// Returns when the source has its signal: one that comes before that is lost, or kills the program.
  private static func start(_ source: any DispatchSourceSignal) async {
    await withCheckedContinuation { hasBegun in
      source.setRegistrationHandler { hasBegun.resume() }
      source.resume()
    }
  }

  deinit {
    for source in sources { source.cancel() }
  }

  /// Waits for a signal; nil when the task is cancelled.
  package func next() async -> Int32? { await numbers.first { _ in true } }
}
