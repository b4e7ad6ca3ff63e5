import AnchorReplication
import WorldModel

extension ReplicationWorld {
  /// Runs a whole life from a seed: edits under faults, then peace, then every check.
  static func live(seed: UInt64, policy: WorldPolicy = WorldPolicy()) throws -> ReplicationWorld {
    var world = ReplicationWorld(seed: seed, policy: policy)
    var watch = InvariantWatch()
    let steps = world.random.next() % 2 == 0 ? 40 : 100
    for _ in 0..<steps {
      try world.step()
      try world.run(until: world.time + [0, 0.05, 0.5, 3][Int(world.random.next() % 4)])
      try watch.check(&world)
    }
    try world.settle()
    try watch.check(&world)
    try world.checkAtRest()
    return world
  }

  mutating func step() throws {
    let index = Int(random.next() % UInt64(peers.count))
    switch random.next() % 100 {
    case 0..<55:
      if peers[index].isAlive { try act(index) }
    case 55..<65: setLink(pairs[Int(random.next() % UInt64(pairs.count))], up: random.next() % 5 < 2)
    case 65..<72:
      let sides = peers.map { _ in random.next() % 2 }
      for pair in pairs { setLink(pair, up: sides[pair / 8] == sides[pair % 8]) }
    case 72..<80: for pair in pairs { setLink(pair, up: true) }
    case 80..<86:
      if peers[index].isAlive, peers.count(where: \.isAlive) > 1 { crash(index) }
    case 86..<93:
      if !peers[index].isAlive { boot(index) }
    default: peers[index].set.prune(acknowledgedBy: peers[index].set.vector)
    }
  }

  private mutating func crash(_ index: Int) {
    peers[index].isAlive = false
    for pair in pairs where pair / 8 == index || pair % 8 == index { connect(pair) }
  }

  private mutating func boot(_ index: Int) {
    peers[index].boot(policy, limits: limits)
    for pair in pairs where pair / 8 == index || pair % 8 == index { connect(pair) }
  }

  /// One edit of a peer, chosen at random.
  private mutating func act(_ index: Int) throws {
    let choice = random.next() % 100
    // Clocks of peers differ by up to two seconds, and are coarse, so that stamps tie.
    let time = (UInt64(self.time) + random.next() % 3) * 1_000
    let ids = peers[index].set.anchors.map(\.id)
    let value = Int(random.next() % 1_000)
    guard choice >= 30, let id = ids.isEmpty ? nil : ids[Int(random.next() % UInt64(ids.count))] else {
      return try add(index, choice, at: time)
    }
    try edit(index) { set in
      switch choice {
      case 30..<50: _ = try set.remove(id, at: time)
      case 50..<70: _ = try set.move(id, to: Transform(translation: [Float(value), 0, 0]), at: time)
      case 70..<80: _ = try set.rename(id, to: "name \(value)", at: time)
      case 80..<86:
        let bytes = [UInt8](repeating: UInt8(value & 255), count: value)
        _ = try set.setPayload(value % 3 == 0 ? nil : .init(contentType: "x/y", bytes: bytes), of: id, at: time)
      case 86..<92: _ = try set.setFlags(UInt32(value), of: id, at: time)
      default:
        let lock = AnchorLock(
          owner: value % 4 == 0 ? nil : peer(index + 1), leaseUntil: time, epoch: UInt64(value % 3),
          number: UInt64(value % 5))
        _ = try set.setLock(lock, of: id, at: time)
      }
    }
  }

  private mutating func add(_ index: Int, _ choice: UInt64, at time: UInt64) throws {
    let map = Int(random.next() % 3)
    let new = Anchor(id: AnchorID(using: &random), name: "anchor \(choice)")
    let old = AnchorID(using: &random)
    try edit(index) { set in
      switch choice % 10 {
      case 0..<2: try set.importAnchors(of: Self.maps[map].digest, anchors: Self.maps[map].anchors)
      case 2: _ = try set.restore(new, from: old, at: time)
      default: _ = try set.place(new, at: time)
      }
    }
  }

  /// Three maps that share some anchors.
  private static let maps: [(digest: SHA256Digest, anchors: [Anchor])] = (0..<3).map { map in
    let anchors = (0..<4).map { anchor(map * 2 + $0, "map \(map)", x: Float(map)) }
    return (SHA256Digest(hashing: [UInt8(map)]), anchors.reversed())
  }

  /// Brings every link up and lets the peers exchange what they have until nothing is left to say.
  private mutating func settle() throws {
    for pair in pairs { setLink(pair, up: false) }
    for pair in pairs { setLink(pair, up: true) }
    try run(until: time + 10)
    // A last burst, so that not everything was said when the links came up.
    for index in Array(peers.indices) + Array(peers.indices) where peers[index].isAlive {
      try act(index)
      try run(until: time + 0.1)
    }
    for _ in 0..<6 {
      try run(until: time + 10)
      guard policy.exchangesPeriodically else { continue }
      for index in peers.indices where peers[index].isAlive {
        for other in peers[index].links.keys.sorted() { sendVector(index, to: other) }
      }
    }
    try run(until: time + 20)
  }

  /// C1, C2, C3 and C7.
  private mutating func checkAtRest() throws {
    let alive = peers.indices.filter { peers[$0].isAlive }
    let actors = Set(alive.map { peers[$0].set.actor })
    let (vector, bytes) = (peers[alive[0]].set.vector, peers[alive[0]].set.encodeSnapshot())
    var covered = operations.values.filter { vector.covers($0.dot) }.sorted { $0.dot < $1.dot }
    covered.shuffle(using: &random)
    let model = NaiveModel(covered)
    for index in alive {
      guard peers[index].set.vector == vector else { throw Violation(description: "vectors differ at rest") }
      guard peers[index].set.encodeSnapshot() == bytes else { throw Violation(description: "C1: states differ") }
      if let difference = model.difference(to: &peers[index].set) { throw Violation(description: "C2: \(difference)") }
      guard vector[peers[index].set.actor] == peers[index].authored else {
        throw Violation(description: "C3: an operation of a survivor is lost")
      }
      guard actors.isDisjoint(with: peers[index].set.heldActors) else {
        throw Violation(description: "C7: an operation of a survivor waits at rest")
      }
    }
  }
}

/// What must hold at every moment: C1 by digest, C4 and C5.
struct InvariantWatch {
  private var stamps: [ActorID: [Dot: [AnchorField: (Stamp, UInt64, UInt64)]]] = [:]
  private var gone: [ActorID: Set<Dot>] = [:]

  mutating func check(_ world: inout ReplicationWorld) throws {
    var digests: [VersionVector: SHA256Digest] = [:]
    for index in world.peers.indices where world.peers[index].isAlive {
      let digest = world.peers[index].set.digest
      let vector = world.peers[index].set.vector
      guard digests[vector].map({ $0 == digest }) ?? true else {
        throw ReplicationWorld.Violation(description: "C1: equal vectors, unequal digests")
      }
      digests[vector] = digest
      try check(world.peers[index].set)
    }
  }

  private mutating func check(_ set: AnchorSet) throws {
    var set = set
    var present: [Dot: [AnchorField: (Stamp, UInt64, UInt64)]] = [:]
    for anchor in set.anchors {
      guard let key = set.key(of: anchor.id) else { continue }
      if gone[set.actor]?.contains(key) == true {
        throw ReplicationWorld.Violation(description: "C4: a removed anchor came back")
      }
      for field in AnchorField.allCases {
        guard let stamp = set.stamp(of: field, of: anchor.id) else { continue }
        var fencing: (UInt64, UInt64) = (0, 0)
        if case .lock(let lock)? = set.value(of: field, of: anchor.id) { fencing = (lock.epoch, lock.number) }
        present[key, default: [:]][field] = (stamp, fencing.0, fencing.1)
        guard let last = stamps[set.actor]?[key]?[field] else { continue }
        if (fencing.0, fencing.1, stamp) < (last.1, last.2, last.0) {
          throw ReplicationWorld.Violation(description: "C5: a stamp went back")
        }
      }
    }
    // A key that no longer shows was removed, unless another one of the same id hides it; those come from maps only.
    for key in (stamps[set.actor] ?? [:]).keys where present[key] == nil && key.actor.incarnation < 1_000 {
      gone[set.actor, default: []].insert(key)
    }
    stamps[set.actor] = present
  }
}
