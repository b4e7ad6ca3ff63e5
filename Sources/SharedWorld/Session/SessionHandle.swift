import PeerTransport

/// A running session that lives as long as this object, such as a window, and no longer.
///
/// ``Session/start(as:configuration:)`` makes one. ``stop()`` says goodbye and returns when everything of the session has ended.
/// ``Session/withSession(as:configuration:isolation:_:)`` does the same at the end of a closure; use it wherever one fits.
///
/// How nothing leaks: the handle owns one task, the parent of all others of the session (handlers of the app, name look-ups,
/// writes), and the session owns one thread. The task holds the session, and the handle is held by the app alone, so neither a
/// task that reads ``Session/events`` nor one that awaits a method keeps a session running whose handle is gone. A handle that
/// is released without ``stop()`` ends its session too: it leaves, without a wait for what is on its way, writes a warning to
/// ``Session/Configuration/log``, and readers get ``Session/Event/ended(_:)``. Files are closed, and the thread ends.
public final class SessionHandle: Sendable {
  /// Why the life of a session ends.
  private enum Ending {
    case stopped
    case released
  }

  /// The session; ``Session/leave()`` says what may be asked of it after the end.
  public let session: Session
  private let ending: AsyncStream<Ending>.Continuation
  private let life: Task<Void, Never>

  init(of session: Session) {
    self.session = session
    // The first word counts: a handle that was stopped is released later.
    let (endings, ending) = AsyncStream.makeStream(of: Ending.self, bufferingPolicy: .bufferingOldest(1))
    self.ending = ending
    life = Task { await Self.live(session, until: endings) }
  }

  deinit {
    ending.yield(.released)
    ending.finish()
  }

  /// Says goodbye to everybody, as ``Session/leave()`` does, and returns when the session has ended: no thread and no task of it
  /// runs, and its files are closed.
  ///
  /// It may be called again, and by several tasks at once: all wait for the same end. In a cancelled task it does not wait for what
  /// is on its way. A handler of the app that runs is cancelled and awaited.
  public func stop() async {
    ending.yield(.stopped)
    await withTaskCancellationHandler {
      await life.value
    } onCancel: {
      life.cancel()
    }
  }

  private static func live(_ session: Session, until endings: AsyncStream<Ending>) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await session.jobs.run() }
      var iterator = endings.makeAsyncIterator()
      if await iterator.next() == .released {
        session.hub.log.write(
          .released, "the handle of a session was released before the session was stopped; the session ends")
        await session.leaveAtOnce()
      } else {
        await session.leave()
      }
    }
    session.joinThread()
  }
}
