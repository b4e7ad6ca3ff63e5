import Basics
import WorldModel

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

  /// Ends the waits that are fulfilled or over.
  mutating func run(in turn: inout Turn) {
    guard !waits.isEmpty else { return }
    let host = turn.mesh.host?.peer
    for wait in waits where wait.peer == host || wait.deadline <= turn.now {
      turn.report(.hostAwaited(wait.id, isHost: wait.peer == host))
    }
    waits.removeAll { $0.peer == host || $0.deadline <= turn.now }
  }
}
