import Basics
import WorldModel

extension Node {
  /// The lower id dials at once; the other side only if that has not worked.
  func memberPlan(for peer: PeerID, at now: Instant) -> DialPlan {
    let start = turn(with: peer, at: now)
    var plan = DialPlan(addresses: roster[peer]?.addresses ?? [], start: start)
    // What the peer itself said on a link comes before what others say of it: a lie must not make it unreachable.
    plan.add(provenAddresses[peer] ?? [], at: start)
    return plan
  }

  /// Dials members that are not linked directly.
  mutating func dialMembers(at now: Instant) {
    for entry in roster.entries where entry.status == .present && entry.peerID != me.peer {
      let peer = entry.peerID
      guard controlLinks[peer] == nil, var member = members[peer] else { continue }
      let dial = DialID(rawValue: freshNumber())
      if let address = member.plan.attempt(dial, at: now, random: &random) {
        dials[dial] = .member(peer)
        emit(.connect(dial, address))
      }
      members[peer] = member
    }
  }

  /// Dials a member whose link is gone; one after another that do not last are made further and further apart.
  mutating func dialAgain(after link: Link, at now: Instant) {
    guard let brief = members[link.peer]?.plan, let since = link.memberSince else { return }
    var plan = memberPlan(for: link.peer, at: now)
    if now - since < ProtocolTimes.lastingLink { plan.goOn(from: brief, at: now, random: &random) }
    members[link.peer]?.plan = plan
  }

  /// The network may have changed, as a fresh link shows: whoever is not linked is dialled soon.
  mutating func hastenDials(at now: Instant) {
    let missing = roster.entries.filter { controlLinks[$0.peerID] == nil && members[$0.peerID] != nil }
    for entry in missing { hastenDial(to: entry.peerID, among: missing.count, at: now) }
    for index in outgoing.indices where outgoing[index].peer == nil {
      let soon = now + spread(over: outgoing.count)
      outgoing[index].plan.hasten(to: soon)
    }
  }

  /// A member may answer again, one of `count` of which that is known at once: it is dialled soon.
  mutating func hastenDial(to peer: PeerID, among count: Int = 1, at now: Instant) {
    guard controlLinks[peer] == nil, members[peer] != nil else { return }
    let soon = turn(with: peer, at: now) + spread(over: count)
    members[peer]?.plan.hasten(to: soon)
  }

  /// When this side's turn to dial begins: the lower id comes first.
  private func turn(with peer: PeerID, at now: Instant) -> Instant {
    me.peer < peer ? now : now + ProtocolTimes.dialStagger
  }

  /// A random wait that keeps dials to `count` peers apart.
  private mutating func spread(over count: Int) -> Duration {
    let most = ProtocolTimes.newsSpread * max(count, 5)
    return .nanoseconds(Int64(random.below(UInt64(most.wholeNanoseconds))))
  }
}
