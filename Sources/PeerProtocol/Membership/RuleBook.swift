import AnchorReplication
import WorldModel

/// The rules of the session, as this node holds them, and telling them.
///
/// Nobody but the host sets them, so a follower takes its host's word, and nobody else's. Only where there is no host,
/// and at the host from those who do not follow it, as when it is new or meets another session, do numbers decide.
struct RuleBook: Sendable {
  private var rules: SessionRules

  init(_ rules: SessionRules) {
    self.rules = rules
  }

  /// Lets all organs see the rules that this node starts with.
  func begin(in turn: inout Turn) { turn.mesh.publish(rules: rules) }

  /// Locks the session for newcomers, or opens it again; false when this node may not.
  mutating func setLocked(_ isLocked: Bool, in turn: inout Turn) -> Bool {
    let before = rules
    guard turn.mayRule else { return false }
    rules.setLocked(isLocked)
    if rules != before { changed(except: nil, in: &turn) }
    return true
  }

  /// Goes on with the rules that an earlier start of this peer held.
  mutating func resume(_ kept: SessionRules, in turn: inout Turn) {
    rules = kept
    turn.mesh.publish(rules: rules)
  }

  /// Takes the rules that a member tells, if that may say so.
  mutating func receive(_ received: SessionRules, from teller: MemberLink, in turn: inout Turn) {
    // There they follow from what is signed.
    guard !turn.mesh.governance.isInForce else { return }
    let isNews: Bool
    if !turn.configuration.rules.contains(.judgment) || turn.mesh.host == nil {
      isNews = rules.merge(received)
    } else if turn.mesh.host != turn.me {
      isNews = turn.speaksForHost([teller.peer]) && rules.follow(received)
    } else if turn.isFollowed(by: teller.peer) {
      isNews = false
      if received != rules { send(on: teller.link, in: &turn) }
    } else {
      isNews = rules.merge(received)
    }
    if isNews { changed(except: teller.peer, in: &turn) }
  }

  /// Says the rules again, now and then: a member that did not take them when they changed may have another host by now.
  ///
  /// Where nobody has set any there is nothing to say, but to those who have them from here alone, and may have been lied to.
  func repeatRules(in turn: inout Turn) {
    guard !turn.mesh.governance.isInForce else { return }
    for member in turn.mesh.links.members where rules.version > 0 || isFarFromHost(member.node, in: turn) {
      send(on: member.link, in: &turn)
    }
  }

  /// Whether a neighbour has no link to the host, as it announces it.
  private func isFarFromHost(_ node: NodeID, in turn: borrowing Turn) -> Bool {
    guard let host = turn.mesh.host, host != turn.me, host != node, let slot = turn.mesh.graph.slot(of: host) else {
      return false
    }
    return !turn.mesh.graph.linked(to: node).contains(slot)
  }

  /// Tells a new member the rules, where anybody has set some.
  func introduce(on link: LinkRef, in turn: inout Turn) {
    if rules.version > 0, !turn.mesh.governance.isInForce { send(on: link, in: &turn) }
  }

  /// Tells a new host the rules, before it can count this node among its followers: it may not have heard of the last change.
  func tell(_ host: NodeID, in turn: inout Turn) {
    guard let link = turn.mesh.links.carrier(of: host.peer), turn.mesh.links.member(link) != nil else { return }
    introduce(on: link, in: &turn)
  }

  /// Goes by the rules of an owned session.
  mutating func follow(_ governance: GovernanceView, in turn: inout Turn) {
    guard governance.isInForce, let limit = governance.record?.genesis.limit else { return }
    let owned = SessionRules(isLocked: governance.isLocked, limit: limit)
    guard owned != rules else { return }
    rules = owned
    turn.mesh.publish(rules: rules)
    turn.report(.rulesChanged(rules))
  }

  /// A lone peer that enters another session leaves its own rules behind.
  mutating func forget(in turn: inout Turn) {
    guard rules != SessionRules() else { return }
    rules = SessionRules()
    turn.mesh.publish(rules: rules)
    turn.report(.rulesChanged(rules))
  }

  private func changed(except peer: PeerID?, in turn: inout Turn) {
    turn.mesh.publish(rules: rules)
    for member in turn.mesh.links.members where member.peer != peer { send(on: member.link, in: &turn) }
    turn.report(.rulesChanged(rules))
  }

  private func send(on link: LinkRef, in turn: inout Turn) {
    turn.send(.rules, on: link) { rules.write(to: &$0) }
  }
}
