package import AnchorReplication
package import Basics
package import PeerProtocol
import WorldModel

/// Watches whole sessions after every step: the elections inside the nodes, the anchors, the maps, and what the nodes tell
/// their apps.
package struct SessionMonitor: SimulationMonitor {
  package typealias Node = SessionPeer

  private var elections: ElectionWatch
  package private(set) var anchors: AnchorWatch
  /// The node that lies; what comes of its links proves nothing.
  private let liar: Int?
  /// The authentications of the apps' drivers.
  private var drivers = DriverWatch()
  /// The node that no driver may authenticate.
  private let stranger: Int?
  /// Nodes that a scenario has the host remove.
  private var expelled: Set<Int> = []
  private var membership: [MembershipWatch]
  /// The node on each machine.
  private var starts: [NodeID]
  private var removals: RemovalWatch?
  /// The parts of an owned session; nil in an open one.
  private var owned: OwnedWatch?
  /// Every map that was shared, by the hash of its contents.
  private var maps: [SHA256Digest: MapPackage] = [:]
  /// Maps that arrived, over all nodes.
  private(set) var mapsReceived = 0
  /// Second connections that came about, over all nodes.
  package private(set) var bulkLinks = 0
  /// The messages of the apps.
  private(set) var messages = MessageWatch()
  /// The resources of the apps.
  private(set) var resources = ResourceWatch()
  /// The attachments of the apps.
  private(set) var attachments = AttachmentWatch()
  /// Of what all nodes asked for, step by step.
  package private(set) var outputDigest = OutputDigest()

  package init(count: Int, liar: Int? = nil, stranger: Int? = nil, cast: OwnedCast? = nil, transcript: Transcript) {
    elections = ElectionWatch(count: count, transcript: transcript, isTerse: true)
    anchors = AnchorWatch(count: count)
    membership = Array(repeating: MembershipWatch(), count: count)
    starts = (0..<count).map { NodeID(peer: SessionPeer.identity(of: $0), incarnation: 0) }
    (self.liar, self.stranger) = (liar, stranger)
    removals = cast == nil ? liar.map { RemovalWatch(count: count, liar: $0) } : nil
    owned = cast.map(OwnedWatch.init)
  }

  /// The first invariant that did not hold.
  package var violation: String? { elections.violation }
  /// Changes of host seen by any node so far.
  var hostChanges: Int { elections.hostChanges }
  /// Claims by any node so far.
  var claimCount: Int { elections.claimCount }
  /// Whether the liar has removed an honest member by right: the rest of the run proves nothing.
  package var liarRemoved: Bool { removals?.isSettled ?? false }
  /// The transcript, if one is kept.
  package var transcript: Transcript { elections.transcript }

  /// Adds a line to the transcript; the text is made only if it is kept.
  package mutating func note(_ text: @autoclosure () -> String, at now: Instant) {
    elections.transcript.add(at: now, text())
  }

  /// Records that an invariant does not hold; the first one counts.
  package mutating func fail(_ text: String, at now: Instant) {
    elections.fail(text, at: now)
  }

  /// The host is about to remove a node.
  mutating func expel(_ index: Int) {
    expelled.insert(index)
  }

  /// An app has sent a message.
  mutating func sent(_ message: MessageID, _ track: MessageTrack, from sender: NodeID, to receivers: [PeerID]) {
    messages.sent(message, track, from: sender, to: receivers)
  }

  /// An app has sent an unreliable message.
  mutating func sentUnreliably(_ message: MessageID, key: String, from sender: NodeID) {
    messages.sentUnreliably(message, key: key, from: sender)
  }

  /// An app has offered a resource.
  mutating func offered(_ id: ResourceID, _ bytes: [UInt8], from sender: NodeID, to receivers: [PeerID]) {
    resources.offered(id, bytes, from: sender, to: receivers)
  }

  /// An app has attached a resource.
  mutating func attached(_ id: ResourceID, _ bytes: [UInt8]) { attachments.attached(id, bytes) }

  /// A node is about to share a map.
  package mutating func shared(_ package: MapPackage) {
    maps[package.contentDigest] = package
  }

  /// C2: whether a node shows what all operations it has applied mean, in whatever order.
  package mutating func checkMeaning(_ index: Int, _ set: AnchorSet, at now: Instant) {
    if let text = anchors.difference(to: set) { fail("C2 \(index + 1): \(text)", at: now) }
  }

  package mutating func started(_ index: Int, node: borrowing SessionPeer, at now: Instant) {
    elections.started(index, node.node.election, at: now)
    anchors.started(index)
    membership[index] = MembershipWatch()
    membership[index].wasApart = node.node.roster.presentCount > 1
    starts[index] = node.node.me
    attachments.started(index)
    removals?.started(index)
  }

  package mutating func resumed(
    _ index: Int, node: borrowing SessionPeer, slept: Int64, local: Instant, at now: Instant
  ) {
    elections.resumed(index, node.node.election, slept: slept, local: local, at: now)
  }

  package mutating func stepped(_ index: Int, node: borrowing SessionPeer, local: Instant, at now: Instant) {
    for step in node.electionSteps { elections.stepped(index, step.observation(local: local, at: now)) }
    if let text = removals?.stepped(index, node.node) { fail(text, at: now) }
    if let text = owned?.stepped(index, node.node, isExpelled: expelled) { fail(text, at: now) }
    if let text = drivers.stepped(node, isStranger: index == stranger) { fail("\(text) (node \(index + 1))", at: now) }
    if let text = messages.excess(of: node.node) { fail("\(text) (node \(index + 1))", at: now) }
    for event in node.events {
      check(event, of: index, at: now)
      if case .resource(.received(let offer)) = event {
        let bytes = Array((node.shelf.chunks[offer.id.content] ?? []).joined())
        if let text = resources.received(offer, bytes, by: node.node.me.peer) { fail(text, at: now) }
      }
    }
    for case .resource(.attachment(let offer, let stage)) in node.events {
      let bytes = Array((node.shelf.chunks[offer.id.content] ?? []).joined())
      if let text = attachments.changed(offer, stage, bytes, at: index) { fail(text, at: now) }
    }
    for goodbye in node.goodbyes { check(goodbye, of: index, at: now) }
    bulkLinks += node.attached
    outputDigest.add(UInt64(index))
    outputDigest.add(node.outputDigest.value)
    if let text = anchors.stepped(node.node.anchors, of: index, events: node.events) {
      fail("\(text) (node \(index + 1))", at: now)
    }
  }

  /// No honest node may find fault with the bytes of another, not even where a liar has a hand in what the two hold.
  private mutating func check(_ goodbye: (peer: PeerID, reason: EndReason), of index: Int, at now: Instant) {
    note("\(index + 1) ends its link to \(goodbye.peer.prefix): \(goodbye.reason)", at: now)
    if let liar {
      guard goodbye.reason == .protocolError, index != liar, goodbye.peer != SessionPeer.identity(of: liar)
      else { return }
      return fail("P1 \(index + 1) ends its link to \(goodbye.peer.prefix): \(goodbye.reason)", at: now)
    }
    switch goodbye.reason {
    case .protocolError, .limitExceeded, .identityMismatch, .ownIdentity, .otherService, .versionMismatch,
      .passcodeRequired, .passcodeRefused, .passcodeLocked, .passcodeWait, .codeRequired, .codeRefused, .codeBusy:
      fail("P1 \(index + 1) ends its link to \(goodbye.peer.prefix): \(goodbye.reason)", at: now)
    case .authenticationFailed where index == stranger || goodbye.peer == stranger.map(SessionPeer.identity): break
    case .driverRequired, .authenticationFailed:
      fail("P1 \(index + 1) ends its link to \(goodbye.peer.prefix): \(goodbye.reason)", at: now)
    case .left, .kicked, .duplicate, .timedOut, .refused, .connectionLost, .replaced, .locked: break
    }
  }

  private mutating func check(_ event: NodeEvent, of index: Int, at now: Instant) {
    if let text = membership[index].take(event) { fail("\(index + 1) \(text)", at: now) }
    switch event {
    case .anchors(let changes):
      tell(changes, of: index, at: now)
      if !membership[index].wasApart, changes.contains(where: { $0.origin == .merge }) {
        fail("\(index + 1) is told of a merge, and was never apart from anybody", at: now)
      }
    case .identityInUse(let peer) where liar == nil:
      fail("\(index + 1) holds \(peer.prefix) for two processes", at: now)
    case .divergence(let peer): fail("C1 \(index + 1) and \(peer.prefix) differ under equal vectors", at: now)
    case .ended(.kicked) where liarRemoved: note("\(index + 1) was removed by the liar", at: now)
    case .ended(let reason) where reason != .left && !expelled.contains(index) && owned?.mayEnd(index) != true:
      fail("\(index + 1) was put out of the session: \(reason)", at: now)
    case .peerJoined(let peer, _): note("\(index + 1) sees \(peer.prefix) join", at: now)
    case .peerLeft(let peer, _, let reason): note("\(index + 1) loses \(peer.prefix): \(reason)", at: now)
    case .mapReceived(let map, let from, _, let package):
      mapsReceived += 1
      note("\(index + 1) has map \(map.description.prefix(6)) from \(from.prefix)", at: now)
      if maps[package.contentDigest].map({ package.isSame(as: $0) }) != true {
        fail("M1 \(index + 1) has a map that nobody shared", at: now)
      }
    case .mapSourceRefused(_, let peer, let failure):
      fail("M1 \(index + 1) refused a chunk of \(peer.prefix): \(failure)", at: now)
    case .messages(let arrived, let from):
      for bytes in arrived {
        if let text = messages.arrived(bytes, from: from, at: starts[index]) { fail(text, at: now) }
      }
    case .envelopes(let arrived, let from):
      for message in arrived {
        if let text = messages.arrived(message.bytes, as: message.number, from: from, at: starts[index]) {
          fail(text, at: now)
        }
      }
    case .unreliable(let bytes, _, let key, let from):
      if let text = messages.arrived(bytes, under: key, from: from, at: starts[index]) { fail(text, at: now) }
    case .messagesFailed(let failure): messages.failed(failure, at: starts[index])
    case .resource(.settled(let progress, let failure)):
      note("\(index + 1) knows of \(progress.peer.prefix): \(failure?.word ?? "received")", at: now)
      if let text = resources.settled(progress.id, progress.peer, failure) { fail(text, at: now) }
    case .resource(.failed(let offer, let failure)):
      note("\(index + 1) does not get \(offer.id.description.prefix(6)): \(failure.word)", at: now)
    case .resource(.attachment(let offer, let stage)):
      note("\(index + 1) and attachment \(offer.id.description.prefix(6)): \(stage)", at: now)
    case .alignmentChanged(let peer, let alignment):
      note("\(index + 1) is \(alignment.state) with \(peer.prefix)", at: now)
    // Of the others no invariant speaks here; other watches look at the node itself.
    default: break
    }
  }
}

extension SessionMonitor {
  /// Notes what is out of the ordinary among the changes of a node's anchors.
  private mutating func tell(_ changes: [SetChange], of index: Int, at now: Instant) {
    let merged = changes.count { $0.origin == .merge }
    if merged > 0 { note("\(index + 1) takes \(merged) changes from a snapshot", at: now) }
    for change in changes {
      if case .editSupersededByRemoval = change.kind { note("\(index + 1) loses an edit to a removal", at: now) }
    }
  }
}

/// The events of one node about the others must make sense: nobody comes twice, nobody goes or speaks who is not there.
private struct MembershipWatch {
  private var present: Set<PeerID> = []
  /// Whether it was apart from somebody: it has told its app so, or begins with members of an earlier start.
  var wasApart = false
  /// The members among them that are told of as reconnecting.
  private var away: Set<PeerID> = []

  mutating func take(_ event: NodeEvent) -> String? {
    if case .peerReconnecting = event { wasApart = true }
    if case .peerLeft = event { wasApart = true }
    if case .peerReconnecting(let peer) = event, !away.insert(peer).inserted {
      return "waits for \(peer.prefix) twice"
    }
    if case .peerReconnected(let peer) = event, away.remove(peer) == nil {
      return "has \(peer.prefix) back, which was not away"
    }
    if case .peerLeft(let peer, _, _) = event { away.remove(peer) }
    if case .peerJoined(let peer, _) = event, !present.insert(peer).inserted {
      return "sees \(peer.prefix) join twice"
    }
    if case .peerLeft(let peer, _, _) = event, present.remove(peer) == nil {
      return "loses \(peer.prefix), which was not there"
    }
    if case .peerReconnecting(let peer) = event, !present.contains(peer) {
      return "waits for \(peer.prefix), which was not there"
    }
    if let peer = event.speaker, !present.contains(peer) { return "hears of \(peer.prefix), which was not there" }
    return nil
  }
}

extension NodeEvent {
  /// The member of whose words the event tells.
  fileprivate var speaker: PeerID? {
    if case .groupsChanged(let peer, _) = self { return peer }
    if case .mapStatusChanged(let peer, _) = self { return peer }
    if case .ephemeral(let update) = self, update.pose != nil { return update.origin.peer }
    if case .messages(_, let peer) = self { return peer }
    if case .envelopes(_, let node) = self { return node.peer }
    if case .unreliable(_, _, _, let node) = self { return node.peer }
    if case .stream(_, _, let node) = self { return node.peer }
    return nil
  }
}

extension MapPackage {
  /// Whether every chunk is the same, byte for byte, eight at a time: `==` on arrays of bytes took a tenth of a run.
  fileprivate func isSame(as other: MapPackage) -> Bool {
    guard size == other.size, chunks.count == other.chunks.count else { return false }
    return zip(chunks, other.chunks).allSatisfy { left, right in
      guard left.codec == right.codec, left.bytes.count == right.bytes.count else { return false }
      let (one, two) = unsafe (left.bytes.span.bytes, right.bytes.span.bytes)
      let words = left.bytes.count & ~7
      for offset in stride(from: 0, to: words, by: 8) {
        let word = unsafe one.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
        if unsafe word != two.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
      }
      return left.bytes[words...] == right.bytes[words...]
    }
  }
}

extension ElectionStep {
  func observation(local: Instant, at now: Instant) -> ElectionObservation {
    var observation = ElectionObservation(election: election, said: said, local: local, now: now)
    switch input {
    case .message(let message, let sender): observation.heard = (message, sender)
    case .left(let node): observation.wish = .left(node)
    case .stalled(let gap): observation.wish = .stalled(gap)
    case .join: observation.wish = .join
    case .resign: observation.wish = .resign
    case .request, .handover: observation.wish = .other
    case .tick, .reachable, .resumeTime: break
    }
    return observation
  }
}
