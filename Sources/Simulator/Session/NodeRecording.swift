package import Basics
package import PeerProtocol

/// Everything that was done to a node since it was started: enough to do it again to a fresh one.
package struct NodeRecording: Sendable {
  /// One thing that was done.
  package enum Step: Sendable {
    /// The node was given an input.
    case input(Input, at: Instant)
    /// The node was given bytes that arrived on a link.
    case bytes([UInt8], on: LinkID, at: Instant)
    /// The node was asked for an output so many times.
    case outputs(Int)
    /// The node was asked for all its anchors, which it has sorted from then on.
    case listing
  }

  private let configuration: NodeConfiguration
  private let record: NodeRecord?
  private let start: Instant
  /// The calls, in order.
  package private(set) var steps: [Step] = []

  /// Of a node that starts now.
  package init(_ configuration: NodeConfiguration, restoring record: NodeRecord?, at now: Instant) {
    self.configuration = configuration
    self.record = record
    start = now
  }

  mutating func add(_ step: Step) {
    if case .outputs(let more) = step, case .outputs(let before)? = steps.last {
      steps[steps.count - 1] = .outputs(before + more)
    } else {
      steps.append(step)
    }
  }

  /// Does everything again to a fresh node; gives that node and the digest of all that it asked for.
  package func replay() -> (node: Node, digest: OutputDigest) {
    var node = Node(configuration, restoring: record, at: start)
    var digest = OutputDigest()
    for step in steps {
      switch step {
      case .input(let input, let now): node.handle(input, at: now)
      case .bytes(let bytes, let link, let now): unsafe node.receive(bytes.span.bytes, on: link, at: now)
      case .listing: _ = node.allAnchors
      case .outputs(let count):
        for _ in 0..<count { if let output = node.nextOutput() { digest.add(output) } }
      }
    }
    return (node, digest)
  }
}
