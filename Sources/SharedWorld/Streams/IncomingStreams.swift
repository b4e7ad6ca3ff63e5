import Synchronization

/// The streams that other peers open to this one under some names.
///
/// It begins when it is made, and takes each stream for which no earlier one stands. A stream is accepted when it is read from
/// here; one that nobody reads in time fails at its opener, and so do those that wait here when this is released. It has one
/// iterator; a second one at a time ends at once.
public struct IncomingStreams: AsyncSequence, Sendable {
  let mailbox: StreamMailbox

  /// A reader.
  public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }

  /// Accepts streams one by one.
  public struct Iterator: AsyncIteratorProtocol {
    let mailbox: StreamMailbox
    private var batch: ArraySlice<PeerStream> = []

    init(mailbox: StreamMailbox) {
      self.mailbox = mailbox
    }

    /// The next stream; nil after the session has ended or the task was cancelled.
    public mutating func next() async -> PeerStream? {
      while true {
        if batch.isEmpty {
          guard let more = await mailbox.take() else { return nil }
          batch = more[...]
        }
        // One that its opener has given up meanwhile is none.
        if let stream = batch.popFirst(), await stream.accept() { return stream }
      }
    }
  }
}

/// The mailbox of a reader of streams.
typealias StreamMailbox = ReaderMailbox<StreamBacklog>

/// The streams that wait to be accepted: the limit of streams of a peer bounds them.
struct StreamBacklog: Backlog {
  private var streams: [PeerStream] = []

  var isEmpty: Bool { streams.isEmpty }
  var isOverrun: Bool { false }

  mutating func append(_ stream: PeerStream) { streams.append(stream) }

  mutating func take() -> [PeerStream] { exchange(&streams, with: []) }
}

/// The readers of streams, and which of them a stream is for.
final class StreamHub: Sendable {
  private struct Route {
    weak var mailbox: StreamMailbox?
    let pattern: EndpointPattern
  }

  private struct State {
    var routes: [Route] = []
    var hasEnded = false

    /// The mailboxes whose readers are not gone.
    var mailboxes: [(mailbox: StreamMailbox, pattern: EndpointPattern)] {
      routes.compactMap { route in route.mailbox.map { ($0, route.pattern) } }
    }
  }

  private let state = Mutex(State())

  /// A mailbox for streams of these names.
  func subscribe(to pattern: String) -> StreamMailbox {
    let mailbox = StreamMailbox(StreamBacklog())
    let hasEnded = state.withLock { state in
      state.routes.removeAll { $0.mailbox == nil }
      state.routes.append(Route(mailbox: mailbox, pattern: EndpointPattern(pattern)))
      return state.hasEnded
    }
    if hasEnded { mailbox.end() }
    return mailbox
  }

  /// Puts a stream into the first mailbox for its name; a stream without one is not held here.
  func put(_ stream: PeerStream) {
    let mailboxes = state.withLock { $0.mailboxes }
    mailboxes.first { $0.pattern.matches(stream.name) }?.mailbox.update { $0.append(stream) }
  }

  /// Says that nothing more comes.
  func end() {
    let mailboxes = state.withLock { state in
      state.hasEnded = true
      return state.mailboxes
    }
    for (mailbox, _) in mailboxes { mailbox.end() }
  }
}
