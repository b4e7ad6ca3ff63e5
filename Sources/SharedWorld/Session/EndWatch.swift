import BasicsLinux
import PeerTransport

/// Tells a session, once, that a signal asks the process to end; confined to the session's loop.
final class EndWatch: EventHandler {
  private let signals: EndSignals
  private let loop: EventLoop
  private let teller: AsyncStream<Void>.Continuation

  /// Watches until a signal has come, or the loop ends.
  ///
  /// - Returns: A stream that has one element if a signal comes, and ends with the watch.
  static func begin(on loop: EventLoop) throws -> AsyncStream<Void> {
    let (calls, teller) = AsyncStream.makeStream(of: Void.self)
    let watch = EndWatch(try EndSignals(), loop, teller)
    try loop.watch(watch.signals.descriptor, for: .readable, handler: watch)
    return calls
  }

  private init(_ signals: EndSignals, _ loop: EventLoop, _ teller: AsyncStream<Void>.Continuation) {
    (self.signals, self.loop, self.teller) = (signals, loop, teller)
  }

  deinit {
    teller.finish()
  }

  func handle(_ readiness: Readiness) {
    teller.yield()
    loop.unwatch(signals.descriptor)
  }
}
