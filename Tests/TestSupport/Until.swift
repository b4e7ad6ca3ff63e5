/// Waits for something that tells nobody of its change: a file, a count, the state of another task.
///
/// It looks every two milliseconds by a timer, because a loop that only yields takes the threads from all other tests.
///
/// - Throws: `CancellationError` once the test has had its time, and what `isSo` throws.
package func until(
  isolation: isolated (any Actor)? = #isolation, _ isSo: () async throws -> Bool
) async throws {
  while try await !isSo() { try await Task.sleep(for: .milliseconds(2)) }
}
