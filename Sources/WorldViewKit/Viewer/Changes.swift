import Synchronization

/// Tells every page that something is new; news that come while a page is busy become one.
package final class Changes: Sendable {
  private struct State {
    var pages: [Int: AsyncStream<Void>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// News from now on, beginning with one.
  func news() -> AsyncStream<Void> {
    let (stream, page) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      defer { state.next += 1 }
      state.pages[state.next] = page
      return state.next
    }
    page.onTermination = { [weak self] _ in self?.forget(number) }
    page.yield()
    return stream
  }

  /// There is something new.
  package func announce() {
    for page in state.withLock({ Array($0.pages.values) }) { page.yield() }
  }

  private func forget(_ number: Int) {
    state.withLock { $0.pages[number] = nil }
  }
}
