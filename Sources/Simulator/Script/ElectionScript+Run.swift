package import AnchorReplication
import Basics
import PeerProtocol

extension ElectionScript {
  /// Runs the script; gives the transcript, or throws at the first line that does not hold.
  @discardableResult
  package func run(rules: ProtocolRules = .all) throws(ScriptFailure) -> Transcript {
    var world = ElectionWorld(seed: seed, count: count, rules: rules, transcript: Transcript(isOn: true))
    var marked = 0
    for (line, command) in commands {
      if case .mark = command { marked = world.simulation.monitor.claimCount }
      if let message = perform(command, in: &world, marked: marked) {
        throw ScriptFailure(line: line, message: message)
      }
      if let violation = world.violation { throw ScriptFailure(line: line, message: violation) }
    }
    return world.simulation.monitor.transcript
  }

  /// Carries out one command; what is wrong with its outcome, or nil.
  private func perform(_ command: ScriptCommand, in world: inout ElectionWorld, marked: Int) -> String? {
    switch command {
    case .fault(let fault): world.apply(fault)
    case .startAll: for index in 0..<count { world.apply(.start(index)) }
    case .run(let time): world.simulation.run(for: time)
    case .priority(let index, let priority): world.configurations[index].priority = priority
    case .neverHost(let index): world.configurations[index].canHost = false
    case .preemption: for index in 0..<count { world.configurations[index].preemption = true }
    case .handover(let index, let other): world.handover(index, to: other)
    case .request(let index): world.requestHost(index)
    case .resign(let index): world.resign(index)
    case .leave(let index): world.leave(index)
    case .join(let index, let other): world.join(index, of: other)
    case .mark: break
    case .expectHost(let host, let limit): return expect(host, within: limit, in: &world)
    case .expectHostAt(let index, let host): return expect(host, at: index, in: world)
    case .expectEpoch(let epoch):
      let found = world.simulation.running.indices.compactMap { world.election($0)?.epoch }
      return found.allSatisfy { $0 == epoch } ? nil : "the epochs are \(found)"
    case .expectClaims(let claims):
      let found = world.simulation.monitor.claimCount - marked
      return found == claims ? nil : "there were \(found) claims"
    }
    return nil
  }

  private func expect(_ host: Int?, within limit: Int64, in world: inout ElectionWorld) -> String? {
    let start = world.simulation.now
    while world.disagreement() != nil || world.commonHost() != host {
      guard world.simulation.now.nanoseconds(since: start) < limit, world.violation == nil else {
        return world.disagreement() ?? "the host is \(world.commonHost().map { String($0 + 1) } ?? "none")"
      }
      world.simulation.run(for: 10_000_000)
    }
    return nil
  }

  private func expect(_ host: Int?, at index: Int, in world: ElectionWorld) -> String? {
    guard let election = world.election(index) else { return "nothing runs on \(index + 1)" }
    let found = election.host.map(ElectionPeer.index)
    return found == host ? nil : "\(index + 1) follows \(found.map { String($0 + 1) } ?? "none")"
  }
}
