import Basics
import PeerProtocol

/// One connection: its stream of bytes, its TLS channel and its queue.
///
/// A link begins as a stranger's, and most of what is here keeps strangers from costing members anything. A stranger is
/// served by turns (`StepQueue`), reads little at once, and has its handshake computed on a thread of its own: a step
/// of it takes tenths of a millisecond, which nothing divides. Meanwhile the link is ``Phase/away``: that thread has
/// the channel, and this one touches nothing of it, not even where the link ends.
///
/// Sending has the opposite aim: not to be early. The node gives bytes up to a high watermark, so that an urgent frame
/// never stands behind more than that, and they leave when the round is over, in few large writes. ``send(_:)``
/// encrypts bytes where they are, as far as the socket takes them; the queue is for the rest. A link that fills the
/// slowest hop bounds its bytes in flight, or the pictures of a map would delay the poses of everybody behind that hop
/// (`DelayControl`).
///
/// Closing is a phase of its own, ``Phase/draining``. A socket that is closed with unread bytes makes the kernel send a
/// reset, which destroys what is still on its way, and with it the goodbye that says why. So what is queued leaves
/// first, then TLS's own end, and the socket stays open until the peer has closed it or a deadline has passed.
///
/// The driver calls and is called on the loop, never from inside a call of its own. The phases of strangers, and all
/// times, are in Documentation/transport.md.
final class SecureLink: EventHandler {
  enum Phase {
    /// TCP is being set up by us.
    case connecting
    /// TLS is being set up.
    case handshaking
    /// A step of that is taken on another thread, and nothing else touches the channel.
    case away
    /// The step was taken, and the link waits for its turn to go on.
    case back
    /// Bytes flow.
    case open
    /// We are closing: the queue is flushed, and received bytes are discarded.
    case draining
    /// The stream is closed.
    case closed
  }

  /// Bytes of a stranger that are read at once.
  private static let strangerStep = 2048

  let id: LinkID
  let remote: SocketAddress
  let dial: DialID?
  let channel: TLSChannel
  private(set) var phase: Phase
  private(set) var deadline: UInt64?

  // A cycle until the link is closed: the poller retains the link.
  private let transport: SecureTransport
  private let stream: any ByteStream
  private let queue: ByteQueue
  /// Bytes that leave before the queue, which is empty: they are lent while they are sent.
  private var lent = UnsafeRawBufferPointer(start: nil, count: 0)
  private var interest: Readiness = []
  private var reading: Reading
  private var isOnProbation: Bool
  /// Whether nothing has come yet on a connection from outside.
  private var isSilent: Bool
  /// When a closing link ends, however much still leaves.
  private var closesBy = UInt64.max
  private var isFlushPending = false
  private var isWritableAwaited = false
  private var hasFinished = false
  private var delayControl: DelayControl
  private var nextLook: UInt64 = 0

  /// Takes over a stream that is connecting (with `dial`) or was accepted (without) and starts to serve it.
  init(
    _ stream: any ByteStream, id: LinkID, remote: SocketAddress, dial: DialID?, transport: SecureTransport
  ) throws(TransportFailure) {
    self.id = id
    channel = try TLSChannel(context: transport.context, role: dial == nil ? .listener : .dialer)
    queue = ByteQueue(capacity: transport.configuration.highWatermark)
    delayControl = DelayControl(target: transport.configuration.delayTarget)
    self.remote = remote
    self.dial = dial
    self.transport = transport
    phase = dial == nil ? .handshaking : .connecting
    isOnProbation = dial == nil
    isSilent = dial == nil
    self.stream = stream
    reading = Reading(room: transport.configuration.receiveBuffer)
    interest = dial == nil ? .readable : .writable
    try stream.open(interest, on: transport.loop, handler: self, limits: transport.configuration)
    let limit = dial == nil ? transport.configuration.firstByteTimeout : transport.configuration.connectTimeout
    deadline = transport.loop.now + limit
  }

  /// Whether TLS is being set up.
  private var isShakingHands: Bool {
    switch phase {
    case .handshaking, .away, .back: true
    case .connecting, .open, .draining, .closed: false
    }
  }

  /// The state of the path to the peer.
  var path: PathState? { stream.path }

  var isInProcess: Bool { stream.isInProcess }

  func handle(_ readiness: Readiness) {
    if phase == .connecting { return finishConnecting() }
    if isOnProbation {
      transport.strangerQueue.add(self, readiness)
    } else if reading.isReduced {
      transport.busyQueue.add(self, readiness)
    } else {
      serve(readiness)
    }
  }

  /// Reads and writes what the stream is ready for; on a link that waits for its turn, once that has come.
  func serve(_ readiness: Readiness) {
    switch phase {
    case .closed: return
    // Nothing was waited for, so the connection has failed.
    case .away: return end(.truncated)
    case .back: return goOn()
    case .connecting, .handshaking, .open, .draining: break
    }
    if !readiness.isDisjoint(with: [.readable, .hangUp]) { receive() }
    if phase != .closed, readiness.contains(.writable) { flush() }
  }

  private func finishConnecting() {
    if let failure = stream.connectFailure { return end(failure) }
    phase = .handshaking
    deadline = transport.loop.now + transport.configuration.dialledHandshakeTimeout
    transport.updateTimer()
    if let dial { transport.delegate?.dialConnected(dial) }
    // The driver may have ended it at once.
    guard phase == .handshaking else { return }
    advance(with: UnsafeRawBufferPointer(start: nil, count: 0))
  }
}

// MARK: - Receiving

extension SecureLink {
  private func receive() {
    guard let count = receive(atMost: reading.most), phase != .draining else { return }
    if isSilent { noteFirstByte() }
    let cipher = UnsafeRawBufferPointer(rebasing: transport.buffers.cipher[..<count])
    if phase == .handshaking, isOnProbation, let thread = transport.handshakes {
      shakeHands(over: Array(cipher), on: thread)
    } else {
      advance(with: cipher)
      reading.note(count)
    }
  }

  /// Reads into the buffer of received bytes; nil for nothing.
  private func receive(atMost most: Int) -> Int? {
    // A stranger's step is short: it has nothing long to say, and many records of a few bytes take long to decrypt.
    let step = !isOnProbation ? Int.max : phase == .open ? Self.strangerStep : TLSChannel.recordSize
    let room = min(most, step, transport.buffers.cipher.count)
    let buffer = UnsafeMutableRawBufferPointer(rebasing: transport.buffers.cipher[..<room])
    switch stream.receive(into: buffer) {
    case .moved(let count): return count
    case .blocked: break
    case .failed(let failure): end(failure)
    case .ended: end(.truncated)
    }
    return nil
  }

  /// A connection that has begun to speak gets the time for a handshake.
  private func noteFirstByte() {
    isSilent = false
    deadline = transport.loop.now + transport.configuration.handshakeTimeout
    transport.updateTimer()
  }

  /// Lets another thread take a step of the handshake; the link goes on when it has its turn after that.
  private func shakeHands(over bytes: [UInt8], on thread: HandshakeThread) {
    assert(phase == .handshaking && isOnProbation, "a step of a handshake is taken twice at once")
    phase = .away
    transport.gate.beginComputing(for: id, at: transport.loop.now)
    // A step that hangs is ended too; its time is not taken from the peer's.
    deadline = deadline.map { $0 + transport.configuration.handshakeTimeout }
    updateInterest(writable: false)
    // Lent: until the step was taken this thread leaves the channel alone, also where the link ends meanwhile.
    nonisolated(unsafe) let link = self
    let loop = transport.loop
    thread.run {
      link.channel.shakeHands(over: bytes)
      loop.execute { link.comeBack() }
    }
  }

  /// The step was taken.
  private func comeBack() {
    guard phase == .away else { return }
    phase = .back
    transport.strangerQueue.add(self, [])
  }

  private func goOn() {
    assert(phase == .back, "the channel is still away")
    phase = .handshaking
    let time = transport.gate.endComputing(for: id, at: transport.loop.now)
    deadline = deadline.map { $0 - transport.configuration.handshakeTimeout + time }
    transport.updateTimer()
    switch channel.step {
    case .success(let rest): rest.withUnsafeBytes { advance(with: $0) }
    case .failure(let failure): fail(failure)
    }
  }

  /// Feeds received bytes to TLS and delivers the plaintext.
  private func advance(with cipher: UnsafeRawBufferPointer) {
    channel.lend(cipher)
    defer { channel.endLoan() }
    do throws(TransportFailure) {
      if phase == .handshaking, try channel.handshake() { open() }
      while phase == .open, channel.mayHaveMore {
        let count = try channel.decrypt(into: transport.buffers.plain)
        if count == 0 { break }
        let plain = UnsafeRawBufferPointer(rebasing: transport.buffers.plain[..<count])
        transport.delegate?.linkReceived(id, RawSpan(_unsafeBytes: plain))
      }
      if phase == .open, channel.isClosedByPeer {
        channel.finish()
        sendOutput()
        end(nil)
      } else if phase != .closed {
        flush()
      }
    } catch {
      fail(error)
    }
  }

  /// Ends a link whose TLS has failed.
  private func fail(_ failure: TransportFailure) {
    // The alert in the output names the reason to the peer, if it can still be sent.
    sendOutput()
    end(failure)
  }

  private func open() {
    guard let peer = channel.peer else { return }
    phase = .open
    deadline = nil
    transport.updateTimer()
    if isOnProbation { transport.gate.note(.open, of: id) }
    if let dial { transport.dials.remove(dial) }
    transport.delegate?.linkOpened(id, dial: dial, peer: peer, remote: remote)
  }

  func setReceiving(_ isOn: Bool) {
    reading.isOn = isOn
    updateInterest(writable: interest.contains(.writable))
  }
}

// MARK: - Sending

extension SecureLink {
  /// The bytes not accepted by the kernel yet.
  var queuedBytes: Int { queue.count + channel.output.count }

  func enqueue(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard phase == .open else { return 0 }
    let accepted = queue.append(bytes)
    if accepted < bytes.count || queuedBytes > transport.configuration.lowWatermark { isWritableAwaited = true }
    return accepted
  }

  /// Sends bytes at once, without a copy as far as the socket takes them, and queues the rest; returns how many it took.
  func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard phase == .open else { return 0 }
    // Waiting bytes go first, and a link that waits for the socket goes on when the socket says so. Nothing is
    // announced before the caller knows how much was taken.
    guard queue.count == 0, !interest.contains(.writable) else {
      flushLater()
      return enqueue(bytes)
    }
    assert(lent.isEmpty, "bytes are lent while others are")
    lent = bytes
    flush()
    let rest = exchange(&lent, with: UnsafeRawBufferPointer(start: nil, count: 0))
    // Of a link that has ended nothing is kept.
    guard phase == .open else { return bytes.count }
    // Also where no rest is left: what is encrypted may be more than the kernel takes, and its end is announced then.
    return bytes.count - rest.count + enqueue(rest)
  }

  /// Flushes when the round is over.
  func flushLater() {
    guard phase == .open, !isFlushPending else { return }
    isFlushPending = true
    transport.needsFlush(self)
  }

  /// Sends queued bytes, unless the socket has no room.
  func flushQueued() {
    isFlushPending = false
    guard phase != .closed else { return }
    // A link that waits for the socket continues when the socket is writable.
    if interest.contains(.writable) { announceRoom() } else { flush() }
  }

  /// Encrypts and sends until the queue is empty or the kernel accepts no more.
  private func flush() {
    do throws(TransportFailure) {
      repeat {
        try fillOutput()
      } while !channel.output.isEmpty && sendOutput()
    } catch {
      return end(error)
    }
    guard phase != .closed else { return }
    // Output is left: this link fills the queue of the slowest hop, so its delay matters.
    if !channel.output.isEmpty { limitDelay() }
    updateInterest(writable: !channel.output.isEmpty)
    if phase == .draining, hasFinished, channel.output.isEmpty { stream.finishSending() }
    announceRoom()
  }

  /// Lowers the bound on bytes in flight of a saturated link while the network queues its bytes.
  private func limitDelay() {
    let now = MonotonicClock.now
    guard now >= nextLook, let path else { return }
    nextLook = now + DelayControl.interval
    // Another link to the same host may have seen the way empty.
    let least = transport.leastRoundTrip(to: remote.host) ?? path.leastRoundTrip
    let before = delayControl.window
    delayControl.note(delay: path.roundTrip - min(least, path.roundTrip), inFlight: path.inFlight)
    if let window = delayControl.window, window != before { stream.limitInFlight(window) }
  }

  private func fillOutput() throws(TransportFailure) {
    guard phase == .open || phase == .draining else { return }
    while !lent.isEmpty, channel.output.count < transport.configuration.sendSize, channel.hasRoom {
      lent = UnsafeRawBufferPointer(rebasing: lent[try channel.encrypt(lent)...])
    }
    while queue.count > 0, channel.output.count < transport.configuration.sendSize, channel.hasRoom {
      queue.consume(try channel.encrypt(queue.bytes))
    }
    if phase == .draining, queue.count == 0, !hasFinished {
      hasFinished = true
      channel.finish()
    }
  }

  /// Sends encrypted bytes once; returns whether the kernel accepted all of them.
  @discardableResult
  private func sendOutput() -> Bool {
    let output = channel.output
    guard !output.isEmpty else { return true }
    let most = min(output.count, delayControl.sendSize)
    switch stream.send(UnsafeRawBufferPointer(rebasing: output[..<most])) {
    case .blocked: return false
    case .ended, .failed:
      // The peer is gone. Its last bytes may still be in the receive buffer: reading ends the link.
      queue.removeAll()
      channel.consumeOutput(output.count)
      return true
    case .moved(let count):
      channel.consumeOutput(count)
      extendClosing()
      return count == output.count
    }
  }

  /// Tells the driver once that a queue that had risen over the low watermark is low again.
  private func announceRoom() {
    guard phase == .open, isWritableAwaited, queuedBytes <= transport.configuration.lowWatermark else { return }
    isWritableAwaited = false
    transport.delegate?.linkWritable(id)
  }

  private func updateInterest(writable: Bool) {
    var wanted: Readiness = phase == .away || phase == .open && !reading.isOn ? [] : .readable
    if writable { wanted.insert(.writable) }
    guard wanted != interest, phase != .closed else { return }
    interest = wanted
    do throws(TransportFailure) {
      try stream.await(wanted)
    } catch {
      end(error)
    }
  }
}

// MARK: - Closing

extension SecureLink {
  func close(flushing: Bool) {
    switch phase {
    case .open where flushing: drain()
    case .draining where flushing, .closed:
      break
    case .connecting, .handshaking, .away, .back, .open, .draining:
      // No driver waits for it.
      phase = .draining
      end(nil)
    }
  }

  /// Sends what is queued and waits a moment for the peer; a stranger keeps its place at the gate meanwhile.
  private func drain() {
    assert(phase == .open, "nothing is flushed before the peer is known")
    phase = .draining
    closesBy = transport.loop.now + transport.configuration.closeTimeout
    if isOnProbation { transport.gate.note(.draining, of: id) } else { transport.noteClosing(id) }
    endsWithin(transport.configuration.lingerTimeout)
    transport.needsFlush(self)
  }

  /// Gives a closing link more time while its peer takes what is queued; a stranger gets none.
  private func extendClosing() {
    guard phase == .draining, !isOnProbation, !hasFinished else { return }
    // The timer stays: when it fires too early, it finds this deadline. To set it costs a look at every link.
    deadline = min(closesBy, transport.loop.now + transport.configuration.lingerTimeout)
  }

  /// Sets the deadline of a link that is to close (ns from now); a stranger gets less time.
  private func endsWithin(_ time: UInt64) {
    deadline = transport.loop.now + (isOnProbation ? transport.configuration.strangerLingerTimeout : time)
    transport.updateTimer()
  }

  /// Ends a link at once whose place another one needs.
  func evict() {
    // Of a link that is closing, what the kernel holds may still arrive.
    end(.handshakeTimedOut, discarding: isShakingHands)
  }

  /// Ends an open link soon, however much is still to leave.
  func limitClosing() {
    guard phase == .open, deadline == nil else { return }
    endsWithin(transport.configuration.closeTimeout)
  }

  func isOverdue(at now: UInt64) -> Bool { deadline.map { $0 <= now } ?? false }

  /// Ends a link whose deadline has passed.
  func expire() {
    switch phase {
    case .connecting: end(.connectTimedOut)
    case .handshaking, .away, .back: end(.handshakeTimedOut)
    case .open, .draining: end(.cancelled)
    case .closed: break
    }
  }

  func endProbation() {
    guard isOnProbation else { return }
    isOnProbation = false
    transport.gate.release(id)
  }

  /// Closes the stream and reports; every path of a link ends here, once.
  private func end(_ failure: TransportFailure?, discarding: Bool = false) {
    guard phase != .closed else { return }
    let last = phase
    phase = .closed
    deadline = nil
    endProbation()
    stream.close(discarding: discarding)
    transport.ended(self, in: last, failure)
  }
}
