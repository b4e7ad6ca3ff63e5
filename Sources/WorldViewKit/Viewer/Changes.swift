import Synchronization

/// Tells every page that something is new; news that come while a page is busy become one.
package final class Changes: Sendable {
  /// The kinds of news.
  package struct News: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Anything that a page shows.
    package static let state = News(rawValue: 1)
    /// Where a dragged anchor or a device is, which is new up to 60 times a second.
    package static let live = News(rawValue: 2)
    /// Nothing but that the server is there.
    package static let beat = News(rawValue: 4)
  }

  private struct State {
    var pages: [Int: (wake: AsyncStream<Void>.Continuation, unread: News)] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// The news of one page from now on, beginning with its state.
  func news() -> PageNews {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let page = state.withLock { state in
      defer { state.next += 1 }
      state.pages[state.next] = (wake, .state)
      return state.next
    }
    wake.onTermination = { [weak self] _ in self?.forget(page) }
    wake.yield()
    return PageNews(wakes: wakes, page: page, changes: self)
  }

  /// There is something new.
  package func announce(_ news: News = .state) {
    for page in state.withLock({ Array($0.pages.keys) }) { add(news, to: page) }
  }

  fileprivate func add(_ news: News, to page: Int) {
    let wake = state.withLock { state in
      state.pages[page]?.unread.formUnion(news)
      return state.pages[page]?.wake
    }
    wake?.yield()
  }

  fileprivate func take(of page: Int) -> News {
    state.withLock { state in
      defer { state.pages[page]?.unread = [] }
      return state.pages[page]?.unread ?? []
    }
  }

  private func forget(_ page: Int) {
    state.withLock { $0.pages[page] = nil }
  }
}

/// The news that one page has not read.
struct PageNews: Sendable {
  /// Yields whenever there are some.
  let wakes: AsyncStream<Void>
  fileprivate let page: Int
  fileprivate let changes: Changes

  /// The unread news, which count as read.
  func take() -> Changes.News { changes.take(of: page) }

  /// Leaves news for later.
  func postpone(_ news: Changes.News) { changes.add(news, to: page) }
}
