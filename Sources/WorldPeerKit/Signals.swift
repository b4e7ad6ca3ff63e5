import Dispatch
import Glibc

/// The signals that ask a program to end.
package enum Signals {
  /// Waits for SIGINT or SIGTERM, which from now on do not kill the program; nil when the task is cancelled.
  package static func next() async -> Int32? {
    let (signals, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingOldest(1))
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield(number) }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    return await signals.first { _ in true }
  }
}
