import Basics
import WorldModel

/// The organ of the connections: greeting, the choice of one control link to each peer, bulk links, keep-alive.
///
/// Every organ speaks to peers, and a peer is wherever its key answers; but what arrives is connections, and there are
/// more of them than peers. Two peers that find each other dial at the same moment, a peer is dialled at all of its
/// addresses, a process starts again while TCP still believes in the one before, and strangers come from anywhere.
///
/// Of the connections to one peer one carries everything. Each end has to choose the same one without asking, so the
/// choice depends only on what both know: the one that the lower id dialled. A rule by age would not do, since each end
/// sees another order. It must not choose between two starts of a peer: a dead process cannot say that it is dead, and
/// if its connection were kept, the new one would be turned away until TCP gives up. So a hello says the start, and a
/// later one ends all that came before (``closeOlderStarts(than:in:)``). Which start is later only the connections
/// tell, and a hello may overtake another; a start that has given way and comes back is a second process with the same
/// identity, and the app is told.
///
/// A connection is a stranger's until its peer is a member: it has a deadline, little room, and places of which there
/// are few, so that one who only connects costs almost nothing. A second connection, for pieces of maps, is opened
/// beside the one that carries everything else, since a map of 100 MB in front of an anchor makes it late by seconds;
/// it lives no longer than the first (`Links+Bulk.swift`).
///
/// Closing has consequences in every organ, which may close further links. So a method that closes one returns and is
/// called again, rather than going on with what it knew of the others.
struct Links: Organ {
  var links = PerLink<Link>()
  /// The links as every organ sees them.
  var directory = LinkDirectory()
  /// The second connections to members.
  var bulk = BulkLinks()
  /// Starts of peers that gave way to later ones.
  private var replaced = ReplacedStarts()
  /// Where this peer listens.
  private var addresses: [SocketAddress]
  /// No link on which both sides said hello needs a ping or is dead before this moment; what moves later meanwhile is found
  /// when it comes.
  private var keepAliveAt = Instant.distantFuture
  /// The node is called this often at least, since a gap shows that this process stood still.
  ///
  /// Within a process nobody waits for it.
  private(set) var pulse = ProtocolTimes.ping

  init(addresses: [SocketAddress]) {
    self.addresses = addresses
  }

  // MARK: The driver

  /// A TLS connection is up; `dial` is nil when the other side dialled, `arrival` says whom a dial has led to.
  mutating func open(
    _ id: LinkID, peer: PeerID, dial: DialID?, remote: SocketAddress, arrival: DialArrival, isInProcess: Bool,
    in turn: inout Turn
  ) {
    let link = directory.open(
      id, peer: peer, remote: remote, isDialled: dial != nil, offering: turn.capabilities(toward: peer))
    links.begin(
      link,
      with: Link(peer: peer, remote: remote, isDialled: dial != nil, isInProcess: isInProcess, at: turn.now))
    setPulse()
    turn.outbox.open(link)
    turn.mesh.publish(links: directory)
    guard peer != turn.me.peer else { return close(link, .ended(.ownIdentity), in: &turn) }
    guard turn.configuration.admits(peer) else {
      // A peer that this side has dialled learns nothing; one that has dialled learns that it need not wait.
      return close(link, dial == nil ? .ended(.refused) : .dropped, in: &turn)
    }
    guard let dial else {
      if strangerCount > ProtocolLimits.strangerLinks { close(link, .ended(.limitExceeded), in: &turn) }
      return
    }
    if let (member, token) = bulk.takeDial(dial) { return bulkOpened(link, to: member, token, in: &turn) }
    // Another key than the one that was dialled learns nothing, not even a name.
    if arrival == .foreign { return close(link, .dropped, in: &turn) }
    guard let kept = directory.carrier(of: peer) else { return sendHello(on: link, in: &turn) }
    // An address that is told wrongly leads to another member: it must not replace the link to that.
    if arrival == .otherMember { return close(link, .dropped, in: &turn) }
    // A second address of the same peer answered too: it learns nothing of this link and keeps the first.
    guard links[kept]?.isDialled == true else { return sendHello(on: link, in: &turn) }
    turn.tell(.carries(kept))
    turn.tell(.close(link, nil))
  }

  private var strangerCount: Int {
    directory.all.count { links[$0]?.kind == .greeting || links[$0]?.kind == .stranger }
  }

  /// The driver says that a connection is gone.
  mutating func lost(_ id: LinkID, in turn: inout Turn) {
    if let link = directory.link(id) { close(link, .lost, in: &turn) }
  }

  /// A dial came to nothing.
  mutating func dialFailed(_ dial: DialID, in turn: borrowing Turn) { bulk.dialFailed(dial, at: turn.now) }

  /// All that was handed over for a link has left.
  mutating func regainRoom(on id: LinkID, in turn: inout Turn) {
    guard let link = directory.link(id) else { return }
    if links.update(link, { $0.regainRoom() }) == true { turn.flush(link) }
  }

  /// This peer listens elsewhere.
  mutating func changeAddresses(_ new: [SocketAddress]) { addresses = new }

  // MARK: Receiving

  /// The link on which bytes arrive, and the start of an incomplete frame on it.
  mutating func beginReceiving(on id: LinkID, at now: Instant) -> (link: LinkRef, begun: [UInt8])? {
    guard let link = directory.link(id), let begun = links.update(link, { $0.beginReceiving(at: now) }) else {
      return nil
    }
    return (link, begun)
  }

  /// Books received bytes, and keeps the start of an incomplete frame.
  mutating func endReceiving(_ rest: consuming [UInt8], after count: Int, on link: LinkRef) {
    links[link]?.endReceiving(rest, after: count)
  }

  /// Counts a frame; whether the other side may send so many.
  ///
  /// A frame of a link that has ended is not counted.
  mutating func countFrame(on link: LinkRef) -> Bool { links.update(link) { $0.countFrame() } ?? true }

  /// How many bytes of control frames may wait on a link.
  func controlLimit(of link: LinkRef) -> Int { links[link]?.controlLimit ?? 0 }

  /// The kind of frames that may arrive on a link; nil when it has ended.
  func kind(of link: LinkRef) -> LinkKind? { links.read(link) { $0.kind } }

  /// The frames of this organ.
  enum Frame {
    case hello, goodbye, ping, pong, bulk, attach, recognition
  }

  /// Takes a frame about the link itself.
  mutating func receive(
    _ frame: Frame, _ body: RawSpan, on link: LinkRef, in turn: inout Turn
  ) throws(DecodingFailure) {
    switch frame {
    case .hello: try receiveHello(Hello(body: body), on: link, in: &turn)
    case .goodbye: receiveGoodbye(try Goodbye(body: body), on: link, in: &turn)
    case .ping:
      let token = try UInt64(body: body)
      turn.send(.pong, on: link) { $0.write(token) }
    case .pong: receivePong(try UInt64(body: body), on: link, in: turn)
    case .bulk: receiveOffer(try BulkOffer(body: body), on: link, in: &turn)
    case .attach: try receiveAttach(BulkOffer.Token(body: body), on: link, in: &turn)
    case .recognition:
      let key = try RecognitionKey(body: body)
      if let peer = links[link]?.peer { turn.report(.recognitionKey(key, of: peer)) }
    }
  }

  private mutating func receivePong(_ token: UInt64, on link: LinkRef, in turn: borrowing Turn) {
    let sent = Instant(nanoseconds: Int64(bitPattern: token))
    guard sent <= turn.now, turn.now - sent < .seconds(60) else { return }
    links[link]?.roundTrip = turn.now - sent
  }

  private mutating func receiveGoodbye(_ goodbye: Goodbye, on link: LinkRef, in turn: inout Turn) {
    // Only a process that lives can be told that a later start of it is linked.
    if goodbye.reason == .replaced, replaced.isNews(turn.me.peer) { turn.report(.identityInUse(turn.me.peer)) }
    close(link, links[link]?.kind == .bulk ? .dropped : .goodbye(goodbye.reason), in: &turn)
  }

  // MARK: Greeting

  private func sendHello(on link: LinkRef, in turn: inout Turn) {
    let (me, configuration) = (turn.me, turn.configuration)
    let hello = Hello(
      capabilities: directory[link]?.offered ?? .current, peerID: me.peer, incarnation: me.incarnation,
      service: configuration.service, name: configuration.name, instance: configuration.instance, addresses: addresses)
    turn.send(.hello, on: link) { hello.write(to: &$0) }
  }

  private mutating func receiveHello(
    _ hello: Hello, on link: LinkRef, in turn: inout Turn
  ) throws(DecodingFailure) {
    guard let peer = links[link]?.peer, let offered = directory[link]?.offered else { return }
    guard token(of: link) == nil else { throw .invalid("a hello on a second connection", offset: 0) }
    if let refusal = refusal(of: hello, from: peer, offering: offered, in: turn) {
      return close(link, .ended(refusal), in: &turn)
    }
    let start = NodeID(peer: peer, incarnation: hello.incarnation)
    if isEarlier(start, on: link, in: &turn) { return close(link, .ended(.replaced), in: &turn) }
    links[link]?.phase = .stranger(Link.Stranger(deadline: turn.now + ProtocolLimits.strangerTime))
    keepAliveAt = min(keepAliveAt, links[link]?.keepAlive ?? keepAliveAt)
    directory.identify(link, as: start, hello.capabilities)
    turn.mesh.publish(links: directory)
    if links[link]?.isDialled == false { sendHello(on: link, in: &turn) }
    turn.report(.peerIdentified(peer, name: hello.name))
    closeOlderStarts(than: start, in: &turn)
    turn.tell(.greeted(link, hello))
  }

  private func refusal(
    of hello: Hello, from peer: PeerID, offering offered: Capabilities, in turn: borrowing Turn
  ) -> EndReason? {
    guard hello.versions.overlaps(ProtocolLimits.versions) else { return .versionMismatch(theirs: hello.versions) }
    guard hello.peerID == peer else { return .identityMismatch }
    guard hello.service == turn.configuration.service else { return .otherService }
    // In an owned session a removed peer is shown the removal before.
    guard turn.mesh.roster[peer]?.status != .kicked || turn.mesh.governance.isOwned else { return .kicked }
    guard hello.capabilities.contains(.passcode) == offered.contains(.passcode) else { return .passcodeRequired }
    guard hello.capabilities.contains(.driver) == offered.contains(.driver) else { return .driverRequired }
    let asks = hello.capabilities.union(offered).contains(.asksForCode)
    return asks && !hello.capabilities.intersection(offered).contains(.showsCodes) ? .codeRequired : nil
  }

  /// Whether a hello is that of an earlier start of a peer whose later start is linked.
  ///
  /// Either it was on its way when the later start said hello: its connection is the older one then. Or it gave way before and
  /// has come back, so two processes run with one identity, of which the app is told once.
  private mutating func isEarlier(_ start: NodeID, on link: LinkRef, in turn: inout Turn) -> Bool {
    let others = directory.all.filter {
      directory[$0]?.peer == start.peer && directory.node($0).map { $0 != start } == true
    }
    guard let newest = others.last else { return false }
    guard replaced.contains(start) else { return directory.isOlder(link, than: newest) }
    if replaced.isNews(start.peer) { turn.report(.identityInUse(start.peer)) }
    return true
  }

  /// A new start of a peer replaces the old one at once.
  ///
  /// A link to an earlier start is never a duplicate of one to the new start. That process is dead, and if the rule for
  /// duplicates kept its link, the two peers would not meet before TCP gives up.
  private mutating func closeOlderStarts(than start: NodeID, in turn: inout Turn) {
    for old in directory.all where directory[old]?.peer == start.peer {
      guard let node = directory.node(old), node != start else { continue }
      replaced.insert(node)
      close(old, .ended(.replaced), in: &turn)
    }
  }

  /// Keeps exactly one link to each peer: the one dialled by the lower id, and of two dialled by the same side the newer.
  ///
  /// Whether to call again, after the consequences of what this has ended.
  mutating func choose(_ link: LinkRef, in turn: inout Turn) -> Bool {
    guard let peer = links[link]?.peer else { return false }
    guard let old = directory.carrier(of: peer), old != link else {
      directory.carry(link)
      turn.mesh.publish(links: directory)
      turn.tell(.carries(link))
      return false
    }
    let preferMine = turn.me.peer < peer
    let isNewPreferred = links[link]?.isDialled == preferMine
    let isOldPreferred = links[old]?.isDialled == preferMine
    if isNewPreferred || !isOldPreferred {
      // The old link goes first, so that the graph sees it go down before the new one comes up.
      close(old, .ended(.duplicate), in: &turn)
      return true
    }
    turn.tell(.carries(old))
    turn.tell(.close(link, .duplicate))
    return false
  }

  /// The two ends of a link have proven to each other what they owed.
  mutating func prove(_ link: LinkRef, _ proof: LinkDirectory.Proofs, in turn: inout Turn) {
    directory.prove(link, proof)
    turn.mesh.publish(links: directory)
    // The pings of the time that people took are not held against the other side.
    if proof == .code { links[link]?.renewFrames() }
  }

  /// Both sides hold each other as members.
  mutating func promote(_ link: LinkRef, in turn: inout Turn) {
    guard let isDialled = links[link]?.isDialled else { return }
    links[link]?.phase = .member
    directory.admit(link)
    turn.mesh.publish(links: directory)
    if !isDialled { turn.emit(.admitted(link.id)) }
    if let key = turn.configuration.recognitionKey { turn.send(.recognition, on: link) { key.write(to: &$0) } }
  }

  /// A stranger has until then.
  mutating func extend(_ link: LinkRef, until deadline: Instant) {
    guard case .stranger(var stranger) = links[link]?.phase else { return }
    stranger.deadline = max(stranger.deadline, deadline)
    links[link]?.phase = .stranger(stranger)
  }

  // MARK: Ending

  /// Says goodbye, if there is a reason, and closes.
  mutating func end(_ link: LinkRef, _ reason: EndReason?, in turn: inout Turn) {
    close(link, reason.map { .ended($0) } ?? .dropped, in: &turn)
  }

  /// Ends the oldest link, of all or of one peer; whether there was one, after whose consequences to call again.
  mutating func endNext(of peer: PeerID? = nil, _ reason: EndReason?, in turn: inout Turn) -> Bool {
    let next = directory.all.first { link in peer == nil || directory[link]?.peer == peer }
    guard let next else { return false }
    end(next, reason, in: &turn)
    return true
  }

  /// Closes every link without a word.
  mutating func dropAll(in turn: inout Turn) {
    for link in directory.all {
      turn.emit(.close(link.id))
      turn.outbox.close(link)
    }
    links = PerLink()
    directory = LinkDirectory()
    bulk = BulkLinks()
    setPulse()
    turn.mesh.publish(links: directory)
  }

  mutating func close(_ link: LinkRef, _ cause: ClosedLink.Cause, in turn: inout Turn) {
    guard let state = links[link], let entry = directory[link] else { return }
    switch cause {
    case .ended(let reason):
      let goodbye = Goodbye(reason)
      turn.send(.goodbye, on: link) { goodbye.write(to: &$0) }
      turn.emit(.transmit(link.id, turn.outbox.takeControl(of: link)))
      turn.emit(.close(link.id))
    case .goodbye, .dropped: turn.emit(.close(link.id))
    case .lost: break
    }
    let carrier = directory.carrier(of: entry.peer)
    links.end(link)
    turn.outbox.close(link)
    directory.close(link)
    setPulse()
    turn.mesh.publish(links: directory)
    // The bulk link ends with the control link, and every offer of one.
    let second = bulk.link(to: entry.peer)
    if second == link || carrier == link { bulk.forget(entry.peer) }
    if carrier == link, let second, second != link { close(second, .dropped, in: &turn) }
    turn.tell(
      .unlinked(
        ClosedLink(
          link: link, peer: entry.peer, remote: entry.remote, isDialled: entry.isDialled, node: entry.node,
          kind: state.kind, isCarrier: carrier == link, isLast: carrier == nil || carrier == link, cause: cause)))
  }

  // MARK: Sending

  /// Whether a link takes more bytes.
  mutating func beginSending(on link: LinkRef, control: Int) -> Bool {
    links.update(link) { $0.beginSending(control: control) } ?? false
  }

  /// Books bytes that are handed to the driver.
  mutating func noteSent(_ count: Int, on link: LinkRef, at now: Instant) {
    links.update(link) { $0.noteSent(count, at: now) }
  }

  // MARK: Time

  /// When a greeting, a stranger or an idle bulk link is over; nil for never.
  ///
  /// Pings have no deadline of their own: the node is woken often enough.
  func deadline(in turn: inout Turn) -> Instant? {
    // Nearly always all links are members'.
    guard directory.all.count > directory.members.count else { return nil }
    return directory.all.compactMap { links[$0]?.deadline }.min()
  }

  private mutating func setPulse() {
    let isInProcess = !directory.all.isEmpty && directory.all.allSatisfy { links[$0]?.isInProcess == true }
    pulse = isInProcess ? ProtocolTimes.antiEntropy : ProtocolTimes.ping
  }

  /// Whether a ping may be due.
  func isDueEarly(at now: Instant) -> Bool { now >= keepAliveAt }

  /// Does what is due, up to what has consequences; whether there was such a thing, after which to call again.
  mutating func step(in turn: inout Turn) -> Bool {
    for link in directory.all {
      guard let state = links[link] else { continue }
      if state.keepAlive != nil, keepAlive(link, in: &turn) { return true }
      guard let deadline = state.deadline, deadline <= turn.now else { continue }
      switch state.phase {
      case .greeting: close(link, .ended(.timedOut), in: &turn)
      case .stranger: turn.tell(.strangerExpired(link))
      case .bulk: close(link, .dropped, in: &turn)
      case .member: continue
      }
      return true
    }
    keepAliveAt = directory.all.reduce(.distantFuture) { min($0, links[$1]?.keepAlive ?? $0) }
    return false
  }

  /// Whether the link was dead.
  private mutating func keepAlive(_ link: LinkRef, in turn: inout Turn) -> Bool {
    guard let state = links[link] else { return false }
    if turn.now - state.lastHeard >= ProtocolTimes.silence {
      close(link, .ended(.timedOut), in: &turn)
      return true
    }
    let now = turn.now
    if now - state.lastSent >= ProtocolTimes.ping || now >= state.nextPing {
      links.update(link) { $0.hasPinged(at: now) }
      turn.send(.ping, on: link) { $0.write(UInt64(bitPattern: now.nanoseconds)) }
    }
    return false
  }

  /// A turn that comes late because this process stood still gives greetings and strangers that time.
  mutating func postpone(by late: Duration) {
    for link in directory.all { links[link]?.postpone(by: late) }
  }

  /// Gives others the time in which this node was not running, or the machine was suspended.
  mutating func excuse(_ gap: Duration, in turn: inout Turn) {
    for link in directory.all { links[link]?.excuse(gap, at: turn.now) }
  }

  // MARK: Queries

  /// The number of bulk links.
  var bulkLinkCount: Int { directory.all.count { links[$0]?.kind == .bulk } }

  /// The traffic of the links to a peer.
  func traffic(with peer: PeerID, in turn: borrowing Turn) -> LinkTraffic {
    let (control, second) = (directory.carrier(of: peer), bulk.link(to: peer))
    var traffic = LinkTraffic()
    for link in [control, second] {
      guard let link, let state = links[link] else { continue }
      traffic.bytesSent += state.bytesSent
      traffic.bytesReceived += state.bytesReceived
      traffic.bytesWaiting += turn.outbox.controlBytes(on: link)
    }
    traffic.link = control?.id
    traffic.roundTrip = control.flatMap { links[$0]?.roundTrip }
    traffic.isDirect = control.map { directory.member($0) != nil } ?? false
    return traffic
  }
}

/// The traffic of the links to one peer.
struct LinkTraffic: Sendable {
  /// The link that carries its traffic.
  var link: LinkID?
  /// The last round trip measured on it.
  var roundTrip: Duration?
  /// Whether that is a member's.
  var isDirect = false
  var bytesSent: UInt64 = 0
  var bytesReceived: UInt64 = 0
  /// Bytes of control frames that wait to be handed to the driver.
  var bytesWaiting = 0
}
