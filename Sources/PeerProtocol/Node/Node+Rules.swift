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

  mutating func receiveRules(_ received: SessionRules, from peer: PeerID) {
    if rules.merge(received) { rulesChanged(except: peer) }
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
