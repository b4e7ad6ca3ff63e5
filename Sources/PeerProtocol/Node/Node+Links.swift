import Basics
import WorldModel

extension Node {
  mutating func openLink(_ id: LinkID, peer: PeerID, dial: DialID?, remote: SocketAddress, at now: Instant) {
    links[id] = Link(id: id, peer: peer, dial: dial, remote: remote, at: now)
    guard peer != me.peer else {
      end(id, .ownIdentity, at: now)
      return
    }
    guard let dial else {
      let strangers = links.values.count { $0.phase == .greeting || $0.phase == .stranger }
      if strangers > ProtocolLimits.strangerLinks { end(id, .limitExceeded, at: now) }
      return
    }
    if case .bulk(let member, let token) = dials[dial] {
      dials[dial] = nil
      bulkOpened(id, to: member, token, at: now)
      return
    }
    let isStray = isStray(dial, to: peer)
    noteDialOpened(dial, peer: peer, at: now)
    // An address that is told wrongly leads to another member: it must not replace the link to that.
    if isStray, controlLinks[peer] != nil {
      drop(id, at: now)
      return
    }
    // A second address of the same peer answered too: it learns nothing of this link and keeps the first.
    if let kept = controlLinks[peer], let link = links[kept], link.dial != nil, link.hello != nil {
      startConversation(on: kept, at: now)
      drop(id, at: now)
      return
    }
    sendHello(on: id)
  }

  /// Whether a dial to another member has led to this one.
  private func isStray(_ dial: DialID, to peer: PeerID) -> Bool {
    guard case .member(let wanted) = dials[dial] else { return false }
    return wanted != peer
  }

  mutating func sendHello(on id: LinkID) {
    let hello = Hello(
      peerID: me.peer, incarnation: me.incarnation, service: configuration.service, name: configuration.name,
      instance: configuration.instance, addresses: addresses)
    sendControl(.hello, on: id) { hello.write(to: &$0) }
  }

  /// Queues one control frame.
  mutating func sendControl(_ type: FrameType, on id: LinkID, _ build: (inout ByteWriter) -> Void = { _ in }) {
    guard links[id] != nil else { return }
    links[id]?.control.writeFrame(type, build)
    flushSoon(id)
  }

  mutating func receiveHello(_ hello: Hello, on id: LinkID, at now: Instant) {
    guard let link = links[id], link.hello == nil else {
      end(id, .protocolError, at: now)
      return
    }
    guard hello.versions.overlaps(ProtocolLimits.versions) else {
      end(id, .versionMismatch(theirs: hello.versions), at: now)
      return
    }
    guard hello.peerID == link.peer else {
      end(id, .identityMismatch, at: now)
      return
    }
    guard hello.service == configuration.service else {
      end(id, .otherService, at: now)
      return
    }
    guard roster[link.peer]?.status != .kicked else {
      end(id, .kicked, at: now)
      return
    }
    links[id]?.hello = hello
    links[id]?.phase = .stranger
    links[id]?.deadline = now + ProtocolLimits.strangerTime
    if link.dial == nil { sendHello(on: id) }
    tell(.peerIdentified(link.peer, name: hello.name, instance: hello.instance))
    noteIncarnation(hello, of: link.peer, at: now)
    chooseLink(id, at: now)
  }

  /// Keeps exactly one link to each peer: the one dialled by the lower id, and of two dialled by the same side the newer.
  private mutating func chooseLink(_ id: LinkID, at now: Instant) {
    guard let link = links[id] else { return }
    guard let oldID = controlLinks[link.peer], oldID != id, let old = links[oldID] else {
      controlLinks[link.peer] = id
      startConversation(on: id, at: now)
      return
    }
    let preferMine = me.peer < link.peer
    let isNewPreferred = (link.dial != nil) == preferMine
    let isOldPreferred = (old.dial != nil) == preferMine
    if isNewPreferred || !isOldPreferred {
      // The old link goes first, so that the graph sees it go down before the new one comes up.
      end(oldID, .duplicate, at: now)
      controlLinks[link.peer] = id
      startConversation(on: id, at: now)
    } else {
      startConversation(on: oldID, at: now)
      end(id, .duplicate, at: now)
    }
  }

  /// Says what there is to say on the link that carries a peer's traffic: admission, then invitations.
  mutating func startConversation(on id: LinkID, at now: Instant) {
    guard let link = links[id] else { return }
    if roster.admits(link.peer) { admit(on: id, at: now) }
    for index in outgoing.indices where outgoing[index].peer == link.peer {
      let invitation = outgoing[index]
      links[id]?.deadline = max(link.deadline ?? now, invitation.deadline)
      let wait = max(0, invitation.deadline.nanoseconds(since: now) / 1_000_000)
      let invite = Invite(number: invitation.number, wait: UInt32(clamping: wait), context: invitation.context)
      sendControl(.invite, on: id) { invite.write(to: &$0) }
    }
    settleInvitations(with: link.peer, at: now)
  }

  mutating func admit(on id: LinkID, at now: Instant) {
    guard let link = links[id], link.hello != nil else { return }
    if !link.weAdmit {
      links[id]?.weAdmit = true
      // Longer than the other side waits for a stranger: if it refuses, that has to be heard, or it is dialled for ever.
      let patience = now + ProtocolLimits.strangerTime + ProtocolLimits.helloTime
      links[id]?.deadline = max(link.deadline ?? now, patience)
      sendControl(.admit, on: id)
    }
    promote(id, at: now)
  }

  /// Makes a link a member's once both sides admit each other.
  mutating func promote(_ id: LinkID, at now: Instant) {
    guard let link = links[id], link.weAdmit, link.theyAdmit, link.phase == .stranger else { return }
    links[id]?.phase = .member
    links[id]?.memberSince = now
    provenAddresses[link.peer] = knownAddresses(of: link)
    removers.removeAll { $0 == link.peer }
    links[id]?.deadline = nil
    if link.dial == nil { emit(.admitted(id)) }
    let entries = roster.entries
    sendRoster(entries, on: id)
    if rules.version > 0 { sendRules(on: id) }
    if let node = links[id]?.node {
      graph.linkUp(node, at: now)
      drainGraph(at: now)
    }
    introducePoses(on: id)
    // The map first: who has caught up with the anchors must know by then whether a map is still to come.
    announceMaps(on: id)
    expectTarget(from: link.peer)
    startReplication(on: id)
    settleInvitations(with: link.peer, at: now)
    hastenDials(at: now)
  }

  /// Says goodbye, closes, and draws the consequences of the reason.
  mutating func end(_ id: LinkID, _ reason: EndReason, at now: Instant) {
    guard let link = links[id] else { return }
    let goodbye = Goodbye(reason)
    links[id]?.control.writeFrame(.goodbye) { goodbye.write(to: &$0) }
    let bytes = links[id]?.control.bytes ?? []
    emit(.transmit(id, bytes))
    noteEnd(of: link, reason)
    drop(id, at: now)
    failInvitations(with: link, reason)
  }

  /// Remembers why the link that carried a member's traffic, or should have, ended, if that says why it stays away.
  mutating func noteEnd(of link: Link, _ reason: EndReason) {
    guard controlLinks[link.peer].map({ $0 == link.id }) ?? true else { return }
    switch reason {
    case .versionMismatch, .identityMismatch, .limitExceeded, .protocolError, .timedOut, .refused, .otherService:
      members[link.peer]?.lastEnd = reason
    case .left, .kicked, .ownIdentity, .duplicate, .connectionLost, .replaced, .locked: break
    }
  }

  /// Closes a link without a word.
  mutating func drop(_ id: LinkID, at now: Instant) {
    guard links[id] != nil else { return }
    emit(.close(id))
    forget(id, at: now)
  }

  /// The driver says that a connection is gone.
  mutating func linkClosed(_ id: LinkID, at now: Instant) {
    guard let link = links[id] else { return }
    forget(id, at: now)
    if controlLinks[link.peer] == nil, link.phase != .member { failInvitations(with: link, .connectionLost) }
  }

  private mutating func forget(_ id: LinkID, at now: Instant) {
    guard let link = links.removeValue(forKey: id) else { return }
    quiet = nil
    forgetBulk(link, at: now)
    guard controlLinks[link.peer] == id else { return }
    controlLinks[link.peer] = nil
    synchronisation.targets[link.peer] = nil
    maps.removeHolder(link.peer)
    if link.phase == .member, let node = link.node {
      dialAgain(after: link, at: now)
      graph.linkDown(node, at: now)
      drainGraph(at: now)
      requestManifests()
      requestChunks(at: now)
    }
  }

  /// The links of members that carry traffic, oldest first.
  var memberLinks: [LinkID] { quiet?.memberLinks ?? links.ids.filter(carriesMember) }

  /// Those of them on which operations of others may have to be passed on.
  var relayLinks: [LinkID] { quiet?.relayLinks ?? memberLinks.filter(mayRelay) }

  /// Whether operations of others may have to be passed on there; not known before the first look.
  func mayRelay(_ id: LinkID) -> Bool { links[id]?.replication.relayed?.hasOthers ?? true }

  /// Whether a link is one of ``memberLinks``.
  func isMemberLink(_ id: LinkID) -> Bool { quiet?.memberLinks.contains(id) ?? carriesMember(id) }

  /// Whether a link is a member's and carries that peer's traffic.
  func carriesMember(_ id: LinkID) -> Bool {
    guard links[id]?.phase == .member, let peer = links[id]?.peer else { return false }
    return controlLinks[peer] == id
  }
}
