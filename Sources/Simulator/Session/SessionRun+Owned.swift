import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

/// An owned session with a member that is removed, an accomplice, a guest that writes and a stranger.
extension SessionRun {
  /// Parts of the session split and merge, at random or by a plan, while everybody edits, and the moderator or the creator
  /// removes one and locks.
  ///
  /// At rest the honest ones hold the same statements, members and anchors (A4), and nothing that the removed one wrote after all of
  /// them knew of its removal (A5), nor what the guest wrote after all of them knew of its role, nor a map of one that may share
  /// none (A6).
  mutating func owned(_ given: FaultPlan?) {
    guard let cast = world.cast else { return }
    for index in 0..<world.count where index != cast.stranger { world.apply(.start(index)) }
    guard admitAll(cast) else { return }
    if let stranger = cast.stranger { world.apply(.start(stranger)) }
    name(OwnedCast.moderator)
    guard let guests = demoteGuest(cast) else { return }
    let removal = 4 + random.below(8)
    for step in 0..<(given?.steps.count ?? 20) where world.violation == nil {
      for _ in 0..<random.below(8) { app.edit(in: &world, at: random.below(world.count)) }
      for _ in 0..<random.below(4) { app.place(in: &world, at: OwnedCast.rebel) }
      cast.guest.map { actAsGuest($0) }
      if step == removal { remove(by: random.below(2)) }
      if step == removal + 2, random.chance(percent: 30) { remove(by: random.below(2)) }
      if random.chance(percent: 10) { lock(by: random.below(2)) }
      if random.chance(percent: 5), step > removal { demote() }
      apply(given?.steps[step] ?? draw(cast))
      world.checkMeaning(cast.honest[random.below(cast.honest.count)])
    }
    world.mendAll()
    for index in cast.honest where !world.simulation.isRunning(index) { world.start(index, withRecord: true) }
    guard awaitRemoval(cast) else { return }
    let most = cast.honest.compactMap { index in
      world.node(index)?.anchors.applied(of: SessionPeer.identity(of: OwnedCast.rebel))
    }.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: max) }
    for _ in 0..<5 { app.place(in: &world, at: OwnedCast.rebel) }
    world.simulation.run(for: 12_000_000_000)
    for index in [OwnedCast.rebel, OwnedCast.accomplice, cast.stranger, cast.guest].compactMap(\.self) {
      world.apply(.crash(index, silently: false))
    }
    guard let took = agree(within: 60_000_000_000) else { return }
    time = took
    check(cast, most: most)
    checkGuest(cast, most: guests)
  }

  /// Makes the guest one, and returns what it had written once all honest ones know; nil if they do not.
  private mutating func demoteGuest(_ cast: OwnedCast) -> [UInt64: UInt64]? {
    guard let guest = cast.guest.map(SessionPeer.identity) else { return [:] }
    world.perform(OwnedCast.creator) { node, now in node.handle(.setRole(.guest, of: guest), at: now) }
    for _ in 0..<100 where world.violation == nil {
      world.simulation.run(for: 100_000_000)
      let nodes = cast.honest.compactMap { world.node($0) }
      guard nodes.allSatisfy({ $0.ownedSession.roles[guest] == .guest }) else { continue }
      return nodes.map { $0.anchors.applied(of: guest) }.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: max) }
    }
    fail("A4 not all know of the guest")
    return nil
  }

  /// The guest writes, and it and the accomplice share maps now and then.
  private mutating func actAsGuest(_ guest: Int) {
    for _ in 0..<random.below(3) { app.place(in: &world, at: guest) }
    guard random.chance(percent: 20) else { return }
    let map = MapPackage(map: (0..<1_000).map { _ in UInt8(random.below(256)) })
    let index = random.chance(percent: 50) ? guest : OwnedCast.accomplice
    world.share(map, from: index)
  }

  private mutating func checkGuest(_ cast: OwnedCast, most: [UInt64: UInt64]) {
    guard let guest = cast.guest else { return }
    for index in cast.honest {
      guard let node = world.node(index) else { continue }
      for (run, sequence) in node.anchors.applied(of: SessionPeer.identity(of: guest)) where sequence > most[run] ?? 0 {
        fail("A6 \(index + 1) has what the guest wrote")
      }
      if node.currentMap != nil { fail("A6 \(index + 1) has a map of one that may share none") }
    }
  }

  /// Waits until the creator has admitted all but the stranger.
  private mutating func admitAll(_ cast: OwnedCast) -> Bool {
    let members = (0..<cast.count).filter { $0 != cast.stranger }
    let start = world.simulation.now
    while world.violation == nil {
      let isDone = members.allSatisfy { index in
        world.node(index)?.ownedSession.roles.count == members.count
          && members.allSatisfy { world.node(index)?.roster.admits(SessionPeer.identity(of: $0)) == true }
      }
      if isDone { return true }
      guard world.simulation.now.nanoseconds(since: start) < 30_000_000_000 else { break }
      world.simulation.run(for: 100_000_000)
    }
    // By the open rules that it keeps the rebel believes the accomplice, and ends: then there is nobody to be removed.
    if world.node(OwnedCast.rebel)?.hasEnded != true { fail("A4 not all are admitted") }
    return false
  }

  private mutating func name(_ index: Int) {
    let peer = SessionPeer.identity(of: index)
    world.perform(OwnedCast.creator) { node, now in node.handle(.setRole(.moderator, of: peer), at: now) }
    world.simulation.run(for: 1_000_000_000)
  }

  private mutating func remove(by index: Int) {
    world.simulation.monitor.expel(OwnedCast.rebel)
    world.simulation.monitor.note("\(index + 1) removes \(OwnedCast.rebel + 1)", at: world.simulation.now)
    let peer = SessionPeer.identity(of: OwnedCast.rebel)
    world.perform(index) { node, now in node.handle(.kick(peer), at: now) }
  }

  private mutating func lock(by index: Int) {
    let isLocked = random.chance(percent: 50)
    world.perform(index) { node, now in node.handle(.setLocked(isLocked), at: now) }
  }

  /// The moderator is a member again: what it has said is said by the creator.
  private mutating func demote() {
    let peer = SessionPeer.identity(of: OwnedCast.moderator)
    world.simulation.monitor.note("1 makes 2 a member", at: world.simulation.now)
    world.perform(OwnedCast.creator) { node, now in node.handle(.setRole(.member, of: peer), at: now) }
  }

  /// The next fault: members and the accomplice restart, the creator and the moderator only lose their way.
  private mutating func fault(_ cast: OwnedCast) -> Fault {
    let one = random.below(cast.count)
    let other = (one + 1 + random.below(cast.count - 1)) % cast.count
    switch random.below(10) {
    case 0, 1: return .split((0..<cast.count).map { _ in random.below(2) })
    case 2, 3: return .heal
    case 4: return .cut(one, other)
    case 5: return .reset(one, other)
    case 6: return .clog(from: one, to: other, delay: Int64(random.below(UInt64(400_000_000))))
    case 7 where one > OwnedCast.moderator:
      return world.simulation.isRunning(one) ? .crash(one, silently: random.chance(percent: 50)) : .start(one)
    default: return .mend(one, other)
    }
  }

  /// The next step, drawn from the same numbers as what the apps do.
  private mutating func draw(_ cast: OwnedCast) -> FaultPlan.Step {
    let fault = self.fault(cast)
    var hasRecord = false
    if case .start = fault { hasRecord = random.chance(percent: 70) }
    let pause: Int64 = [50_000_000, 400_000_000, 1_000_000_000, 2_500_000_000][random.below(4)]
    return FaultPlan.Step(fault: fault, pause: pause, hasRecord: hasRecord, rest: random)
  }

  private mutating func apply(_ step: FaultPlan.Step) {
    plan.append(step)
    // The apps go on alike when the step was drawn, given, or given without its fault.
    random = step.rest ?? random
    if let fault = step.fault { apply(fault, withRecord: step.hasRecord) }
    world.simulation.run(for: step.pause)
  }

  private mutating func apply(_ fault: Fault, withRecord hasRecord: Bool) {
    switch fault {
    case .crash(let index, let silently): world.crash(index, silently: silently)
    case .start(let index): world.start(index, withRecord: hasRecord)
    case .cutOneWay, .cut, .mend, .split, .heal, .reset, .clog, .stop, .resume: world.apply(fault)
    }
  }

  /// Removes the rebel again by the creator, in case the removal is lost with a moderator that is none, and waits until all know.
  private mutating func awaitRemoval(_ cast: OwnedCast) -> Bool {
    remove(by: OwnedCast.creator)
    let peer = SessionPeer.identity(of: OwnedCast.rebel)
    let unaware = { (world: SessionWorld) in
      cast.honest.filter { world.node($0)?.ownedSession.removed.contains(peer) != true }
    }
    for _ in 0..<400 where world.violation == nil && !unaware(world).isEmpty { world.simulation.run(for: 100_000_000) }
    guard endStrays(among: unaware(world), cast) else {
      fail("A4 not all know of the removal")
      return false
    }
    // Cuts that are still on their way to be raised.
    world.simulation.run(for: 6_000_000_000)
    return true
  }

  /// Ends the nodes that are in a session of the stranger; whether these are all.
  ///
  /// A member that began without its state knows of no session, and its app goes along with whom it meets first.
  private mutating func endStrays(among nodes: [Int], _ cast: OwnedCast) -> Bool {
    guard let stranger = cast.stranger.map(SessionPeer.identity) else { return nodes.isEmpty }
    for index in nodes {
      guard world.node(index)?.roster.admits(stranger) == true else { return false }
      world.apply(.crash(index, silently: false))
    }
    return true
  }

  private mutating func check(_ cast: OwnedCast, most: [UInt64: UInt64]) {
    let record = world.node(OwnedCast.creator)?.ownedSession.record
    for index in cast.honest {
      guard let node = world.node(index) else { continue }
      if node.ownedSession.record != record { fail("A4 \(index + 1) holds other statements") }
      for (run, sequence) in node.anchors.applied(of: SessionPeer.identity(of: OwnedCast.rebel))
      where sequence > most[run] ?? 0 {
        fail("A5 \(index + 1) has what was written after the removal")
      }
      world.checkMeaning(index)
    }
    world.checkMergeLaws()
  }
}
