import Foundation

/// Does work that takes seconds, or waits, on a thread of its own.
///
/// The threads that tests share are as many as the processors: while two of them are taken, every other test stands still, and
/// the app's part of a session with it.
package func onOwnThread<Result: Sendable>(
  _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { done in
    Thread.detachNewThread { done.resume(with: Swift.Result(catching: work)) }
  }
}
