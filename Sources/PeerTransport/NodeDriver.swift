import Authentication
package import Basics
package import PeerProtocol
package import WorldModel

/// Runs one ``Node`` on an event loop: feeds it received bytes, carries out its outputs, and sleeps until its deadline.
///
/// It is confined to its loop. After every input it does what the node orders; what links have to send it asks for when
/// the round of the loop is over, so that all that a round causes leaves in one write for each link, and the first link
/// need not wait until there is something to write for the last.
package final class NodeDriver {
  /// Called on the loop after each turn with the node's events, in order.
  package var onEvents: ([NodeEvent]) -> Void = { _ in }
  /// Called on the loop with a check to be run elsewhere, whose verdict then goes to the node; false when it cannot be
  /// taken, and it is run at once.
  package var onCheck: (ChunkCheck) -> Bool = { _ in false }
  /// Called on the loop with what the node wants of the cache; the driver of a node without one is never asked.
  package var onCache: (CacheWish) -> Void = { _ in }
  /// Called on the loop with a chunk of a resource to be read, which then goes to the node.
  package var onLoad: (ChunkLoad) -> Void = { _ in }
  /// Called on the loop with what the node wants kept, which replaces all it gave before; only if its configuration says so.
  package var onRecord: (NodeRecord) -> Void = { _ in }
  /// Called on the loop with what goes wrong beside the links.
  package var onTrouble: (LinkTrouble) -> Void = { _ in }

  /// Inputs of the node so far; a look at it is none.
  package private(set) var turns: UInt64 = 0

  private var node: Node

  /// A queue up to which the node may go on at once: below the transport's low watermark, so that it always says when a
  /// longer one has drained.
  private static let roomyQueue = 16 * 1024

  let transport: SecureTransport
  /// Received bytes whose peers have cost too much wait here.
  let intake: Intake
  private var timer: LoopTimer?
  private var addresses: AddressFollower?
  /// Bytes the transport had no room for, by link.
  private var backlog: [LinkID: ArraySlice<UInt8>] = [:]
  /// Links that close when their backlog has left.
  private var closing: Set<LinkID> = []
  private var events: [NodeEvent] = []
  private var isRoundHandled = false
  private var isTransmitting = false
  /// Links that accepted all bytes so far: their next bytes leave in the next round, after the other links' turn.
  private var relieved: [LinkID] = []
  private var suspended: UInt64
  /// The round of the loop in which a suspension was last looked for.
  private var roundOfLastLook: UInt64 = 0

  /// A driver for a node that was configured for this identity, to be made on the loop; `record` is what an earlier start
  /// of it has kept.
  ///
  /// Connections are made by `medium`, or over TCP without one.
  package init(
    loop: EventLoop, identity: TLSIdentity, configuration: NodeConfiguration, restoring record: NodeRecord? = nil,
    medium: (any LinkMedium)? = nil
  ) throws(TransportFailure) {
    var configuration = configuration
    configuration.wallClock = MonotonicClock.world - min(loop.now / 1_000_000, MonotonicClock.world)
    node = Node(configuration, restoring: record, at: Instant(nanoseconds: Int64(loop.now)))
    suspended = Self.suspendedTime(at: loop.now)
    transport = try SecureTransport(loop: loop, identity: identity, medium: medium)
    intake = Intake(loop: loop)
    transport.delegate = self
    intake.owner = self
    timer = loop.makeTimer { [unowned self] in turn(.tick) }
  }

  /// Listens, tells the node every address of this machine, now and when they change, and returns the port; where any port will do, `preferred` if it
  /// is free.
  package func listen(
    on address: SocketAddress, preferring preferred: UInt16? = nil
  ) throws(TransportFailure) -> UInt16 {
    let wish = address.port == 0 ? preferred : nil
    let listening =
      if let wish, let address = try? transport.listen(on: address.with(port: wish)) { address } else {
        try transport.listen(on: address)
      }
    // The addresses of another medium are not this machine's.
    if transport.medium == nil {
      addresses = AddressFollower(loop: transport.loop, listeningOn: listening) {
        [unowned self] in turn(.addresses($0))
      }
    }
    turn(.addresses(listening.reachable))
    return listening.port
  }

  /// Serves a stream that somebody in this process has begun, as a connection from outside.
  package func admit(_ stream: any ByteStream, from remote: SocketAddress) {
    _ = transport.admit(stream, from: remote)
  }

  /// Gives the node one input of the app, which is one turn, and carries out its outputs.
  @discardableResult
  package func handle(_ input: Input) -> Answer {
    // It may end links, and their waiting bytes with them.
    if !input.isTimeless { transmit(atOnce: false) }
    return turn(input)
  }

  /// Bytes handed over for a link that the kernel has not accepted yet.
  package func queuedBytes(on link: LinkID) -> Int {
    transport.queuedBytes(link) + (backlog[link]?.count ?? 0)
  }

  /// Lends the node to be read, at the present time; it is not copied, and nothing happens afterwards.
  package func read<R>(_ body: (inout Node, Instant) -> R) -> R { body(&node, now) }

  /// Lends the node in place: a property that is read of a property of a class is read of a copy, here of some kilobytes.
  @inline(__always)
  @discardableResult
  private func ask<R>(_ body: (inout Node) -> R) -> R { body(&node) }

  /// Flushes and closes every link and stops listening; returns when all of it is done.
  package func shutDown(_ done: @escaping () -> Void) {
    transmit(atOnce: false)
    timer?.deadline = nil
    addresses?.stop()
    addresses = nil
    intake.stop()
    transport.shutDown(done)
  }

  @discardableResult
  private func turn(_ input: Input) -> Answer {
    let now = self.now
    noticeSuspension(at: now)
    turns += 1
    let answer = node.handle(input, at: now)
    finishTurn()
    return answer
  }

  /// Carries out the node's orders after a turn, and passes its events on.
  private func finishTurn() {
    drain()
    setTimer()
    guard !events.isEmpty else { return }
    let batch = events
    events.removeAll(keepingCapacity: true)
    onEvents(batch)
  }

  private func setTimer() {
    // Where the round is to be ended, that does it once for all its turns.
    guard !isRoundHandled else { return }
    timer?.deadline = ask { $0.deadline }.map { UInt64(max(0, $0.nanoseconds)) }
  }

  private func drain() {
    if ask({ $0.mayHaveOrders }) { carryOutOrders() }
    requestRound()
  }

  private func carryOutOrders() {
    // To nil, which lets go of those that are carried out.
    while let order = node.nextOrder() {
      switch order {
      case .connect(let dial, let address):
        transport.connect(dial, to: address)
      case .transmit(let link, let bytes): transmit(bytes[...], on: link, atOnce: false)
      case .close(let link): close(link)
      case .admitted(let link):
        transport.confirm(link)
        intake.admit(link)
      case .check(let check):
        if !onCheck(check) { node.handle(.chunkChecked(check.run()), at: now) }
      case .load(let load): onLoad(load)
      case .find(let search): onCache(.find(search))
      case .keep(let hash, let chunk): onCache(.keep(hash, chunk))
      case .persist(let record): onRecord(record)
      case .event(let event): events.append(event)
      }
    }
  }

  private func requestRound() {
    guard !isRoundHandled, ask({ $0.hasTransmissions }) else { return }
    isRoundHandled = true
    transport.loop.atEndOfRound(self)
  }

  /// Transmits each link's waiting bytes, one link after the other.
  private func transmit(atOnce: Bool) {
    isTransmitting = true
    while let (link, bytes) = node.nextTransmission() {
      if transmit(bytes[...], on: link, atOnce: atOnce) { node.reuse(bytes) }
    }
    isTransmitting = false
    for link in relieved { ask { $0.handle(.taken(link), at: $0.time) } }
    relieved.removeAll(keepingCapacity: true)
  }

  /// Gives bytes to the transport; whether they are needed no more.
  @discardableResult
  private func transmit(_ bytes: ArraySlice<UInt8>, on link: LinkID, atOnce: Bool) -> Bool {
    if backlog[link] != nil {
      backlog[link]?.append(contentsOf: bytes)
      return true
    }
    let (taken, queued) =
      atOnce
      ? transport.sendNow(link, bytes.span.bytes)
      : (transport.send(link, bytes.span.bytes), transport.queuedBytes(link))
    guard taken == bytes.count else {
      // It follows when there is room.
      backlog[link] = bytes.dropFirst(taken)
      return false
    }
    if queued <= Self.roomyQueue { relieved.append(link) }
    return true
  }

  /// Closes once everything has left, the backlog included: a goodbye must not be cut off.
  private func close(_ link: LinkID) {
    if intake.forget(link) {
      backlog[link] = nil
    } else if backlog[link] == nil {
      transport.close(link, flushing: true)
    } else {
      closing.insert(link)
      transport.limitClosing(link)
    }
  }

  /// Tells the node that the machine was suspended.
  ///
  /// It is looked for once a round, behind the sleep that begins it.
  private func noticeSuspension(at now: Instant) {
    let round = transport.loop.rounds
    guard round != roundOfLastLook else { return }
    roundOfLastLook = round
    let total = Self.suspendedTime(at: UInt64(now.nanoseconds))
    // Reading two clocks one after the other differs by microseconds; a suspension takes far longer.
    guard total > suspended + 100_000_000 else { return }
    let gap = Duration.nanoseconds(Int64(total - suspended))
    suspended = total
    node.handle(.clockJumped(by: gap), at: now)
  }

  private var now: Instant { Instant(nanoseconds: Int64(transport.loop.now)) }

  /// How long the machine has been suspended since it started (nanoseconds).
  ///
  /// By a clock that passes faster than that of the machine it never was.
  private static func suspendedTime(at monotonic: UInt64) -> UInt64 {
    max(MonotonicClock.boot, monotonic) - monotonic
  }
}

extension NodeDriver: RoundHandler {
  /// Transmits what links have waiting; called by the loop.
  package func endRound() {
    transmit(atOnce: true)
    isRoundHandled = false
    // To write for a link may have ended it.
    if ask({ $0.hasOrders }) { return finishTurn() }
    requestRound()
    setTimer()
  }
}

extension NodeDriver: IntakeOwner {
  func handle(_ bytes: RawSpan, of link: LinkID, until isSpent: () -> Bool) -> Int {
    let now = self.now
    noticeSuspension(at: now)
    turns += 1
    let used = node.receive(bytes, on: link, at: now, until: isSpent)
    finishTurn()
    return used
  }

  func setReceiving(_ link: LinkID, _ isReceiving: Bool) { transport.setReceiving(link, isReceiving) }

  func concludeEnd(of link: LinkID) {
    backlog[link] = nil
    turn(.linkClosed(link))
  }
}

extension NodeDriver: SecureTransportDelegate {
  package func linkOpened(_ link: LinkID, dial: DialID?, peer: PeerID, remote: SocketAddress) {
    intake.open(link, of: peer, isStranger: dial == nil)
    turn(
      .linkOpened(
        link, peer: peer, dial: dial, remote: remote, secrets: secrets(of: link),
        isInProcess: transport.isInProcess(link)))
  }

  /// The secrets that the exchanges on a link need; none for those that do not take place.
  private func secrets(of link: LinkID) -> LinkSecrets {
    let (hasPasscode, showsCodes, hasDriver) = ask {
      ($0.configuration.passcode != nil, $0.configuration.showsCodes, $0.configuration.driverTime != nil)
    }
    return LinkSecrets(
      passcode: hasPasscode ? secrets(transport.exportPasscodeKey(link)) : nil,
      code: showsCodes ? secrets(transport.exportCodeKey(link)) : nil,
      driver: hasDriver ? transport.exportDriverKey(link) : nil)
  }

  /// An exporter with fresh random bytes; nil if either cannot be had.
  private func secrets(_ exporter: [UInt8]?) -> ChannelSecrets? {
    guard let exporter else { return nil }
    var entropy = [UInt8](repeating: 0, count: ChannelSecrets.entropySize)
    defer { entropy.wipe() }
    guard TLSIdentity.fillWithSecretBytes(&entropy) else { return nil }
    return ChannelSecrets(exporter: exporter, entropy: SecretBytes(copying: entropy))
  }

  package func linkReceived(_ link: LinkID, _ bytes: RawSpan) { intake.take(bytes, of: link) }

  package func linkWritable(_ link: LinkID) {
    if let rest = backlog.removeValue(forKey: link) { transmit(rest, on: link, atOnce: false) }
    guard backlog[link] == nil else { return }
    if closing.remove(link) != nil {
      transport.close(link, flushing: true)
      return
    }
    if isTransmitting {
      relieved.append(link)
    } else {
      turn(.writable(link))
    }
  }

  package func linkClosed(_ link: LinkID, _ failure: TransportFailure?) {
    closing.remove(link)
    if intake.end(link) { concludeEnd(of: link) }
  }

  package func dialConnected(_ dial: DialID) {
    turn(.dialConnected(dial))
  }

  package func dialFailed(_ dial: DialID, to address: SocketAddress, _ failure: TransportFailure) {
    onTrouble(.dialFailed(address, failure))
    turn(.dialFailed(dial, refused: failure.isRefusal))
  }

  package func isMember(at host: SocketAddress.Host) -> Bool {
    node.isMember(at: host)
  }

  package var memberHosts: [SocketAddress.Host] { node.memberHosts }

  package func listenerPaused(_ failure: TransportFailure) { onTrouble(.listenerPaused(failure)) }

  package func listenerResumed() { onTrouble(.listenerResumed) }

  package func strangerFailed(_ remote: SocketAddress, _ failure: TransportFailure) {
    onTrouble(.strangerFailed(remote, failure))
  }

  package func strangerRefused(_ remote: SocketAddress, _ refusal: AdmissionGate.Refusal) {
    onTrouble(.strangerRefused(remote, refusal))
  }
}

/// A request of the node to the cache.
package enum CacheWish: Sendable {
  /// Look for chunks; the answer is ``Input/chunksFound(_:_:isLast:)``.
  case find(ChunkSearch)
  /// Keep a chunk.
  case keep(SHA256Digest, StoredChunk)
}
