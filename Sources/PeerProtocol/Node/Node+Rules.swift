import Basics
import WorldModel

extension Node {
  /// Whether this node may lock the session and put members out: as host, or while it is alone.
  package var mayRule: Bool { election.host == me || roster.presentCount == 1 }

  /// Why a peer cannot come in; nil if it can, as every member may that is admitted already.
  func refusal(of peer: PeerID) -> EndReason? {
    roster.admits(peer) ? nil : invitationRefusal
  }

  /// Why nobody new can be invited; nil if somebody can.
  var invitationRefusal: EndReason? {
    if rules.isLocked { return .locked }
    return roster.presentCount >= rules.limit ? .limitExceeded : nil
  }

  /// Locks the session for newcomers, or opens it again; only the host does.
  mutating func setLocked(_ isLocked: Bool, at now: Instant) {
    let before = rules
    guard mayRule else { return }
    rules.setLocked(isLocked)
    if rules != before { rulesChanged(except: nil) }
  }

  /// Takes the rules that a member tells, if that may say so.
  ///
  /// Nobody but the host sets them, so whoever follows one takes its word, and nobody else's. Only where there is no host,
  /// and at the host from those who do not follow it, as when it is new or meets another session, do numbers decide.
  mutating func receiveRules(_ received: SessionRules, from teller: PeerID) {
    let isNews: Bool
    if configuration.mistakes.node.contains(.believesEverything) || election.host == nil {
      isNews = rules.merge(received)
    } else if election.host != me {
      isNews = speakForHost([teller]) && rules.follow(received)
    } else if isFollowed(by: teller) {
      isNews = false
      if received != rules, let id = controlLinks[teller] { sendRules(on: id) }
    } else {
      isNews = rules.merge(received)
    }
    if isNews { rulesChanged(except: teller) }
  }

  /// Says the rules again, now and then: whoever did not take them when they changed may have another host by now.
  ///
  /// Where nobody has set any there is nothing to say, but to those who have them from here alone, and may have been lied to.
  mutating func repeatRules() {
    for id in memberLinks where rules.version > 0 || isFarFromHost(links[id]?.node) { sendRules(on: id) }
  }

  /// Whether a neighbour has no link to the host, as it announces it.
  private func isFarFromHost(_ node: NodeID?) -> Bool {
    guard let node, let host = election.host, host != me, host != node, let place = graph.place(of: host) else {
      return false
    }
    return !graph.linked(to: node).contains(place)
  }

  /// Tells a new host the rules, before it can count this node among its followers: it may not have heard of the last change.
  mutating func tellRules(to host: NodeID) {
    guard rules.version > 0, let id = controlLinks[host.peer], carriesMember(id) else { return }
    sendRules(on: id)
  }

  /// A lone peer that enters another session leaves its own rules behind.
  mutating func forgetRules() {
    guard rules != SessionRules() else { return }
    rules = SessionRules()
    tell(.rulesChanged(rules))
  }

  private mutating func rulesChanged(except peer: PeerID?) {
    for id in memberLinks where links[id]?.peer != peer { sendRules(on: id) }
    tell(.rulesChanged(rules))
  }

  mutating func sendRules(on id: LinkID) {
    let rules = rules
    sendControl(.rules, on: id) { rules.write(to: &$0) }
  }
}
