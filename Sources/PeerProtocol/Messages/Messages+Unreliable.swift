import AnchorReplication
import Basics
import WorldModel

/// Unreliable messages: nothing is repeated, reported or waited for.
extension Messages {
  /// Lets a message leave to these members, or to all, in the place of an older one of its key that has not left.
  mutating func offer(_ message: UnreliableMessage, to peers: [PeerID]?, in turn: inout Turn) {
    let (limit, rules) = (turn.configuration.unreliableLimit, turn.configuration.rules)
    for index in outflows.indices where isReceiver(index, in: peers, .ordinary) {
      outflows[index].unreliable.put(message, limit: limit, rules: rules)
      pump(index, in: &turn)
    }
  }

  /// Appends unreliable messages that wait for a link while there is room; whether some are left.
  mutating func writeUnreliable(on link: LinkRef, in turn: inout Turn) -> Bool {
    var rest = lanes.update(link) { $0.unreliable.move(to: &turn.outbox.scratch) } ?? false
    for index in outflows.indices where !outflows[index].unreliable.isEmpty {
      let receiver = outflows[index].receiver
      var route: FrameRoute?
      switch outflows[index].way {
      case .none: continue
      case .direct(let own): guard own == link else { continue }
      case .relayed:
        guard turn.nextLink(to: receiver) == link else { continue }
        route = FrameRoute(from: turn.me, to: receiver)
      }
      if outflows[index].unreliable.move(to: &turn.outbox.scratch, via: route) { rest = true }
    }
    return rest
  }

  /// Hands a message to the app unless a newer one of its key came before, or passes it on.
  mutating func receive(_ message: UnreliableMessage, from sender: MemberLink, in turn: inout Turn) {
    guard var route = message.route else { return deliver(message, from: sender.node, in: &turn) }
    // After a split its sender may not yet count as reachable here: unlike a reliable message this one comes once.
    let isFar = turn.mesh.isMember(route.from) && turn.mesh.memberLink(to: route.from) == nil
    guard isFar || route.from == sender.node else { return }
    guard route.to != turn.me else { return deliver(message, from: route.from, in: &turn) }
    guard route.hops < ProtocolLimits.hops, let hop = turn.nextLink(to: route.to, avoiding: sender.node) else { return }
    route.hops += 1
    var message = message
    message.route = route
    let (limit, rules) = (turn.configuration.unreliableLimit, turn.configuration.rules)
    lanes.update(hop) { lane in
      lane.unreliable.put(message, limit: limit, rules: rules)
      lane.isWaiting = true
    }
    turn.flush(hop)
  }

  private mutating func deliver(_ message: UnreliableMessage, from sender: NodeID, in turn: inout Turn) {
    let rules = turn.configuration.rules
    guard let index = unreliableInflow(of: sender, in: turn), unreliableInflows[index].admit(message, rules: rules)
    else { return }
    guard turn.isPresent(sender.peer) else {
      return unreliableInflows[index].early.put(message, limit: ProtocolLimits.earlyUnreliable, rules: rules)
    }
    turn.report(.unreliable(message.bytes, message.kind, key: message.key, from: sender))
  }

  /// Hands over what came before the app was told of its sender.
  mutating func showUnreliable(in turn: inout Turn) {
    for index in unreliableInflows.indices where turn.isPresent(unreliableInflows[index].sender.peer) {
      let sender = unreliableInflows[index].sender
      for message in unreliableInflows[index].early.takeAll() {
        turn.report(.unreliable(message.bytes, message.kind, key: message.key, from: sender))
      }
    }
  }

  /// The slot of what a peer has sent, where a later start of it begins without a past; nil for an earlier start.
  private mutating func unreliableInflow(of sender: NodeID, in turn: borrowing Turn) -> Int? {
    if let index = unreliableInflows.firstIndex(where: { $0.sender.peer == sender.peer }) {
      let known = unreliableInflows[index].sender
      guard known != sender, turn.configuration.rules.contains(.unreliableStarts) else { return index }
      // Numbers of starts have no order; the peer's record names the later one, from its hello on.
      guard !turn.mesh.isMember(known) else { return nil }
      unreliableInflows[index] = UnreliableInflow(sender)
      return index
    }
    if unreliableInflows.count >= ProtocolLimits.messageSenders {
      unreliableInflows.remove(at: unreliableInflows.firstIndex { !turn.mesh.isMember($0.sender) } ?? 0)
    }
    unreliableInflows.append(UnreliableInflow(sender))
    return unreliableInflows.count - 1
  }
}
