import PeerProtocol

/// The messages of one type at some endpoints, in order for each sender.
///
/// It begins when it is made: messages that arrived before are not in it, and went back to their senders if there was no
/// other reader. It has one iterator; a second one at a time ends at once. While it is held and not read, messages of
/// ``Session/Events/messageCapacity`` bytes of each sender wait in it, and then at the sender. A message that cannot be
/// decoded goes back to its sender, and the stream goes on.
public struct MessageStream<Object: Codable & Sendable>: AsyncSequence, Sendable {
  let letters: ArrivedMessages

  /// A reader.
  public func makeAsyncIterator() -> Iterator { Iterator(letters: letters.makeAsyncIterator()) }

  /// Reads messages one by one.
  public struct Iterator: AsyncIteratorProtocol {
    var letters: ArrivedMessages.Iterator

    /// The next message; nil after the session has ended or the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> ReceivedMessage<Object>? { await next() }

    /// The next message; nil after the session has ended or the task was cancelled.
    public nonisolated(nonsending) mutating func next() async -> ReceivedMessage<Object>? {
      while let letter = await letters.next() {
        if let message: ReceivedMessage<Object> = letters.session.open(letter) { return message }
      }
      return nil
    }
  }
}

/// The messages that arrive in one mailbox, one by one.
struct ArrivedMessages: AsyncSequence, Sendable {
  let session: Session
  let mailbox: MessageMailbox

  func makeAsyncIterator() -> Iterator { Iterator(session: session, mailbox: mailbox) }

  struct Iterator: AsyncIteratorProtocol {
    let session: Session
    let mailbox: MessageMailbox
    /// The messages that were taken from the mailbox, the last one first, so that each is moved out and not copied.
    private var batch: [ArrivedMessage] = []
    /// Cost of what was read since the session last looked (bytes).
    private var read = 0

    init(session: Session, mailbox: MessageMailbox) {
      (self.session, self.mailbox) = (session, mailbox)
    }

    mutating func next(isolation actor: isolated (any Actor)?) async -> ArrivedMessage? { await next() }

    /// The next message; nil after the end.
    nonisolated(nonsending) mutating func next() async -> ArrivedMessage? {
      if batch.isEmpty {
        guard var more = await mailbox.take() else { return nil }
        for index in more.indices { read += more.span[index].cost }
        more.reverse()
        batch = more
        if read >= MessageDesk.readStep {
          read = 0
          session.hub.source.reviewUnread()
        }
      }
      return batch.popLast()
    }
  }
}
