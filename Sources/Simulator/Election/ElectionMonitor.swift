package import Basics
import PeerProtocol

/// Lets an ``ElectionWatch`` look at nodes that do nothing but elect.
package struct ElectionMonitor: SimulationMonitor {
  package typealias Node = ElectionPeer

  private var watch: ElectionWatch

  package init(count: Int, transcript: Transcript) {
    watch = ElectionWatch(count: count, transcript: transcript)
  }

  /// The first invariant that did not hold.
  package var violation: String? { watch.violation }
  /// Changes of host seen by any node so far.
  var hostChanges: Int { watch.hostChanges }
  /// Claims by any node so far.
  var claimCount: Int { watch.claimCount }
  /// The transcript, if one is kept.
  package var transcript: Transcript { watch.transcript }

  /// Adds a line to the transcript; the text is made only if it is kept.
  mutating func note(_ text: @autoclosure () -> String, at now: Instant) {
    watch.transcript.add(at: now, text())
  }

  package mutating func started(_ index: Int, node: borrowing ElectionPeer, at now: Instant) {
    watch.started(index, node.election, at: now)
  }

  package mutating func resumed(
    _ index: Int, node: borrowing ElectionPeer, slept: Int64, local: Instant, at now: Instant
  ) {
    watch.resumed(index, node.election, slept: slept, local: local, at: now)
  }

  package mutating func stepped(_ index: Int, node: borrowing ElectionPeer, local: Instant, at now: Instant) {
    watch.stepped(
      index,
      ElectionObservation(
        election: node.election, heard: node.heard, said: node.said, wish: node.wish, local: local, now: now))
  }
}
