import Basics
package import PeerProtocol

/// Links between proven peers, over TCP or another medium: listens, dials, encrypts and queues; the driver knows what the bytes mean.
///
/// Every method must be called on the loop, and ``shutDown(_:)`` before the loop is stopped.
package final class SecureTransport {
  /// Receives the events of all links.
  package weak var delegate: (any SecureTransportDelegate)?

  let loop: EventLoop
  /// How connections are made; nil for TCP.
  let medium: (any LinkMedium)?
  let configuration: Configuration
  let context: TLSContext
  let buffers: ReceiveBuffers

  var gate: AdmissionGate
  /// Strangers that are ready wait here; the gate bounds how many.
  let strangerQueue: StepQueue
  /// Where the handshakes of strangers are computed; nil where the time of another medium may be no machine's.
  let handshakes: HandshakeThread?
  /// Links that are ready wait here while more comes on them than is handled at once.
  let busyQueue: StepQueue
  var links: [LinkID: SecureLink] = [:]
  /// Attempts to connect whose links have not opened yet.
  var dials: Set<DialID> = []
  var listener: Listener?
  private var linksMade: UInt64 = 0
  private var timer: LoopTimer?
  private var unflushed: [SecureLink] = []
  /// Closing links that were members', oldest first.
  private var closing: [LinkID] = []
  private var failedDials: [(DialID, SocketAddress, TransportFailure)] = []
  private var isRoundHandled = false
  private var whenDrained: (() -> Void)?

  /// A transport that neither listens nor dials yet.
  package init(
    loop: EventLoop, identity: TLSIdentity, configuration: Configuration = Configuration(),
    medium: (any LinkMedium)? = nil
  ) throws(TransportFailure) {
    loop.checkIsolated()
    self.loop = loop
    self.medium = medium
    self.configuration = configuration
    context = try TLSContext(identity: identity)
    gate = AdmissionGate(limits: configuration.gate)
    strangerQueue = StepQueue(loop: loop)
    handshakes = medium == nil ? HandshakeThread(of: loop) : nil
    busyQueue = StepQueue(loop: loop)
    buffers = ReceiveBuffers(size: configuration.receiveBuffer)
    timer = loop.makeTimer { [weak self] in self?.expire() }
  }
}

// MARK: - Links

extension SecureTransport {
  /// Queues as many of `bytes` as fit under the high watermark and returns how many.
  ///
  /// They leave at the end of this round of the loop, together with all else that was queued in it. When not all fit,
  /// ``SecureTransportDelegate/linkWritable(_:)`` follows. An unknown link accepts nothing.
  package func send(_ link: LinkID, _ bytes: RawSpan) -> Int {
    guard let link = links[link] else { return 0 }
    defer { link.flushLater() }
    return bytes.withUnsafeBytes { link.enqueue($0) }
  }

  /// The same, but what fits leaves at once; besides, the bytes that are queued afterwards.
  func sendNow(_ link: LinkID, _ bytes: RawSpan) -> (taken: Int, queued: Int) {
    guard let link = links[link] else { return (0, 0) }
    let taken = bytes.withUnsafeBytes { link.send($0) }
    return (taken, link.queuedBytes)
  }

  /// The bytes queued for a link and not yet accepted by the kernel, partly encrypted; 0 for an unknown link.
  package func queuedBytes(_ link: LinkID) -> Int {
    links[link]?.queuedBytes ?? 0
  }

  /// Whether both ends of a link are in this process.
  func isInProcess(_ link: LinkID) -> Bool { links[link]?.isInProcess ?? false }

  /// Ends the probation of an accepted link: it no longer counts against the limits for strangers.
  package func confirm(_ link: LinkID) {
    links[link]?.endProbation()
  }

  /// How many accepted connections are on probation.
  var strangers: Int { gate.waiting }

  /// Stops or resumes reading from a link, so that a peer that sends too much is slowed down by TCP.
  ///
  /// Bytes already read, at most one receive buffer, are still delivered.
  package func setReceiving(_ link: LinkID, _ isReceiving: Bool) {
    links[link]?.setReceiving(isReceiving)
  }

  /// Closes a link without a further callback; `flushing` sends queued bytes and close_notify first.
  package func close(_ link: LinkID, flushing: Bool) {
    links[link]?.close(flushing: flushing)
  }

  /// Ends a link that is to be closed soon, however slowly its peer takes what is still to be sent; tells of it as of any end.
  func limitClosing(_ link: LinkID) {
    links[link]?.limitClosing()
  }

  /// Keying material that only the two ends of this link know (RFC 8446 §7.5); nil for an unknown link.
  package func exportKeyingMaterial(
    _ link: LinkID, label: String, context: [UInt8] = [], count: Int = 32
  ) -> [UInt8]? {
    guard let link = links[link], link.phase == .open else { return nil }
    return try? link.channel.exportKeyingMaterial(label: label, context: context, count: count)
  }

  /// The keying material of a link that a proof of the passcode is bound to; nil for an unknown link.
  func exportPasscodeKey(_ link: LinkID) -> [UInt8]? {
    exportKeyingMaterial(link, label: "EXPORTER-sharedworld-passcode")
  }

  /// The keying material of a link that a code is bound to; nil for an unknown link.
  func exportCodeKey(_ link: LinkID) -> [UInt8]? {
    exportKeyingMaterial(link, label: "EXPORTER-sharedworld-code")
  }

  /// The keying material of a link that the app's driver is given; nil for an unknown link.
  func exportDriverKey(_ link: LinkID) -> [UInt8]? {
    exportKeyingMaterial(link, label: "EXPORTER-sharedworld-driver")
  }

  /// Stops listening and dialling, closes every link with flushing and calls `done` when all are closed.
  ///
  /// That takes at most ``Configuration/lingerTimeout``; no other callback comes after this call.
  package func shutDown(_ done: @escaping () -> Void) {
    loop.checkIsolated()
    delegate = nil
    stopListening()
    dials.removeAll()
    failedDials.removeAll()
    whenDrained = done
    for link in links.values.inOrder(by: { $0.id < $1.id }) { link.close(flushing: true) }
    needsRound()
  }

  /// The shortest round trip that any link to `host` has seen, in nanoseconds.
  func leastRoundTrip(to host: SocketAddress.Host) -> UInt64? {
    links.values.lazy.filter { $0.remote.host == host }.compactMap { $0.path?.leastRoundTrip }.min()
  }

  func nextLinkID() -> LinkID {
    linksMade += 1
    return LinkID(rawValue: linksMade)
  }

  /// Notes that a link of a member is closing, and ends the oldest such link when there are too many.
  func noteClosing(_ link: LinkID) {
    closing.append(link)
    if closing.count > configuration.closingLinks { links[closing[0]]?.evict() }
  }

  /// Removes a closed link and reports its end to the driver.
  func ended(_ link: SecureLink, in phase: SecureLink.Phase, _ failure: TransportFailure?) {
    links[link.id] = nil
    if phase == .draining { closing.removeAll { $0 == link.id } }
    listener?.resumeEarly()
    if whenDrained != nil { needsRound() }
    switch (phase, link.dial) {
    case (.open, _): delegate?.linkClosed(link.id, failure)
    case (.connecting, let dial?), (.handshaking, let dial?): dialEnded(dial, to: link.remote, failure)
    case (.handshaking, nil), (.away, _), (.back, _): failure.map { delegate?.strangerFailed(link.remote, $0) }
    case (.connecting, nil), (.draining, _), (.closed, _): break
    }
    updateTimer()
  }
}

// MARK: - Rounds and deadlines

extension SecureTransport: RoundHandler {
  /// Asks to flush `link` when the round is over.
  func needsFlush(_ link: SecureLink) {
    unflushed.append(link)
    needsRound()
  }

  /// Reports a failed dial when the round is over, because the driver may be in the middle of asking for it.
  func report(_ dial: DialID, to address: SocketAddress, _ failure: TransportFailure) {
    failedDials.append((dial, address, failure))
    needsRound()
  }

  private func needsRound() {
    guard !isRoundHandled else { return }
    isRoundHandled = true
    loop.atEndOfRound(self)
  }

  /// Sends the bytes queued in this round; called by the loop.
  package func endRound() {
    isRoundHandled = false
    for (dial, address, failure) in exchange(&failedDials, with: []) {
      delegate?.dialFailed(dial, to: address, failure)
    }
    for link in exchange(&unflushed, with: []) { link.flushQueued() }
    if links.isEmpty, let done = whenDrained.take() { done() }
  }

  /// Sets the timer to the earliest deadline of a link or the listener.
  func updateTimer() {
    let deadlines = [links.values.lazy.compactMap(\.deadline).min(), listener?.deadline]
    timer?.deadline = deadlines.compactMap(\.self).min()
  }

  private func expire() {
    let now = loop.now
    for link in links.values.filter({ $0.isOverdue(at: now) }).inOrder(by: { $0.id < $1.id }) { link.expire() }
    listener?.expire(at: now)
    updateTimer()
  }
}
