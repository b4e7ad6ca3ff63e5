import Basics
import WorldModel

extension Node {
  /// How many members have a second connection to this node, for pieces of maps.
  package var bulkLinkCount: Int { links.values.count { $0.phase == .bulk } }

  /// Wants a second connection to a member from which much of a map is still to come.
  ///
  /// Pieces travel on the control link until it stands, and go on doing so if it never does.
  mutating func wantBulk(with peer: PeerID, at now: Instant) {
    guard bulk.mayTry(peer, at: now), let id = controlLinks[peer], let link = links[id], link.phase == .member,
      link.hello?.capabilities.contains(.bulk) == true
    else { return }
    let token = BulkOffer.Token(high: random.next(), low: random.next())
    bulk.states[peer] = .awaited(token, until: now + ProtocolTimes.bulkPause)
    let offer = BulkOffer(token: token, receiverDials: link.dial == nil)
    sendControl(.bulk, on: id) { offer.write(to: &$0) }
    if !offer.receiverDials { dialBulk(peer, token, link.remote) }
  }

  private mutating func dialBulk(_ peer: PeerID, _ token: BulkOffer.Token, _ address: SocketAddress) {
    let dial = DialID(rawValue: freshNumber())
    dials[dial] = .bulk(peer, token)
    emit(.connect(dial, address))
  }

  /// The other side wants one.
  mutating func receiveBulk(_ offer: BulkOffer, from link: Link, at now: Instant) {
    if offer.receiverDials {
      // Only one side knows a way, so that two wishes at once are one dial.
      guard link.dial != nil, bulk.mayTry(link.peer, at: now) else { return }
      bulk.states[link.peer] = .awaited(offer.token, until: now + ProtocolTimes.bulkPause)
      dialBulk(link.peer, offer.token, link.remote)
      return
    }
    guard link.dial == nil, bulk.link(to: link.peer) == nil else { return }
    bulk.states[link.peer] = .awaited(offer.token, until: now + ProtocolTimes.bulkPause)
    let early = links.ids.first { links[$0]?.peer == link.peer && links[$0]?.attachToken == offer.token }
    if let early { attach(early, at: now) }
  }

  /// The first frame of either side says that a connection is a second one; the dialler says it first, and the other
  /// side repeats it when it knows the offer.
  mutating func receiveAttach(_ token: BulkOffer.Token, on id: LinkID, at now: Instant) {
    guard let link = links[id], link.dial == nil || link.attachToken == token else { return }
    links[id]?.attachToken = token
    if bulk.awaits(token, from: link.peer) {
      attach(id, at: now)
    } else if link.dial != nil {
      // The offer is void since the control link was replaced: pieces that follow would find no one to take them.
      drop(id, at: now)
    }
  }

  /// A dial for a second connection has come through.
  mutating func bulkOpened(_ id: LinkID, to peer: PeerID, _ token: BulkOffer.Token, at now: Instant) {
    guard links[id]?.peer == peer, bulk.awaits(token, from: peer) else {
      drop(id, at: now)
      return
    }
    links[id]?.attachToken = token
    sendControl(.attach, on: id) { token.write(to: &$0) }
  }

  private mutating func attach(_ id: LinkID, at now: Instant) {
    guard let link = links[id], let control = controlLinks[link.peer], links[control]?.phase == .member else {
      drop(id, at: now)
      return
    }
    if link.dial == nil, let token = link.attachToken {
      emit(.admitted(id))
      sendControl(.attach, on: id) { token.write(to: &$0) }
    }
    links[id]?.phase = .bulk
    links[id]?.deadline = nil
    links[id]?.attachToken = nil
    bulk.states[link.peer] = .open(id)
    flushSoon(id)
  }

  /// A dial for a second connection came to nothing: the control link goes on carrying everything.
  mutating func bulkFailed(_ peer: PeerID, at now: Instant) {
    bulk.states[peer] = .failed(until: now + ProtocolTimes.bulkPause)
  }

  /// A link is gone: if it was a second one, what was on it begins anew on the first; if it was the first, the second
  /// goes too.
  mutating func forgetBulk(_ link: Link, at now: Instant) {
    guard let second = bulk.link(to: link.peer) else {
      if controlLinks[link.peer] == link.id { bulk.states[link.peer] = nil }
      return
    }
    if second == link.id {
      bulk.states[link.peer] = nil
      guard let control = controlLinks[link.peer] else { return }
      links[control]?.uploads.restart(from: second)
      flushSoon(control)
      maps.askAgain(link.peer)
      requestChunks(at: now)
    } else if controlLinks[link.peer] == link.id {
      bulk.states[link.peer] = nil
      drop(second, at: now)
    }
  }

  /// Lets requested pieces for a peer leave after this turn, on whichever link they go.
  mutating func flushPieces(_ control: LinkID) {
    flushSoon(control)
    if let peer = links[control]?.peer, let id = bulk.link(to: peer) { flushSoon(id) }
  }
}
