/// A change of an anchor, as one reader of ``Session/World/changes(matching:)`` sees it.
public struct AnchorChange: Hashable, Sendable {
  /// A kind of change.
  @nonexhaustive
  public enum Kind: Hashable, Sendable {
    /// It was there when the reader began, or began again.
    case present
    /// It came, or came into the filter.
    case added
    /// It was changed, or another owns it.
    case updated
    /// It was removed, or left the filter.
    case removed
  }

  /// The kind of change.
  public let kind: Kind
  /// The anchor as it is when the change is read; for a removal, as it was last.
  public let anchor: Anchor
  /// The owner then; nil for none, and for what was removed.
  public let owner: Peer?
  /// The author; nil when that is not known: for what was there, came with a map, or was removed while this peer was away.
  public let author: Peer?
  /// When.
  public let sessionTime: SessionTime
  /// How it came here; local for what was there.
  public let origin: AnchorOrigin
}

extension AnchorChange {
  /// An anchor that is there at a session time when a reader begins.
  init(present anchor: Anchor, owner: Peer?, at sessionTime: SessionTime) {
    self.init(
      kind: .present, anchor: anchor, owner: owner, author: nil, sessionTime: sessionTime, origin: .local)
  }
}

/// The changes of anchors for one reader at a time; every iterator begins with what is there.
public struct AnchorChanges: AsyncSequence, Sendable {
  /// The news for a reader.
  @nonexhaustive
  public enum Element: Hashable, Sendable {
    /// An anchor is there, came, changed or went.
    case change(AnchorChange)
    /// Everything that was there when the reader began has been told.
    case current
    /// The reader was too slow, or a peer's frame lies elsewhere now: forget every anchor; those that are there follow.
    case restarted
  }

  let session: Session
  let filter: AnchorFilter

  /// A reader of its own.
  public func makeAsyncIterator() -> Iterator {
    let mailbox = ChangeMailbox(filter: filter) { [session] id in session.assumeIsolated { $0.peer(id) } }
    return Iterator(session: session, mailbox: mailbox)
  }

  /// Reads changes one by one.
  public struct Iterator: AsyncIteratorProtocol {
    let session: Session
    let mailbox: ChangeMailbox
    private var hasBegun = false
    private var batch: ArraySlice<Element> = []

    init(session: Session, mailbox: ChangeMailbox) {
      self.session = session
      self.mailbox = mailbox
    }

    /// The next change; nil after the session has ended or the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? { await next() }

    /// The next change; nil after the session has ended or the task was cancelled.
    public nonisolated(nonsending) mutating func next() async -> Element? {
      while batch.isEmpty {
        if !hasBegun || mailbox.isOverrun {
          await session.begin(mailbox, isRestart: hasBegun)
          hasBegun = true
        }
        guard let more = await mailbox.take({ session.serve($0) }) else { return nil }
        batch = more[...]
      }
      return batch.popFirst()
    }
  }
}
