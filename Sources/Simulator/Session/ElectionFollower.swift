import PeerProtocol

/// One call of a node's election and what came of it.
struct ElectionStep: Sendable {
  let input: ElectionInput
  let said: [ElectionOutput]
  /// The election after the call.
  let election: HostElection
}

/// Follows the election of a node from outside: an election of its own is given what the organs tell that of the node.
struct ElectionFollower: Sendable {
  private var election: HostElection
  /// Notices of the node's present turn that have been looked at.
  private var seen: Int
  /// The steps since ``begin()``.
  private(set) var steps: [ElectionStep] = []

  /// Follows a node that has just been started.
  init(_ node: borrowing Node) {
    election = node.election
    seen = node.notices.count
  }

  /// Forgets the steps so far.
  mutating func begin() { steps.removeAll(keepingCapacity: true) }

  /// Looks at what the organs have told each other since the last look; called after every call of the node.
  ///
  /// - Parameter isNewTurn: Whether the node was given something, and has forgotten the notices before that.
  mutating func follow(_ node: inout Node, isNewTurn: Bool) {
    if isNewTurn { seen = 0 }
    for case .elect(let input) in node.notices[seen...] {
      election.take(input, at: node.time)
      var said: [ElectionOutput] = []
      while let output = election.nextOutput() { said.append(output) }
      steps.append(ElectionStep(input: input, said: said, election: election))
    }
    seen = node.notices.count
  }
}
