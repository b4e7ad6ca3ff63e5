import Basics
import PeerTransport
import Synchronization

/// The bytes of an app's connection, as a link uses them.
///
/// A lock guards the state that the connection changes from other threads; the rest is confined to the link's loop, hence the unchecked
/// conformance.
final class ConnectionStream: ByteStream, @unchecked Sendable {
  /// The most bytes that were handed to the connection and have not left.
  static let window = 256 * 1024
  /// A connection with more bytes than this that are not read does not receive.
  static let inboxMark = 512 * 1024
  /// One that receives nevertheless, beyond this, is ended.
  static let inboxLimit = 4 * 1024 * 1024

  private struct Shared {
    var inbox: [UInt8] = []
    /// How many bytes of the inbox were read.
    var read = 0
    var unsent = 0
    var isOpen: Bool
    var isClosed = false
    var failure: TransportFailure?
    var interest: Readiness = []
    /// Whether the handler is going to be called, or was called in this round.
    var isAnnounced = false

    var unread: Int { inbox.count - read }

    /// The readiness that the handler waits for and that is there.
    var readiness: Readiness {
      let isOver = isClosed || failure != nil
      var ready: Readiness = []
      if isOver || unread > 0 { ready.insert(.readable) }
      if isOver || isOpen && unsent < ConnectionStream.window { ready.insert(.writable) }
      return ready.intersection(interest)
    }
  }

  private let connection: any TransportConnection
  private let shared: Mutex<Shared>
  // Of the loop alone; a cycle with the link until that closes the stream.
  private var handler: (any EventHandler)?
  private var loop: EventLoop?
  private var isReceiving = true
  private var hasEnded = false

  init(_ connection: any TransportConnection, isOpen: Bool) {
    self.connection = connection
    shared = Mutex(Shared(isOpen: isOpen))
  }

  func open(
    _ interest: Readiness, on loop: EventLoop, handler: any EventHandler, limits: SecureTransport.Configuration
  ) throws(TransportFailure) {
    (self.loop, self.handler) = (loop, handler)
    shared.withLock { $0.interest = interest }
    connection.open { [weak self, loop] event in self?.take(event, on: loop) }
  }

  func await(_ interest: Readiness) throws(TransportFailure) {
    update { $0.interest = interest }
  }

  var connectFailure: TransportFailure? {
    shared.withLock { $0.failure ?? ($0.isClosed ? .truncated : nil) }
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> StreamResult {
    let (result, unread) = shared.withLock { shared -> (StreamResult, Int) in
      let count = min(shared.unread, buffer.count)
      guard count > 0 else {
        if let failure = shared.failure { return (.failed(failure), 0) }
        return (shared.isClosed ? .ended : .blocked, 0)
      }
      buffer.copyBytes(from: shared.inbox[shared.read..<shared.read + count])
      shared.read += count
      // Moved to the front when at least as much was read: each byte is moved once at most, on average.
      if shared.read >= shared.unread {
        shared.inbox.removeFirst(shared.read)
        shared.read = 0
      }
      return (.moved(count), shared.unread)
    }
    setReceiving(unread <= Self.inboxMark)
    return result
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> StreamResult {
    let result = shared.withLock { shared -> StreamResult in
      if let failure = shared.failure { return .failed(failure) }
      guard !shared.isClosed else { return .ended }
      let count = min(bytes.count, Self.window - shared.unsent)
      guard count > 0 else { return .blocked }
      shared.unsent += count
      return .moved(count)
    }
    if case .moved(let count) = result { connection.send(Array(bytes.prefix(count))) }
    return result
  }

  /// Ends the connection: what still comes would not be read.
  func finishSending() {
    end()
    update { $0.isClosed = true }
  }

  func close(discarding: Bool) {
    handler = nil
    end()
  }

  /// One that a test cuts, or delays, is as one between processes.
  var isInProcess: Bool { (connection as? MemoryConnection)?.isLasting ?? false }

  /// Not known.
  var path: PathState? { nil }

  /// Leaves it to the connection.
  func limitInFlight(_ bytes: Int) {}

  private func end() {
    guard !hasEnded else { return }
    hasEnded = true
    connection.close()
  }

  private func setReceiving(_ isOn: Bool) {
    guard isOn != isReceiving else { return }
    isReceiving = isOn
    connection.setReceiving(isOn)
  }

  // MARK: Any thread

  private func take(_ event: TransportEvent, on loop: EventLoop) {
    update(on: loop) { shared in
      switch event {
      case .opened: shared.isOpen = true
      case .sent(let count): shared.unsent = max(0, shared.unsent - count)
      case .closed: shared.isClosed = true
      case .failed(let error): shared.failure = TransportFailure(own: error)
      case .received(let bytes):
        guard shared.unread + bytes.count <= Self.inboxLimit else {
          shared.failure = .medium("the connection receives more than is read")
          return
        }
        shared.inbox.append(contentsOf: bytes)
      }
    }
  }

  /// The same on the loop, where there is one yet.
  private func update(_ change: (inout sending Shared) -> Void) {
    if let loop { update(on: loop, change) } else { shared.withLock { change(&$0) } }
  }

  /// Changes the state, and calls the handler on the loop if there is something that it waits for.
  private func update(on loop: EventLoop, _ change: (inout sending Shared) -> Void) {
    let isNews = shared.withLock { shared in
      change(&shared)
      guard !shared.readiness.isEmpty, !shared.isAnnounced else { return false }
      shared.isAnnounced = true
      return true
    }
    if isNews { loop.execute { self.announce(on: loop) } }
  }

  /// Calls the handler, and again in the next round while there is more.
  private func announce(on loop: EventLoop) {
    let (ready, unread) = shared.withLock { ($0.readiness, $0.unread) }
    setReceiving(unread <= Self.inboxMark)
    guard let handler else { return }
    if !ready.isEmpty { handler.handle(ready) }
    // A job that is queued now would run in this round: of one that waits for its turn, again and again.
    loop.atEndOfRound(self)
  }
}

extension ConnectionStream: RoundHandler {
  func endRound() {
    guard handler != nil else { return }
    update { $0.isAnnounced = false }
  }
}
