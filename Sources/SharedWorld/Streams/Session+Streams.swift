import Basics
import PeerProtocol
import PeerTransport
import WorldModel

// Streams travel as messages of a kind and a chain of their own: they wait neither for unread messages nor behind them.

extension Session {
  /// Opens a stream of bytes to a member, and waits until its app has accepted it.
  func openStream(
    named name: String, to peer: PeerID, timeout: Duration
  ) async throws(SessionError) -> PeerStream {
    guard (1...PeerStream.nameLimit).contains(name.utf8.count), PlainText.allows(name) else {
      throw SessionError(
        .invalidArgument,
        "the name of a stream has 1 to \(PeerStream.nameLimit) bytes of text without control characters: '\(name)'")
    }
    let key: StreamKey
    do { key = try streamDesk.book.open(name, to: peer) } catch { throw SessionError(error) }
    // It is released when the opening fails, and forgotten with that.
    let stream = PeerStream(key, named: name, with: self.peer(key.peer), of: self)
    let outcome = await suspend { caller in
      streamDesk.open(key, until: loop.time(after: timeout), caller)
      setStreamTimer()
    } cancel: {
      $0.cancelOpening(key)
    } then: {
      serveStreams()
    }
    try outcome.get()
    return stream
  }
}

// MARK: - Streams

extension Session {
  /// The next bytes of a stream; nil after their end.
  func read(_ key: StreamKey) async throws(SessionError) -> [UInt8]? {
    let number = streamDesk.numbers.next()
    let outcome = await suspend { caller in
      streamDesk.read(key, number, caller)
    } cancel: {
      $0.streamDesk.cancelRead(key, number)
    } then: {
      serveStreams()
    }
    return try outcome.get()
  }

  /// Writes bytes to a stream, or the end of them, and waits until they have left.
  func write(_ bytes: [UInt8], isEnd: Bool = false, to key: StreamKey) async throws(SessionError) {
    let number = streamDesk.numbers.next()
    let outcome = await suspend { caller in
      streamDesk.write(bytes, isEnd: isEnd, key, number, caller)
    } cancel: {
      $0.cancelWrite(key, number)
    } then: {
      serveStreams()
    }
    try outcome.get()
  }

  /// Accepts a stream of another peer; false when it is over already.
  func accept(_ key: StreamKey) -> Bool {
    defer { serveStreams() }
    return streamDesk.book.update(key) { $0.accept() } ?? false
  }

  /// Ends a stream, and tells the other side why.
  func reset(_ key: StreamKey, _ reason: RemoteError) {
    let reset = StreamReset(.app, reason.code, reason.message)
    _ = streamDesk.book.update(key) { $0.reset(reset, .resetHere(reset)) }
    serveStreams()
  }

  /// The app does not hold a stream any more.
  func release(_ key: StreamKey) {
    streamDesk.book.release(key)
    serveStreams()
  }

  private func cancelWrite(_ key: StreamKey, _ number: UInt64) {
    streamDesk.cancelWrite(key, number)
    serveStreams()
  }

  private func cancelOpening(_ key: StreamKey) {
    giveUp(key, "cancelled", .notOpened(isLate: false))
  }

  /// Ends the opening of a stream.
  private func giveUp(_ key: StreamKey, _ code: String, _ failure: StreamFailure) {
    guard streamDesk.book.flow(key)?.stage == .opening else { return }
    _ = streamDesk.book.update(key) { $0.reset(StreamReset(.app, code), failure) }
    serveStreams()
  }

  /// Has the openings that are late at the next deadline ended then.
  private func setStreamTimer() {
    if streamDesk.timer == nil {
      streamDesk.timer = makeTimer { $0.endLateOpenings() }
    }
    streamDesk.timer?.deadline = streamDesk.deadline
  }

  private func endLateOpenings() {
    for key in streamDesk.late(at: loop.now) { giveUp(key, "timed-out", .notOpened(isLate: true)) }
    setStreamTimer()
  }

  // MARK: The node

  /// Takes what the node says of streams and of the peers at their other ends.
  func takeStreams(of events: [NodeEvent]) {
    guard let incarnation else { return }
    var hasNews = false
    for event in events where streamDesk.book.take(event, me: incarnation) { hasNews = true }
    if hasNews { serveStreams() }
  }

  /// Sends the letters that are due, and resumes the callers for which something has changed, until nothing is left to do.
  private func serveStreams() {
    // A turn of the node may bring events, and with them this call, before the letter of the turn is accounted for.
    guard !exchange(&streamDesk.isServing, with: true) else { return }
    repeat {
      for key in streamDesk.settle() {
        guard let name = streamDesk.book.flow(key)?.name else { continue }
        // Without a reader it is released here, and refused with that.
        hub.streams.put(PeerStream(key, named: name, with: self.peer(key.peer), of: self))
      }
    } while sendNextLetter()
    streamDesk.isServing = false
  }

  /// Sends one letter; false when there is none.
  private func sendNextLetter() -> Bool {
    guard let (peer, letter) = streamDesk.book.next() else { return false }
    streamDesk.book.sent(letter, to: peer, send(letter, to: peer))
    return true
  }

  /// Hands a letter to the node; gives the start of the peer that gets it, or why nobody does.
  private func send(_ letter: StreamLetter, to peer: PeerID) -> Result<NodeID?, StreamFailure> {
    guard let driver, !hasEnded else { return .failure(.ended) }
    if case .refused(let refusal) = driver.handle(.send(letter.bytes, as: .stream, to: [peer])) {
      return .failure(.unsent(refusal))
    }
    return .success(driver.read { node, _ in node.streamReceiver(peer) })
  }
}
