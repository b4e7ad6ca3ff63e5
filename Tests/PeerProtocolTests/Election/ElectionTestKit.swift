import Basics
@testable import PeerProtocol
import WorldModel

/// A node with a number as identity; a lower number is a lower node.
func electionNode(_ number: UInt64) -> NodeID {
  NodeID(peer: PeerID(SHA256Digest(words: SIMD4(number, 0, 0, 0))), incarnation: number << 8)
}

/// So many milliseconds after the start.
func at(_ milliseconds: Int64) -> Instant {
  Instant(nanoseconds: milliseconds * 1_000_000)
}

extension HostElection {
  /// A node that has just started and knows the others as members.
  static func fresh(
    _ number: UInt64, members: [UInt64] = [], configuration: ElectionConfiguration = ElectionConfiguration()
  ) -> HostElection {
    var election = HostElection(
      me: electionNode(number), configuration: configuration, random: SeededRandom(seed: number), at: at(0))
    election.know(members, at: at(0))
    return election
  }

  /// A node that follows `host` at `epoch` since the start.
  static func follower(
    _ number: UInt64, of host: UInt64, epoch: UInt64, members: [UInt64] = []
  ) -> HostElection {
    var election = fresh(number, members: [host] + members)
    election.handle(.beat(electionBeat(epoch)), from: electionNode(host), at: at(0))
    _ = election.drain()
    return election
  }

  /// A node that is host since 0.6 s, at epoch 1.
  static func host(_ number: UInt64, members: [UInt64] = []) -> HostElection {
    var election = fresh(number)
    while !election.isHost, let deadline = election.deadline { election.tick(at: deadline) }
    election.know(members, at: at(700))
    return election
  }

  /// Sets the live members, equal but for their identity.
  mutating func know(_ members: [UInt64], at now: Instant) {
    let ranks = members.map { ElectionRank(priority: 128, joinSequence: 0, node: electionNode($0)) }
    setReachable(ranks.map { ElectionMember(rank: $0) }, at: now)
    _ = drain()
  }

  /// Everything it wants done.
  mutating func drain() -> [ElectionOutput] {
    var outputs: [ElectionOutput] = []
    while let output = nextOutput() { outputs.append(output) }
    return outputs
  }
}

extension ElectionOutput {
  /// The message that goes out, if one does.
  var message: ElectionMessage? {
    switch self {
    case .broadcast(let message), .send(let message, _): message
    case .hostChanged, .joinSequenceChanged: nil
    }
  }
}

/// A Beat of this epoch.
func electionBeat(
  _ epoch: UInt64, size: UInt16 = 2, priority: UInt8 = 128, sessionTime: UInt64 = 0
) -> ElectionMessage.Beat {
  .init(epoch: epoch, sequence: 1, size: size, priority: priority, sessionTime: sessionTime, nextJoinSequence: 3)
}
