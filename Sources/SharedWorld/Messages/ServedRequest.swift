import PeerProtocol
import Synchronization

/// A request of another peer that this one is to answer.
///
/// One that is dropped without an answer, as when its reader goes, fails at its sender as unhandled.
final class ServedRequest: Sendable {
  /// The start of the sender that numbered it.
  let sender: NodeID
  /// The sender's number of the request.
  let number: UInt64
  /// Ends when the sender does not wait any more.
  let withdrawn: AsyncStream<Never>
  private let signal: AsyncStream<Never>.Continuation
  private let isSettled = Mutex(false)
  private let drop: @Sendable () -> Void

  /// A request; `drop` is called if it is released without having been settled.
  init(_ number: UInt64, of sender: NodeID, drop: @escaping @Sendable () -> Void) {
    (self.sender, self.number, self.drop) = (sender, number, drop)
    (withdrawn, signal) = AsyncStream.makeStream()
  }

  deinit {
    if settle() { drop() }
  }

  /// Counts as answered from now on; false if it did before.
  func settle() -> Bool { !isSettled.withLock { exchange(&$0, with: true) } }

  /// Its sender does not wait any more: nothing is sent for it.
  func withdraw() {
    _ = settle()
    signal.finish()
  }
}
