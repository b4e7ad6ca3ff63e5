import Basics
import WorldModel

extension Node {
  /// Admits the peer at the other end of `link` and tells the others.
  ///
  /// - Parameter isEntering: Whether this node enters the other's session rather than the other this one: then, if it
  ///   was alone, it gives up being host and never takes over.
  mutating func join(_ link: Link, isEntering: Bool, at now: Instant) {
    guard let hello = link.hello else { return }
    if !roster.admits(link.peer) {
      if let reason = refusal(of: link.peer) {
        end(link.id, reason, at: now)
        return
      }
      if isEntering, roster.presentCount == 1 {
        elect(.join, at: now)
        forgetRules()
      }
      var entry = RosterEntry(
        peerID: link.peer, version: 1, incarnation: hello.incarnation, name: hello.name,
        addresses: knownAddresses(of: link))
      if let known = roster[link.peer] { entry.version = known.version + 1 }
      guard roster.merge(entry) else {
        end(link.id, .limitExceeded, at: now)
        return
      }
      entryChanged(entry, at: now)
      gossip([entry], except: nil)
    }
    admit(on: link.id, at: now)
  }

  /// Where a peer listens: what it says, and the address it was seen at when that carries a port it listens on.
  func knownAddresses(of link: Link) -> [SocketAddress] {
    var addresses = link.dial == nil ? [] : [link.remote]
    for address in link.hello?.addresses ?? [] where !addresses.contains(address) { addresses.append(address) }
    if link.dial == nil, let port = link.hello?.addresses.first?.port {
      let seen = link.remote.with(port: port)
      if !addresses.contains(seen) { addresses.insert(seen, at: 0) }
    }
    return Array(addresses.prefix(ProtocolLimits.addresses))
  }

  /// A new start of a known peer replaces the old one at once.
  mutating func noteIncarnation(_ hello: Hello, of peer: PeerID, at now: Instant) {
    let addresses = links.values.first { $0.peer == peer && $0.hello == hello }.map(knownAddresses) ?? hello.addresses
    guard roster.admits(peer), roster[peer]?.incarnation != hello.incarnation else { return }
    for id in links.ids where links[id]?.peer == peer && links[id]?.hello.map({ $0.incarnation }) != hello.incarnation {
      if links[id]?.hello != nil { end(id, .replaced, at: now) }
    }
    let updated = roster.update(peer) {
      $0.incarnation = hello.incarnation
      $0.name = hello.name
      $0.addresses = addresses
    }
    guard let updated else { return }
    entryChanged(updated, at: now)
    gossip([updated], except: nil)
  }

  /// Corrects records that name another start of a peer than the one at the other end of a live link.
  ///
  /// It is done at the pace of anti-entropy only, so that two members with links to an old and a new start do not outbid
  /// each other while the old link dies.
  mutating func confirmIncarnations(at now: Instant) {
    guard !configuration.mistakes.node.contains(.noReassertion) else { return }
    for id in memberLinks {
      guard let node = links[id]?.node, roster[node.peer]?.incarnation != node.incarnation,
        let entry = roster.update(node.peer, { $0.incarnation = node.incarnation })
      else { continue }
      entryChanged(entry, at: now)
      gossip([entry], except: nil)
    }
  }

  mutating func receiveRoster(_ entries: [RosterEntry], from peer: PeerID, at now: Instant) {
    var believed: [RosterEntry] = []
    for entry in entries {
      if entry.peerID == me.peer {
        let isRemoval = roster.merge(entry) && entry.status == .kicked
        if isRemoval, believesOwnRemoval(from: peer) { return finish(.kicked) }
        continue
      }
      let tellers = tellers(of: entry, and: peer)
      if believes(entry, from: tellers) { believed.append(entry) } else { dispute(entry, from: tellers, at: now) }
    }
    take(believed, from: peer, at: now)
    // What was said of this peer itself is not passed on, least of all by a host, which would be believed.
    if let corrected = reassert() { gossip([corrected], except: nil) }
  }

  /// Takes records of others that are believed, and passes on what is new.
  mutating func take(_ entries: [RosterEntry], from peer: PeerID?, at now: Instant) {
    var news: [RosterEntry] = []
    for entry in entries where roster.merge(entry, from: peer) {
      news.append(entry)
      entryChanged(entry, at: now)
    }
    if !news.isEmpty { gossip(news, except: peer) }
  }

  /// Corrects what others say of this peer, such as what an earlier start of it left behind; nil when it is right.
  mutating func reassert() -> RosterEntry? {
    guard !configuration.mistakes.node.contains(.noReassertion) else { return nil }
    return roster.assert(ownEntry)
  }

  mutating func gossip(_ entries: [RosterEntry], except peer: PeerID?) {
    for id in memberLinks where links[id]?.peer != peer {
      sendRoster(entries, on: id)
    }
  }

  /// Queues roster entries on one link.
  mutating func sendRoster(_ entries: [RosterEntry], on id: LinkID) {
    links[id]?.queue(entries)
    flushSoon(id)
  }

  /// Draws the consequences of a changed record of another peer; `reason` is what the app is told of one that is out.
  mutating func entryChanged(_ entry: RosterEntry, reason: EndReason? = nil, at now: Instant) {
    let peer = entry.peerID
    switch entry.status {
    case .present:
      departed[peer] = nil
      if members[peer] == nil {
        members[peer] = Member(plan: memberPlan(for: peer, at: now))
      } else {
        members[peer]?.plan.add(entry.addresses, at: now)
        hastenDial(to: peer, at: now)
      }
      if let id = controlLinks[peer] { admit(on: id, at: now) }
    case .left, .kicked:
      disputes[peer] = nil
      let member = members.removeValue(forKey: peer)
      provenAddresses[peer] = nil
      mapBoard.others[peer] = nil
      elect(.left(entry.node), at: now)
      lookForOrphans(at: now)
      if member?.isJoined == true {
        tell(.peerLeft(peer, name: entry.name, reason: reason ?? (entry.status == .kicked ? .kicked : .left)))
      }
      for id in links.ids where links[id]?.peer == peer {
        if entry.status == .kicked { end(id, .kicked, at: now) } else { drop(id, at: now) }
      }
    }
    updateReachability(at: now)
  }

  /// Notes that a peer is out of the session and tells the others.
  mutating func markOut(_ peer: PeerID, _ status: RosterEntry.Status, reason: EndReason, at now: Instant) {
    guard let entry = roster.update(peer, { $0.status = status }) else { return }
    gossip([entry], except: peer)
    entryChanged(entry, reason: reason, at: now)
  }

  mutating func kick(_ peer: PeerID, at now: Instant) {
    guard peer != me.peer, mayRule else { return }
    markOut(peer, .kicked, reason: .kicked, at: now)
  }

  mutating func changeAddresses(_ new: [SocketAddress], at now: Instant) {
    addresses = new
    if let entry = reassert() { gossip([entry], except: nil) }
    hastenDials(at: now)
  }

  mutating func leave(at now: Instant) {
    elect(.resign, at: now)
    for id in links.ids { end(id, .left, at: now) }
    finish(.left)
  }

  /// Ends this peer's part: every link closes and nothing more happens.
  mutating func finish(_ reason: EndReason) {
    for id in links.ids { emit(.close(id)) }
    links = LinkTable()
    controlLinks = [:]
    bulk = BulkLinks()
    hasEnded = true
    tell(.ended(reason))
  }
}
