import Basics
import Dispatch
import Glibc
import PeerProtocol
import PeerTransport
import WorldModel

/// A transport on its own loop that records what it is told and lets a test wait for it.
actor TestPeer: SecureTransportDelegate {
  enum Event: Equatable, Sendable {
    case opened(LinkID, dial: DialID?, peer: PeerID)
    case closed(LinkID, TransportFailure?)
    case dialFailed(DialID, TransportFailure)
    case stranger(TransportFailure)
    case paused(TransportFailure)
    case resumed
  }

  struct TimedOut: Error {
    let events: [Event]
  }

  private struct Waiter {
    let isDone: @Sendable (isolated TestPeer) -> Bool
    let continuation: CheckedContinuation<Void, any Error>
    let timer: LoopTimer
  }

  nonisolated let loop: EventLoop
  nonisolated let identity: TLSIdentity
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private(set) var events: [Event] = []
  private(set) var receivedCount = 0
  private(set) var received: [UInt8] = []
  private(set) var isIntact = true
  private(set) var largestBatch = 0
  /// The links on which bytes came, batch by batch, and how many.
  private(set) var batches: [(link: LinkID, count: Int)] = []
  /// A link whose bytes are never handled in the round in which they come.
  private var slow: LinkID?
  private(set) var writableCalls = 0
  /// Connections from outside that the gate had no place for.
  private(set) var refused = 0
  private var transport: SecureTransport?
  private var expected: [UInt8]?
  private var outgoing: (link: LinkID, pattern: [UInt8], rest: Int, sent: Int)?
  private var waiters: [Int: Waiter] = [:]
  private var waitersMade = 0

  init(identity: TLSIdentity? = nil) throws {
    loop = try EventLoop(name: "test")
    self.identity = try identity ?? TLSIdentity()
  }

  /// Makes the transport and listens on the loopback address unless told otherwise.
  func start(
    _ configuration: SecureTransport.Configuration = .init(), on address: SocketAddress = .loopback(port: 0)
  ) throws -> SocketAddress {
    let transport = try SecureTransport(loop: loop, identity: identity, configuration: configuration)
    transport.delegate = self
    self.transport = transport
    return SocketAddress.loopback(port: try transport.listen(on: address).port)
  }

  /// Runs `body` with the transport, on the loop.
  func use<R: Sendable>(_ body: (SecureTransport) throws -> R) throws -> R {
    guard let transport else { throw TimedOut(events: events) }
    return try body(transport)
  }

  /// Closes everything and ends the loop.
  func stop() async {
    if let transport { await withCheckedContinuation { done in transport.shutDown { done.resume() } } }
    transport = nil
    loop.stop()
  }

  /// Waits until `isDone` holds after some callback.
  func wait(seconds: UInt64 = 30, until isDone: @escaping @Sendable (isolated TestPeer) -> Bool) async throws {
    if isDone(self) { return }
    waitersMade += 1
    let number = waitersMade
    try await withCheckedThrowingContinuation { continuation in
      let timer = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.giveUp(number) } }
      timer.deadline = MonotonicClock.now + seconds * 1_000_000_000
      waiters[number] = Waiter(isDone: isDone, continuation: continuation, timer: timer)
    }
  }

  /// Waits for the first link to open and returns it.
  func opened() async throws -> LinkID {
    try await wait { $0.openLinks.first != nil }
    return openLinks[0]
  }

  var openLinks: [LinkID] {
    events.compactMap { if case .opened(let link, _, _) = $0 { link } else { nil } }
  }

  /// Stops reading from a link after each batch, for the rest of the round.
  func slowDown(_ link: LinkID?) { slow = link }

  /// Holds the loop up until `body` has returned, on another thread.
  func stall(_ body: @escaping @Sendable () async throws -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      try? await body()
      isDone.signal()
    }
    isDone.wait()
  }

  /// Expects `pattern` over and over instead of keeping what arrives.
  func expect(_ pattern: [UInt8]) { expected = pattern }

  /// Sends `count` bytes of `pattern` over and over, as fast as the link takes them.
  func stream(_ link: LinkID, _ pattern: [UInt8], count: Int) {
    outgoing = (link, pattern, count, 0)
    pump()
  }

  /// Sends one message.
  func send(_ link: LinkID, _ bytes: [UInt8]) throws -> Int {
    try use { $0.send(link, bytes.span.bytes) }
  }

  private func pump() {
    while let (link, pattern, rest, sent) = outgoing, rest > 0, let transport {
      let start = sent % pattern.count
      let piece = pattern.span.bytes.extracting(start..<min(start + rest, pattern.count))
      let count = transport.send(link, piece)
      outgoing = (link, pattern, rest - count, sent + count)
      if count < piece.byteCount { return }
    }
  }

  private func giveUp(_ number: Int) {
    waiters.removeValue(forKey: number)?.continuation.resume(throwing: TimedOut(events: events))
  }

  private func settle() {
    for (number, waiter) in waiters where waiter.isDone(self) {
      waiters[number] = nil
      waiter.continuation.resume()
    }
  }

  private func record(_ event: Event) {
    events.append(event)
    settle()
  }

  private func take(_ bytes: UnsafeRawBufferPointer, of link: LinkID) {
    batches.append((link, bytes.count))
    if link == slow {
      transport?.setReceiving(link, false)
      loop.execute { [self] in assumeIsolated { $0.transport?.setReceiving(link, true) } }
    }
    largestBatch = max(largestBatch, bytes.count)
    if let expected {
      isIntact = isIntact && Self.matches(bytes, expected, from: receivedCount)
    } else {
      received.append(contentsOf: bytes)
    }
    receivedCount += bytes.count
    settle()
  }

  private static func matches(_ bytes: UnsafeRawBufferPointer, _ pattern: [UInt8], from position: Int) -> Bool {
    var done = 0
    while done < bytes.count {
      let start = (position + done) % pattern.count
      let count = min(bytes.count - done, pattern.count - start)
      let isEqual = pattern.withUnsafeBytes { memcmp($0.baseAddress! + start, bytes.baseAddress! + done, count) == 0 }
      if !isEqual { return false }
      done += count
    }
    return true
  }
}

extension TestPeer {
  nonisolated func linkOpened(_ link: LinkID, dial: DialID?, peer: PeerID, remote: SocketAddress) {
    assumeIsolated { $0.record(.opened(link, dial: dial, peer: peer)) }
  }

  nonisolated func linkReceived(_ link: LinkID, _ bytes: RawSpan) {
    bytes.withUnsafeBytes { raw in
      nonisolated(unsafe) let raw = raw
      assumeIsolated { $0.take(raw, of: link) }
    }
  }

  nonisolated func linkWritable(_ link: LinkID) {
    assumeIsolated {
      $0.writableCalls += 1
      $0.pump()
      $0.settle()
    }
  }

  nonisolated func linkClosed(_ link: LinkID, _ failure: TransportFailure?) {
    assumeIsolated { $0.record(.closed(link, failure)) }
  }

  nonisolated func dialFailed(_ dial: DialID, to address: SocketAddress, _ failure: TransportFailure) {
    assumeIsolated { $0.record(.dialFailed(dial, failure)) }
  }

  nonisolated func strangerFailed(_ remote: SocketAddress, _ failure: TransportFailure) {
    assumeIsolated { $0.record(.stranger(failure)) }
  }

  nonisolated func strangerRefused(_ remote: SocketAddress, _ refusal: AdmissionGate.Refusal) {
    assumeIsolated { $0.refused += 1 }
  }

  nonisolated func listenerPaused(_ failure: TransportFailure) { assumeIsolated { $0.record(.paused(failure)) } }

  nonisolated func listenerResumed() { assumeIsolated { $0.record(.resumed) } }
}

/// Two transports joined by a link.
struct Pair {
  let dialer: TestPeer
  let listener: TestPeer
  let dialerLink: LinkID
  let listenerLink: LinkID

  /// Connects two fresh peers and runs `body`, then closes everything.
  static func with(
    _ configuration: SecureTransport.Configuration = .init(), _ body: (Pair) async throws -> Void
  ) async throws {
    let (dialer, listener) = (try TestPeer(), try TestPeer())
    do {
      _ = try await dialer.start(configuration)
      let address = try await listener.start(configuration)
      try await dialer.use { $0.connect(DialID(rawValue: 1), to: address) }
      let pair = Pair(
        dialer: dialer, listener: listener, dialerLink: try await dialer.opened(),
        listenerLink: try await listener.opened())
      try await body(pair)
    } catch {
      await dialer.stop()
      await listener.stop()
      throw error
    }
    await dialer.stop()
    await listener.stop()
  }
}

/// Pseudo-random bytes, the same in every run.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var random = SplitMix64(seed: seed)
  return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
}
