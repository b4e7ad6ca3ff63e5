import Basics
import WorldModel

/// How a wait until a certain peer hosts has ended.
package enum HostWaitResult: String, Sendable, Equatable {
  /// It hosts.
  case hosts
  /// The host does not hand over to this peer, which asked.
  case declined
  /// Time is up.
  case timedOut
}

/// The waits of the app until a certain peer hosts: what became of a request to host, or of a handover.
struct HostWaits: Sendable {
  private struct Wait: Sendable {
    let id: HostWaitID
    let peer: PeerID
    let deadline: Instant
  }

  private var waits: [Wait] = []

  /// When a wait runs out; nil for never.
  var deadline: Instant? { waits.map(\.deadline).min() }

  /// Begins a wait; ``run(in:)`` ends it.
  mutating func begin(_ id: HostWaitID, _ peer: PeerID, until deadline: Instant) {
    waits.append(Wait(id: id, peer: peer, deadline: deadline))
  }

  /// Forgets a wait.
  mutating func cancel(_ id: HostWaitID) { waits.removeAll { $0.id == id } }

  /// Ends the waits for `peer`, because the host has declined.
  mutating func decline(_ peer: PeerID, in turn: inout Turn) {
    for wait in waits where wait.peer == peer { turn.report(.hostAwaited(wait.id, .declined)) }
    waits.removeAll { $0.peer == peer }
  }

  /// Ends the waits that are fulfilled or over.
  mutating func run(in turn: inout Turn) {
    guard !waits.isEmpty else { return }
    let host = turn.mesh.host?.peer
    for wait in waits where wait.peer == host || wait.deadline <= turn.now {
      turn.report(.hostAwaited(wait.id, wait.peer == host ? .hosts : .timedOut))
    }
    waits.removeAll { $0.peer == host || $0.deadline <= turn.now }
  }
}
