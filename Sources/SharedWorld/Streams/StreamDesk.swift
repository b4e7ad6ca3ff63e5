import PeerProtocol
import PeerTransport
import WorldModel

/// A session's part in streams: their state, and the callers that wait for them.
struct StreamDesk {
  typealias Caller<Value> = CheckedContinuation<Result<Value, SessionError>, Never>

  private struct Reader {
    let number: UInt64
    let caller: Caller<[UInt8]?>
  }

  private struct Opener {
    /// When it times out (nanoseconds of ``MonotonicClock``).
    let deadline: UInt64
    let caller: Caller<Void>
  }

  var book = StreamBook()
  /// The numbers of readers and writers.
  var numbers = Numbers()
  /// Fires at ``deadline``; nil before the first stream was opened.
  var timer: LoopTimer?
  /// Whether letters are being sent: what is found meanwhile is done by the same loop.
  var isServing = false
  private var readers: Table<StreamKey, Reader> = [:]
  private var writers: Table<UInt64, Caller<Void>> = [:]
  private var openers: Table<StreamKey, Opener> = [:]

  /// When the next opener times out (nanoseconds of ``MonotonicClock``); nil for never.
  var deadline: UInt64? { openers.values.map(\.deadline).min() }

  /// The openers that have waited too long, in the order in which they began.
  func late(at now: UInt64) -> [StreamKey] {
    openers.filter { $0.value.deadline <= now }.keys
  }

  // MARK: Callers

  /// Lets the opener of a stream wait.
  mutating func open(_ key: StreamKey, until deadline: UInt64, _ caller: Caller<Void>) {
    openers[key] = Opener(deadline: deadline, caller: caller)
    settle(key)
  }

  /// Gives a reader what is here, or lets it wait, under a number that was not used before.
  mutating func read(_ key: StreamKey, _ number: UInt64, _ caller: Caller<[UInt8]?>) {
    guard readers[key] == nil else {
      return caller.resume(
        returning: .failure(SessionError(.invalidArgument, "this stream is being read already; it has one reader")))
    }
    readers[key] = Reader(number: number, caller: caller)
    settle(key)
  }

  /// Hands over bytes, or the end of them; the caller waits until they have left.
  mutating func write(_ bytes: [UInt8], isEnd: Bool, _ key: StreamKey, _ number: UInt64, _ caller: Caller<Void>) {
    let outcome = book.update(key) { flow -> Result<Void, StreamFailure> in
      Result { () throws(StreamFailure) in try flow.write(bytes, isEnd: isEnd, number: number) }
    }
    switch outcome {
    case .success: writers[number] = caller
    case .failure(let failure): caller.resume(returning: .failure(SessionError(failure)))
    case nil: caller.resume(returning: .failure(SessionError(.ended, "the stream is over")))
    }
  }

  /// Ends the wait of a cancelled reader; a no-op when it waits no longer.
  mutating func cancelRead(_ key: StreamKey, _ number: UInt64) {
    guard readers[key]?.number == number else { return }
    let error = SessionError(.cancelled, "the read was cancelled; the stream goes on")
    readers.removeValue(forKey: key)?.caller.resume(returning: .failure(error))
  }

  /// Ends the wait of a cancelled writer; a no-op when it waits no longer.
  mutating func cancelWrite(_ key: StreamKey, _ number: UInt64) { _ = book.update(key) { $0.cancel(number) } }

  /// Whether somebody waits for the bytes of a stream, and whether somebody waits to write any.
  func callers(of key: StreamKey) -> (isRead: Bool, areWritten: Bool) { (readers[key] != nil, !writers.isEmpty) }

  // MARK: News

  /// Resumes the callers for which something has changed, and returns the streams that others have opened.
  mutating func settle() -> [StreamKey] {
    var offered: [StreamKey] = []
    while true {
      let news = book.takeNews()
      offered += news.offered
      if news.touched.isEmpty { return offered }
      for key in news.touched { settle(key) }
    }
  }

  private mutating func settle(_ key: StreamKey) {
    guard let flow = book.flow(key) else { return }
    if flow.stage == .open || flow.failure != nil, let opener = openers.removeValue(forKey: key) {
      opener.caller.resume(returning: flow.failure.map { .failure(SessionError($0)) } ?? .success(()))
    }
    if flow.hasSettled {
      for write in book.update(key, { $0.takeSettled() }) ?? [] {
        let result = write.error.map { Result<Void, SessionError>.failure(SessionError($0)) } ?? .success(())
        writers.removeValue(forKey: write.number)?.resume(returning: result)
      }
    }
    guard let reader = readers[key], flow.isReadable else { return }
    let result: Result<[UInt8]?, SessionError>
    switch book.update(key, { $0.take() }) ?? .ended {
    case .bytes(let bytes): result = .success(bytes)
    case .ended: result = .success(nil)
    case .failed(let failure): result = .failure(SessionError(failure))
    case .wait: return
    }
    readers[key] = nil
    reader.caller.resume(returning: result)
  }

  /// Ends every stream, because the session is over.
  mutating func endAll() {
    book.endAll(.ended)
    _ = settle()
  }
}
