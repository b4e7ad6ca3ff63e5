package import AnchorReplication
import Basics
import PeerProtocol

/// The kinds of run that a seed can stand for.
package enum ElectionScenario: String, CaseIterable, Sendable {
  /// Faults of every kind for 20 s, then rest: E1 within 12 s and to the end, E2, E3, E4, E7.
  case chaos
  /// The host of a session at rest crashes silently: E6.
  case failover
  /// A session splits in two of unequal size and heals: E5.
  case merge
  /// Newcomers that are ranked better join a session: the host stays.
  case joins
  /// A follower hears nothing from its host any more but everything from others: nobody takes over.
  case deaf

  /// Runs one seed with `count` nodes, 2 at least, each keeping these rules, with the faults of `plan` instead of random ones.
  package func run(
    seed: UInt64, count: Int, rules: ProtocolRules = .all, recording: Bool = false, plan: FaultPlan? = nil
  ) -> RunOutcome {
    var random = SeededRandom(seed: seed ^ 0x5eed)
    var profile = Self.profile(&random)
    if self == .deaf { profile.silence = 6_000_000_000...8_000_000_000 }
    var world = ElectionWorld(
      seed: seed, count: max(2, count), rules: rules, profile: profile, transcript: Transcript(isOn: recording))
    for index in 0..<world.count { world.configurations[index].priority = [128, 128, 128, 200][random.below(4)] }
    var run = ElectionRun(world: world, random: random)
    switch self {
    case .chaos: run.chaos(plan)
    case .failover: run.failover()
    case .merge: run.merge()
    case .joins: run.joins()
    case .deaf: run.deaf()
    }
    return run.outcome
  }

  /// A cable, a good or a bad radio link.
  private static func profile(_ random: inout SeededRandom) -> NetworkProfile {
    var profile = NetworkProfile()
    profile.jitter = [500_000, 3_000_000, 20_000_000, 60_000_000][random.below(4)]
    return profile
  }
}

/// One run of a scenario.
struct ElectionRun {
  var world: ElectionWorld
  var random: SeededRandom
  private var time: Int64?
  private var violation: String?
  /// The faults so far.
  private var plan = FaultPlan()

  init(world: ElectionWorld, random: SeededRandom) {
    self.world = world
    self.random = random
  }

  var outcome: RunOutcome {
    var outcome = RunOutcome(
      violation: violation ?? world.violation, time: time, simulated: world.simulation.now.nanoseconds,
      delivered: world.simulation.delivered, transcript: world.simulation.monitor.transcript)
    outcome.plan = plan
    return outcome
  }

  private var isOver: Bool { violation != nil || world.violation != nil }

  private mutating func fail(_ text: String) {
    violation = violation ?? "\(world.simulation.now) \(text)"
  }

  private mutating func startAll(within span: Int64) {
    for index in 0..<world.count {
      world.simulation.run(for: Int64(random.below(UInt64(span / Int64(world.count) + 1))))
      world.apply(.start(index))
    }
  }

  /// Lets a fresh session come to rest; false if it does not.
  private mutating func settleIn() -> Bool {
    startAll(within: 1_000_000_000)
    guard world.runUntilAgreed(within: 12_000_000_000) != nil else {
      fail(world.disagreement() ?? "no rest")
      return false
    }
    world.simulation.run(for: 3_000_000_000 + Int64(random.below(UInt64(1_000_000_000))))
    return world.violation == nil
  }

  /// Faults drawn at random for 20 s, or those of a plan.
  mutating func chaos(_ given: FaultPlan?) {
    for index in 0..<world.count where random.chance(percent: 5) { world.configurations[index].canHost = false }
    let preemption = random.chance(percent: 20)
    for index in 0..<world.count { world.configurations[index].preemption = preemption }
    startAll(within: 2_000_000_000)
    world.simulation.run(for: 2_000_000_000)
    var schedule = FaultSchedule(count: world.count, random: random.split())
    let end = world.simulation.now.advanced(byNanoseconds: 20_000_000_000)
    while given.map({ plan.steps.count < $0.steps.count }) ?? (world.simulation.now < end), !isOver {
      if random.chance(percent: 8) { askSomething() }
      let (running, awake) = (world.simulation.running, world.simulation.awake)
      let step =
        given?.steps[plan.steps.count]
        ?? FaultPlan.Step(fault: schedule.next(running: running, awake: awake), pause: schedule.pause())
      plan.append(step)
      if let fault = step.fault { world.apply(fault) }
      world.simulation.run(for: step.pause)
    }
    if random.chance(percent: 50) { world.apply(.heal) }
    for index in 0..<world.count { world.apply(.resume(index)) }
    if !isOver { rest() }
  }

  /// After the last fault: agreement within 12 s, then no change for 5 s.
  private mutating func rest() {
    let start = world.simulation.now
    var agreedSince: Instant?
    var changes = 0
    while !isOver {
      world.simulation.run(for: 50_000_000)
      let now = world.simulation.now
      if let text = world.disagreement() {
        agreedSince = nil
        if now.nanoseconds(since: start) > 12_000_000_000 { fail(text) }
        continue
      }
      if agreedSince == nil || changes != world.simulation.monitor.hostChanges {
        agreedSince = now
        changes = world.simulation.monitor.hostChanges
      }
      guard let agreedSince, now.nanoseconds(since: agreedSince) > 5_000_000_000 else { continue }
      time = agreedSince.nanoseconds(since: start)
      return
    }
  }

  /// An app asks for something at a bad moment.
  private mutating func askSomething() {
    let one = random.below(world.count)
    switch random.below(5) {
    case 0: world.requestHost(one)
    case 1: world.handover(one, to: random.node(otherThan: one, of: world.count))
    case 2: world.resign(one)
    case 3: world.leave(one)
    default: world.join(one, of: random.node(otherThan: one, of: world.count))
    }
  }

  mutating func failover() {
    guard settleIn(), let host = world.commonHost() else { return }
    world.apply(.crash(host, silently: true))
    time = world.runUntilAgreed(within: 10_000_000_000)
    guard let time else { return fail(world.disagreement() ?? "no new host") }
    if time > 3_500_000_000 { fail("E6 the new host came after \(time / 1_000_000) ms") }
  }

  mutating func merge() {
    guard settleIn(), world.count > 2 else { return }
    let small = 1 + random.below((world.count - 1) / 2)
    var sides = (0..<world.count).map { $0 < small ? 0 : 1 }
    sides.shuffle(using: &random)
    world.apply(.split(sides))
    world.simulation.run(for: 7_000_000_000 + Int64(random.below(UInt64(2_000_000_000))))
    if let text = world.disagreement() { return fail(text) }
    let larger = (0..<world.count).first { sides[$0] == 1 && world.election($0)?.isHost == true }
    world.apply(.heal)
    time = world.runUntilAgreed(within: 10_000_000_000)
    guard time != nil else { return fail(world.disagreement() ?? "no merge") }
    world.simulation.run(for: 3_000_000_000)
    if let text = world.disagreement() { return fail(text) }
    if world.commonHost() != larger { fail("E5 the host of the larger side did not survive the merge") }
  }

  mutating func joins() {
    let newcomers = 1 + random.below(max(1, world.count / 2))
    for index in 0..<newcomers { world.configurations[index].priority = 255 }
    for index in newcomers..<world.count { world.apply(.start(index)) }
    guard world.runUntilAgreed(within: 12_000_000_000) != nil, let host = world.commonHost() else {
      return fail(world.disagreement() ?? "no rest")
    }
    world.simulation.run(for: 2_000_000_000)
    for index in 0..<newcomers {
      world.apply(.start(index))
      world.simulation.run(for: Int64(random.below(UInt64(1_000_000_000))))
    }
    time = world.runUntilAgreed(within: 5_000_000_000)
    world.simulation.run(for: 4_000_000_000)
    if let text = world.disagreement() { return fail(text) }
    if world.commonHost() != host { fail("E4 a newcomer took over") }
  }

  mutating func deaf() {
    guard settleIn(), world.count > 2, let host = world.commonHost() else { return }
    let claims = world.simulation.monitor.claimCount
    let follower = random.node(otherThan: host, of: world.count)
    world.apply(.cutOneWay(from: host, to: follower))
    world.simulation.run(for: 5_500_000_000)
    if world.simulation.monitor.claimCount > claims { fail("E4 a node that heard of a host took over") }
  }
}
