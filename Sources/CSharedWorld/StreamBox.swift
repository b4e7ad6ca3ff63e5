internal import CSharedWorldHeaders
import BasicsLinux
import SharedWorld
import Synchronization

/// One end of a stream for C, which never waits: buffers between it and a ``PeerStream``, whose calls wait.
///
/// Two tasks of the session move the bytes, each until its direction is over, the session has ended or C gives the stream
/// back.
final class StreamBox: HandleObject {
  static let word = "a stream"
  /// Bytes of C that have not left; of those to C as many wait here.
  static let capacity = PeerStream.window
  /// Bytes that leave at once, so that room comes back in steps.
  private static let part = 65_536

  private enum Incoming {
    case open
    case ended
    case failed(SessionError)
  }

  private enum Outgoing {
    case open
    /// The end leaves behind what is in the buffer.
    case finishing
    case ended
    case failed(SessionError)
  }

  /// The next thing that leaves.
  private enum Next: Sendable {
    case bytes([UInt8])
    case end
    case wait
    case over
  }

  private struct State {
    var inbox: ArraySlice<UInt8> = []
    var incoming = Incoming.open
    /// Whether C has read the end, or the error.
    var isEndRead = false

    var outbox: ArraySlice<UInt8> = []
    /// Bytes that the task is writing.
    var underway = 0
    var outgoing = Outgoing.open
    /// Whether C is to be told of room, and of the end that has left.
    var wantsRoom = false
    var wantsEnd = false

    var room: Int { StreamBox.capacity - outbox.count - underway }

    /// Whether C has something to do.
    var hasNews: Bool {
      if !inbox.isEmpty { return true }
      switch incoming {
      case .open: break
      case .ended, .failed: if !isEndRead { return true }
      }
      switch outgoing {
      case .open, .finishing: return wantsRoom && room > 0
      case .ended, .failed: return wantsRoom || wantsEnd
      }
    }

    /// Nothing more can leave.
    mutating func failOutgoing(_ error: SessionError) {
      switch outgoing {
      case .open, .finishing: (outgoing, outbox, underway) = (.failed(error), [], 0)
      case .ended, .failed: break
      }
    }

    /// Both directions are over; what has arrived can still be read.
    mutating func fail(_ error: SessionError) {
      if case .open = incoming { incoming = .failed(error) }
      failOutgoing(error)
    }
  }

  private let stream: PeerStream
  private let wakeUp: WakeUp
  private let state = Mutex(State())
  /// Wakes the task that reads, once C has taken all, and the one that writes.
  private let (taken, take) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let (given, give) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// Begins to move the bytes of a stream, in tasks of its session.
  init(_ stream: PeerStream, of running: RunningSession) throws {
    self.stream = stream
    do throws(SystemCallFailure) { wakeUp = try WakeUp() } catch {
      throw SessionError(.io, "no descriptor for a stream can be opened: \(error)", cause: error)
    }
    let runs = running.run { await self.bringIn() } && running.run { await self.sendOut() }
    if !runs { change { $0.fail(Self.ended) } }
  }

  /// Readable while C has something to do.
  var descriptor: Int32 { wakeUp.descriptor }

  private static var ended: SessionError { SessionError(.ended, "the session has ended, and the stream with it") }

  /// Changes the state, and the descriptor with it.
  private func change<R: Sendable>(_ body: (inout State) -> R) -> R {
    state.withLock { state in
      defer {
        // Under the lock, so that the last word is that of the last change.
        if state.hasNews { wakeUp.signal() } else { wakeUp.reset() }
      }
      return body(&state)
    }
  }

  // MARK: Tasks

  /// Reads until the other side has finished.
  private func bringIn() async {
    var taken = taken.makeAsyncIterator()
    do throws(SessionError) {
      while let bytes = try await stream.read() {
        change { $0.inbox = bytes[...] }
        // No more than that is held here: the rest waits at the other side.
        while !state.withLock({ $0.inbox.isEmpty }) {
          guard await taken.next() != nil else { throw Self.ended }
        }
      }
      change { $0.incoming = .ended }
    } catch {
      let error = Task.isCancelled ? Self.ended : error
      change { $0.fail(error) }
      give.yield()
    }
  }

  /// Writes until C has finished.
  private func sendOut() async {
    var given = given.makeAsyncIterator()
    do throws(SessionError) {
      while true {
        switch change(Self.next) {
        case .bytes(let bytes):
          try await stream.write(bytes)
          change { $0.underway = 0 }
        case .end:
          try await stream.finish()
          change { if case .finishing = $0.outgoing { $0.outgoing = .ended } }
        case .wait: guard await given.next() != nil else { throw Self.ended }
        case .over: return
        }
      }
    } catch {
      let error = Task.isCancelled ? Self.ended : error
      change { $0.failOutgoing(error) }
    }
  }

  /// Takes what leaves next.
  private static func next(_ state: inout State) -> Next {
    switch state.outgoing {
    case .ended, .failed: return .over
    case .open, .finishing: break
    }
    guard state.outbox.isEmpty else {
      let bytes = Array(state.outbox.prefix(part))
      state.outbox = state.outbox.dropFirst(part)
      state.underway = bytes.count
      return .bytes(bytes)
    }
    if case .finishing = state.outgoing { return .end }
    return .wait
  }

  // MARK: C

  /// Reads what is here into a place that is not empty; 0 after the end.
  func read(into place: UnsafeMutableBufferPointer<UInt8>) throws -> Int {
    let result = change { state -> Result<Int, SessionError> in
      guard state.inbox.isEmpty else {
        let count = min(place.count, state.inbox.count)
        _ = place.update(fromContentsOf: state.inbox.prefix(count))
        state.inbox = state.inbox.dropFirst(count)
        if state.inbox.isEmpty { take.yield() }
        return .success(count)
      }
      switch state.incoming {
      case .open: return .failure(SessionError(.wouldBlock, "nothing is here to read; wait for the descriptor"))
      case .ended:
        state.isEndRead = true
        return .success(0)
      case .failed(let error):
        state.isEndRead = true
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Takes over as many bytes as there is room for, and returns how many.
  func write(_ bytes: UnsafeBufferPointer<UInt8>) throws -> Int {
    let result = change { state -> Result<Int, SessionError> in
      state.wantsRoom = false
      switch state.outgoing {
      case .open: break
      case .finishing, .ended:
        return .failure(
          SessionError(.invalidArgument, "the stream was finished; nothing can be written to it any more"))
      case .failed(let error): return .failure(error)
      }
      let count = min(bytes.count, state.room)
      state.wantsRoom = count < bytes.count
      guard count > 0 || bytes.isEmpty else {
        return .failure(SessionError(.wouldBlock, "what was written has not left; wait for the descriptor"))
      }
      state.outbox.append(contentsOf: bytes.prefix(count))
      return .success(count)
    }
    give.yield()
    return try result.get()
  }

  /// Begins to end this side's direction, or tells that it has ended.
  func finish() throws {
    let error = change { state -> SessionError? in
      state.wantsEnd = false
      switch state.outgoing {
      case .ended: return nil
      case .failed(let error): return error
      case .open, .finishing:
        (state.outgoing, state.wantsEnd) = (.finishing, true)
        return SessionError(.wouldBlock, "what was written has not left; wait for the descriptor")
      }
    }
    give.yield()
    if let error { throw error }
  }

  /// Ends both directions at once.
  func reset(_ reason: RemoteError) {
    let error = SessionError(.streamReset, "this side has reset the stream", cause: reason)
    change { state in
      if case .failed = state.incoming { return }
      if case (.ended, .ended) = (state.incoming, state.outgoing) { return }
      (state.inbox, state.incoming, state.isEndRead) = ([], .failed(error), false)
      state.failOutgoing(error)
    }
    stream.reset(reason)
    take.yield()
    give.yield()
  }

  /// The word of the reset that has ended it; nil when none has.
  var resetCode: String? {
    state.withLock { state in
      if case .failed(let error) = state.incoming, let reason = error.cause as? RemoteError { return reason.code }
      if case .failed(let error) = state.outgoing, let reason = error.cause as? RemoteError { return reason.code }
      return nil
    }
  }

  /// Gives the stream of a handle back: its tasks end, and it with them.
  static func close(_ handle: OpaquePointer?) {
    guard let handle, let box = Handles.close(handle, as: StreamBox.self) else { return }
    box.stream.reset(RemoteError("released", "the program of the other side does not hold the stream"))
    box.take.finish()
    box.give.finish()
  }
}
