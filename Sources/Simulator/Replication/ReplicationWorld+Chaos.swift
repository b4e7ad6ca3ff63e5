import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

extension ReplicationWorld {
  /// Runs a whole life from a seed: edits under faults, then peace, then every check.
  package static func live(seed: UInt64, options: Options = Options()) -> ReplicationWorld {
    var world = ReplicationWorld(seed: seed, options: options)
    var watch = ReplicationWatch()
    let steps = world.random.chance(percent: 50) ? 40 : 100
    for step in 0..<steps where world.violation == nil {
      world.step()
      world.run(for: [0, 50, 500, 3_000][world.random.below(4)])
      // Looking at every anchor after every step would cost far more than large bursts themselves.
      if options.burst == 1 || step % 16 == 0 { watch.check(&world) }
    }
    guard world.violation == nil else { return world }
    world.settle()
    watch.check(&world)
    world.checkAtRest()
    return world
  }

  /// One thing that an app, the network or fate does.
  package mutating func step() {
    let index = random.below(peers.count)
    switch random.below(100) {
    case 0..<55: if peers[index].isAlive { act(index) }
    case 55..<65:
      let pair = pairs[random.below(pairs.count)]
      setLink(pair, isUp: random.chance(percent: 40))
    case 65..<72:
      let sides = peers.map { _ in random.below(2) }
      for pair in pairs { setLink(pair, isUp: sides[pair / 8] == sides[pair % 8]) }
    case 72..<80: for pair in pairs { setLink(pair, isUp: true) }
    case 80..<86: if peers[index].isAlive, peers.count(where: \.isAlive) > 1 { crash(index) }
    case 86..<93: if !peers[index].isAlive { boot(index) }
    default: peers[index].set.prune(acknowledgedBy: peers[index].set.vector)
    }
  }

  private mutating func crash(_ index: Int) {
    note("kill \(index + 1)")
    peers[index].crash()
    for pair in pairs where pair / 8 == index || pair % 8 == index { connect(pair) }
  }

  private mutating func boot(_ index: Int) {
    note("start \(index + 1)")
    peers[index].boot(options.rules, limits: limits)
    for pair in pairs where pair / 8 == index || pair % 8 == index { connect(pair) }
  }

  /// A burst of edits of a peer, chosen at random.
  private mutating func act(_ index: Int) {
    let count = 1 + random.below(options.burst)
    // Clocks of peers differ by up to two seconds, and are coarse, so that stamps tie.
    let time = (UInt64(time) / 1_000 + random.below(UInt64(3))) * 1_000
    var (dice, recent) = (random.split(), Array(placed.suffix(400)))
    let isBulk = options.burst > 1
    edit(index) { set in
      for _ in 0..<count {
        if let id = ReplicationApp.edit(&set, recent, isBulk: isBulk, at: time, &dice) { recent.append(id) }
      }
    }
    placed = Array(recent.suffix(400))
  }

  /// Brings every link up and lets the peers exchange what they have until nothing is left to say.
  private mutating func settle() {
    for pair in pairs { setLink(pair, isUp: false) }
    for pair in pairs { setLink(pair, isUp: true) }
    run(for: 10_000)
    // A last burst, so that not everything was said when the links came up.
    for index in Array(peers.indices) + Array(peers.indices) where peers[index].isAlive {
      act(index)
      run(for: 100)
    }
    for _ in 0..<6 {
      run(for: 10_000)
      exchangeVectors()
    }
    run(for: 20_000)
  }

  /// C1, C2, C3, C6 and C7.
  private mutating func checkAtRest() {
    guard violation == nil else { return }
    let alive = peers.indices.filter { peers[$0].isAlive }
    let actors = Set(alive.map { peers[$0].set.actor })
    let (vector, bytes) = (peers[alive[0]].set.vector, peers[alive[0]].set.encodeSnapshot())
    guard let covered = operations.covered(by: vector) else {
      return fail("C2 operations were applied that nobody wrote")
    }
    let model = NaiveModel(covered)
    for index in alive {
      let set = peers[index].set
      if set.vector != vector { return fail("C3 \(index + 1) has another vector at rest") }
      if set.encodeSnapshot() != bytes { return fail("C1 \(index + 1) has another state") }
      if let difference = model.difference(to: &peers[index].set) { return fail("C2 \(index + 1): \(difference)") }
      if vector[set.actor] != peers[index].authored { return fail("C3 an operation of \(index + 1) is lost") }
      if !actors.isDisjoint(with: set.heldActors) { return fail("C7 an operation of a survivor waits at \(index + 1)") }
    }
  }

  /// Operations that the peers alive had applied in the end, over all of them.
  package var applied: Int {
    peers.filter(\.isAlive).reduce(0) { sum, peer in
      peer.set.vector.entries.reduce(sum) { $0 + Int($1.sequence) }
    }
  }
}

/// The edits of people, one at a time.
enum ReplicationApp {
  /// Edits one of the `recent` anchors or adds one; the id of a new one.
  static func edit(
    _ set: inout AnchorSet, _ recent: [AnchorID], isBulk: Bool, at time: UInt64, _ dice: inout SeededRandom
  ) -> AnchorID? {
    let choice = dice.below(isBulk ? 200 : 100)
    let value = dice.below(1_000)
    guard choice >= (isBulk ? 10 : 30), let id = pick(set, recent, &dice) else {
      return add(&set, choice, at: time, &dice)
    }
    switch choice {
    case 10..<18, 30..<44: _ = try? set.remove(id, at: time)
    case 67..<70:
      let plane = Anchor.Plane(alignment: .horizontal, extent: [Float(value), 1])
      _ = try? set.setKind(value % 3 == 0 ? .plain : .plane(plane), of: id, at: time)
    case 70..<80: _ = try? set.rename(id, to: "name \(value)", at: time)
    case 80..<86:
      let bytes = [UInt8](repeating: UInt8(value & 255), count: value)
      let payload = value % 3 == 0 ? nil : Anchor.Payload(contentType: "x/y", bytes: bytes)
      _ = try? set.setPayload(payload, of: id, at: time)
    case 86..<92: _ = try? set.setFlags(UInt32(value), of: id, at: time)
    case 92..<100:
      let owner = value % 4 == 0 ? nil : SessionPeer.identity(of: value % 4)
      let lock = AnchorLock(owner: owner, leaseUntil: time, epoch: UInt64(value % 3), number: UInt64(value % 5))
      _ = try? set.setLock(lock, of: id, at: time)
    default: _ = try? set.move(id, to: Transform(translation: [Float(value), 0, 0]), at: time)
    }
    return nil
  }

  /// An anchor that this peer knows.
  private static func pick(_ set: AnchorSet, _ recent: [AnchorID], _ dice: inout SeededRandom) -> AnchorID? {
    guard !recent.isEmpty else { return nil }
    for _ in 0..<8 {
      let id = recent[dice.below(recent.count)]
      if set.key(of: id) != nil { return id }
    }
    return nil
  }

  private static func add(
    _ set: inout AnchorSet, _ choice: Int, at time: UInt64, _ dice: inout SeededRandom
  ) -> AnchorID? {
    let map = maps[dice.below(3)]
    let new = Anchor(id: AnchorID(using: &dice), name: "anchor \(choice)")
    let old = AnchorID(using: &dice)
    switch choice % 10 {
    case 0..<2:
      _ = try? set.importAnchors(of: map.digest, anchors: map.anchors)
      return map.anchors[0].id
    case 2: return (try? set.restore(new, from: old, at: time)).map { _ in new.id }
    default: return (try? set.place(new, at: time)).map { _ in new.id }
    }
  }

  /// Three maps that share some anchors.
  private static let maps: [(digest: SHA256Digest, anchors: [Anchor])] = (0..<3).map { map in
    let anchors = (0..<4).map { number in
      Anchor(
        id: AnchorID(high: 0, low: UInt64(map * 2 + number)), name: "map \(map)",
        transform: Transform(translation: [Float(map), 0, 0]))
    }
    return (SHA256Digest(hashing: [UInt8(map)]), anchors.reversed())
  }
}
