import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

/// One run of a scenario of whole sessions.
struct SessionRun {
  var world: SessionWorld
  var random: SeededRandom
  var app: SessionApp
  /// The apps' live poses; nil where there are none.
  private var poses: PoseApp?
  /// The apps' messages; nil where there are none.
  private(set) var messages: MessageApp?
  /// The apps' streams; nil where there are none.
  private var streams: StreamApp?
  /// The apps' resources; nil where there are none.
  private var resources: ResourceApp?
  /// The apps' attachments; nil where there are none.
  private var attachments: AttachmentApp?
  /// The apps' own frames and what they measure between them; nil where there are none.
  private var frames: FrameApp?
  /// Whether people join and leave groups.
  private let hasWords: Bool
  var time: Int64?
  /// The faults so far.
  var plan = FaultPlan()

  init(
    world: SessionWorld, random: SeededRandom, hasPoses: Bool = false, hasWords: Bool = false,
    hasMessages: Bool = false, hasStreams: Bool = false, hasResources: Bool = false, hasAttachments: Bool = false,
    frames: FrameApp.Kind? = nil
  ) {
    self.world = world
    self.random = random
    app = SessionApp(random: self.random.split())
    self.hasWords = hasWords
    if hasPoses { poses = PoseApp(random: self.random.split()) }
    if hasMessages { messages = MessageApp(random: self.random.split()) }
    if hasResources { resources = ResourceApp(random: self.random.split()) }
    if hasAttachments { attachments = AttachmentApp(random: self.random.split()) }
    self.frames = frames.map { FrameApp($0, random: self.random.split()) }
    if hasStreams { streams = StreamApp(random: self.random.split()) }
  }

  var outcome: RunOutcome {
    var outcome = RunOutcome(
      violation: world.violation, time: time, simulated: world.simulation.now.nanoseconds,
      delivered: world.simulation.delivered, transcript: world.simulation.monitor.transcript)
    outcome.faults = world.faults
    outcome.plan = plan
    outcome.network = world.simulation.tally
    outcome.operations = (0..<world.count).reduce(0) { sum, index in
      sum + (world.node(index)?.anchors.vector.entries.reduce(0) { $0 + Int($1.sequence) } ?? 0)
    }
    outcome.maps = world.simulation.monitor.mapsReceived
    let monitor = world.simulation.monitor
    outcome.resources = monitor.resources.receivedCount + monitor.attachments.receivedCount
    outcome.bulkLinks = world.simulation.monitor.bulkLinks
    outcome.lies = world.lies
    outcome.replays = world.replays
    outcome.outputDigest = world.simulation.monitor.outputDigest
    outcome.liarRemoved = world.simulation.monitor.liarRemoved
    return outcome
  }

  private var isOver: Bool { world.violation != nil || world.simulation.monitor.liarRemoved }

  mutating func fail(_ text: String) {
    world.simulation.monitor.fail(text, at: world.simulation.now)
  }

  mutating func agree(within limit: Int64) -> Int64? {
    let time = world.runUntilAgreed(within: limit)
    if time == nil { fail(world.disagreement() ?? "no rest") }
    return time
  }

  // MARK: Chaos

  /// Thirty faults drawn at random, or those of a plan.
  mutating func chaos(_ given: FaultPlan?) {
    world.startAll()
    world.simulation.run(for: 2_000_000_000)
    var schedule = FaultSchedule(count: world.count, random: random.split())
    for place in 0..<(given?.steps.count ?? 30) where !isOver {
      for _ in 0..<random.below(6) { app.edit(in: &world, at: random.below(world.count)) }
      movePoses()
      sendMessages()
      useStreams()
      if resources != nil, random.chance(percent: 50) { resources?.act(in: &world, at: random.below(world.count)) }
      if attachments != nil, random.chance(percent: 50) { attachments?.act(in: &world, at: random.below(world.count)) }
      useFrames()
      changeGroups()
      if random.chance(percent: 6) { app.shareMap(in: &world, from: random.below(world.count)) }
      if random.chance(percent: 4) { askSomething() }
      let (running, awake) = (world.simulation.running, world.simulation.awake)
      let step =
        given?.steps[place]
        ?? FaultPlan.Step(fault: schedule.next(running: running, awake: awake), pause: schedule.pause())
      plan.append(step)
      if let fault = step.fault { world.apply(fault) }
      world.simulation.run(for: step.pause)
      world.checkMeaning(random.below(world.count))
    }
    world.mendAll()
    if let stranger = world.liar ?? world.stranger { world.apply(.crash(stranger, silently: false)) }
    poses?.release(in: &world)
    messages?.readAll(in: &world)
    streams?.readAll(in: &world)
    resources?.answerAll(in: &world)
    if (0..<world.count).allSatisfy({ !world.simulation.isRunning($0) }) { world.apply(.start(world.count - 1)) }
    if world.liar != nil { bringTogether() }
    rest()
    if world.liar != nil { lock() }
    if let liar = world.liar { expel(liar) }
  }

  /// K2: whatever a liar has said of itself, the host can remove it for all, and all see all anchors.
  private mutating func expel(_ liar: Int) {
    guard !isOver, let host = world.commonHost() else { return }
    let peer = SessionPeer.identity(of: liar)
    world.perform(host) { node, now in node.handle(.kick(peer), at: now) }
    world.simulation.run(for: 6_000_000_000)
    for index in 0..<world.count {
      guard let node = world.node(index) else { continue }
      if let entry = node.roster[peer], entry.status != .kicked {
        fail("K2 \(index + 1) does not hold the liar for removed")
      }
      if hasHidden(node) { fail("K2 invented frames hide anchors from \(index + 1)") }
    }
  }

  /// Whether an anchor that a running peer has put where it is has no place at a node.
  ///
  /// Nobody corrects what is said in the name of a start that is gone.
  private func hasHidden(_ node: Node) -> Bool {
    let live = Set((0..<world.count).compactMap { world.node($0)?.me.actor })
    var node = node
    return node.unplacedAnchors.contains { anchor in
      node.anchors.slot(showing: anchor.id).map { live.contains(node.anchors.poseStamp(at: $0).actor) } == true
    }
  }

  /// A node that was out of reach, and of which the liar has told that it had left, waits for an invitation if it cannot be known by its
  /// start: that of another start, or two of which each was told so of the other.
  private mutating func bringTogether() {
    world.simulation.run(for: 10_000_000_000)
    for one in 0..<world.count {
      for other in 0..<world.count where world.holdsAsGone(one, other) { world.invite(other, by: one) }
    }
  }

  /// R5: whatever was said of the rules before, the host locks the session for all.
  private mutating func lock() {
    guard !isOver, let host = world.commonHost() else { return }
    world.perform(host) { node, now in node.handle(.setLocked(true), at: now) }
    world.simulation.run(for: 6_000_000_000)
    for index in 0..<world.count where world.node(index)?.rules.isLocked == false {
      fail("R5 \(index + 1) takes the session for open")
    }
  }

  private mutating func sendMessages() {
    guard messages != nil else { return }
    for _ in 0..<random.below(4) {
      let index = random.below(world.count)
      messages?.act(in: &world, at: index)
      messages?.useGroup(in: &world, at: index)
    }
  }

  private mutating func useStreams() {
    guard streams != nil else { return }
    for _ in 0..<random.below(12) { streams?.act(in: &world, at: random.below(world.count)) }
    if let text = streams?.violation(in: world) { fail(text) }
  }

  /// Lets apps walk about in their frames; what they see is where it is, at any moment.
  private mutating func useFrames() {
    guard frames != nil else { return }
    for _ in 0..<random.below(8) { frames?.act(in: &world, at: random.below(world.count)) }
    if let text = frames?.misplacement(in: world, at: random.below(world.count)) { fail(text) }
  }

  private mutating func changeGroups() {
    guard hasWords else { return }
    for _ in 0..<random.below(4) {
      let group = "\(random.below(9))"
      let isIn = random.chance(percent: 50)
      world.perform(random.below(world.count)) { node, now in node.handle(.setGroup(group, isIn: isIn), at: now) }
    }
  }

  private mutating func movePoses() {
    guard poses != nil else { return }
    for _ in 0..<random.below(6) { poses?.act(in: &world, at: random.below(world.count)) }
  }

  /// Within 60 s everything agrees and goes on to, with one host, for 5 s; and it means what was written.
  private mutating func rest() {
    let start = world.simulation.now
    var agreed: (since: Instant, changes: Int)?
    var rounds = 0
    while !isOver {
      if rounds.isMultiple(of: 20) { messages?.repeatAll(in: &world) }
      rounds += 1
      world.simulation.run(for: 100_000_000)
      let (now, changes) = (world.simulation.now, world.simulation.monitor.hostChanges)
      let text =
        world.disagreement() ?? poses?.disagreement(in: world) ?? messages?.disagreement(in: world)
        ?? streams?.disagreement(in: world)
        ?? resources?.disagreement(in: world) ?? attachments?.disagreement(in: world)
        ?? frames?.disagreement(in: world)
      if let text {
        agreed = nil
        if now.nanoseconds(since: start) > 60_000_000_000 { fail(text) }
        continue
      }
      if agreed?.changes != changes { agreed = (now, changes) }
      guard let agreed, now.nanoseconds(since: agreed.since) >= 5_000_000_000 else { continue }
      time = agreed.since.nanoseconds(since: start)
      break
    }
    if let text = streams?.violation(in: world) { fail(text) }
    for index in 0..<world.count { world.checkMeaning(index) }
    world.checkMergeLaws()
  }

  /// An app asks for something at a bad moment.
  private mutating func askSomething() {
    let one = random.below(world.count)
    let other = SessionPeer.identity(of: random.below(world.count))
    switch random.below(3) {
    case 0: world.perform(one) { node, now in node.handle(.requestHost, at: now) }
    case 1: world.perform(one) { node, now in node.handle(.handover(other), at: now) }
    default: if world.simulation.running.count(where: \.self) > 1 { world.leave(one) }
    }
  }

  // MARK: One thing at a time

  /// Lets a fresh session come to rest with a few anchors in it; false if it does not.
  mutating func settleIn() -> Bool {
    world.startAll(within: 1_000_000_000)
    guard agree(within: 20_000_000_000) != nil else { return false }
    for index in 0..<world.count { app.edit(in: &world, at: index) }
    world.simulation.run(for: 3_000_000_000 + Int64(random.below(UInt64(1_000_000_000))))
    return agree(within: 20_000_000_000) != nil
  }

  mutating func failover() {
    guard settleIn(), let host = world.commonHost() else { return }
    app.edit(in: &world, at: host)
    world.apply(.crash(host, silently: true))
    let rest = (0..<world.count).filter { $0 != host }
    let start = world.simulation.now
    while world.commonHost(of: rest) == nil || world.commonHost(of: rest) == host {
      world.simulation.run(for: 10_000_000)
      time = world.simulation.now.nanoseconds(since: start)
      guard let time, time <= 3_500_000_000 else { return fail("E6 no new host after \((time ?? 0) / 1_000_000) ms") }
    }
    guard agree(within: 20_000_000_000) != nil else { return }
    world.checkMeaning(rest[0])
  }

  mutating func merge() {
    guard world.count > 2, settleIn() else { return }
    let small = 1 + random.below((world.count - 1) / 2)
    var sides = (0..<world.count).map { $0 < small ? 0 : 1 }
    sides.shuffle(using: &random)
    world.apply(.split(sides))
    world.simulation.run(for: 15_000_000_000)
    guard agree(within: 20_000_000_000) != nil else { return }
    for _ in 0..<20 { app.edit(in: &world, at: random.below(world.count)) }
    world.simulation.run(for: 2_000_000_000)
    let larger = world.commonHost(of: (0..<world.count).filter { sides[$0] == 1 })
    world.apply(.heal)
    guard let took = agree(within: 30_000_000_000) else { return }
    time = took
    world.simulation.run(for: 3_000_000_000)
    if world.commonHost() != larger { fail("E5 the host of the larger side did not survive the merge") }
    world.checkMeaning(0)
    world.checkMergeLaws()
  }

  mutating func joins() {
    let newcomers = 1 + random.below(max(1, world.count / 2))
    for index in newcomers..<world.count { world.apply(.start(index)) }
    guard agree(within: 20_000_000_000) != nil, let host = world.commonHost() else { return }
    for _ in 0..<30 { app.edit(in: &world, at: random.below(world.count)) }
    app.shareMap(in: &world, from: host)
    world.simulation.run(for: 1_000_000_000)
    for index in 0..<newcomers {
      world.apply(.start(index))
      for _ in 0..<5 { app.edit(in: &world, at: random.below(world.count)) }
      world.simulation.run(for: Int64(random.below(UInt64(1_000_000_000))))
    }
    guard let took = agree(within: 30_000_000_000) else { return }
    time = took
    if world.commonHost() != host { fail("E4 a newcomer took over") }
    world.checkMeaning(0)
  }

  // MARK: Words that get lost on the way

  /// The reader's link to the author is lost with an operation on it; another member that has it sends it at once, and not at
  /// the next comparison of vectors.
  mutating func detour() {
    guard world.count > 2, settleIn() else { return }
    let author = random.below(world.count)
    let reader = random.node(otherThan: author, of: world.count)
    world.apply(.cut(author, reader))
    for _ in 0..<3 { app.place(in: &world, at: author) }
    let start = world.simulation.now
    let wanted = world.simulation.monitor.anchors.operations.last
    while !world.has(reader, wanted), !isOver {
      world.simulation.run(for: 50_000_000)
      // Four seconds of silence end the link, at the latest 1.1 s later; then the news goes round.
      let waited = world.simulation.now.nanoseconds(since: start)
      if waited > 6_000_000_000 { return fail("C3 \(reader + 1) still waits for the words of \(author + 1)") }
    }
    time = world.simulation.now.nanoseconds(since: start)
  }

  /// A chain: the author, the one next to it, the one that is cut off from that, and the last one.
  mutating func orphan() {
    guard world.count > 3, settleIn() else { return }
    for (one, other) in [(0, 2), (0, 3), (1, 3)] { world.apply(.cut(one, other)) }
    for other in 4..<max(4, world.count) { world.apply(.crash(other, silently: false)) }
    world.simulation.run(for: 8_000_000_000)
    world.apply(.cut(1, 2))
    app.place(in: &world, at: 0)
    world.simulation.run(for: 500_000_000)
    world.apply(.crash(0, silently: false))
    world.simulation.run(for: 8_000_000_000)
    world.apply(.mend(1, 2))
    guard let took = agree(within: 30_000_000_000) else { return }
    time = took
    if !world.has(3, world.simulation.monitor.anchors.operations.last) {
      fail("C3 the last words of 1 did not come to 4")
    }
  }
}
