package import Basics

/// An input of a node to its election.
package enum ElectionInput: Sendable {
  /// A message arrived that `from` originated.
  case message(ElectionMessage, from: NodeID)
  /// The members that a path of links leads to have changed.
  case reachable([ElectionMember])
  /// A member left the session or was removed.
  case left(NodeID)
  /// This node stood still for so long.
  case stalled(Duration)
  /// The deadline has come.
  case tick
  /// This node enters the session of a member.
  case join(NodeID?)
  /// This node leaves: another is to host.
  case resign
  /// The app asks to host.
  case request
  /// The app hands over.
  case handover(to: NodeID)
  /// An earlier session had come to this session time (ms): it goes on from there.
  case resumeTime(UInt64)
}

extension HostElection {
  /// Takes an input; the outputs are to be drained.
  package mutating func take(_ input: ElectionInput, at now: Instant) {
    switch input {
    case .message(let message, let sender): handle(message, from: sender, at: now)
    case .reachable(let members): setReachable(members, at: now)
    case .left(let node): left(node, at: now)
    case .stalled(let gap): clockJumped(by: gap, at: now)
    case .tick: tick(at: now)
    case .join(let member): join(member, at: now)
    case .resign: resign(at: now)
    case .request: requestHost(at: now)
    case .handover(let node): _ = handover(to: node, at: now)
    case .resumeTime(let time): beginSessionTime(at: time, now)
    }
  }
}
