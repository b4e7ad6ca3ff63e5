import AnchorReplication
import Basics
import PeerProtocol
import Simulator
import TestSupport
import Testing
import WorldModel

/// Drags, poses, wishes and waits of all nodes while links break and processes die.
@Suite("Drags, ownership and acknowledgements under faults")
struct LiveChaosTests {
  /// What the apps have begun.
  private struct Apps {
    var random: SeededRandom
    var drags: [Int: DragID] = [:]
    /// The numbers of wishes and waits, by node, that have to end.
    var open: [Int: Set<UInt64>] = [:]
    var next: UInt64 = 1

    /// Lets one app do one thing.
    mutating func act(on lamp: AnchorID, in session: inout TestSession) throws {
      let index = random.below(session.simulation.count)
      guard session.simulation.node(index) != nil else { return }
      next += 1
      let (number, choice, x) = (next, random.below(7), Float(next))
      let drag = drags[index]
      var begun: DragID?
      try session.perform(index) { node, now in
        switch choice {
        case 0: begun = try? node.beginDrag(lamp, at: now)
        case 1: if let drag { try? node.drag(drag, to: .at(x), at: now) }
        case 2: if let drag { try? node.endDrag(drag, at: now) }
        case 3: try node.updatePose(.at(x), at: now)
        case 4:
          let id = OwnershipRequestID(rawValue: number)
          node.handle(.wish(id, .own(lease: nil), of: lamp, timeout: .seconds(3)), at: now)
        case 5:
          let id = AcknowledgementID(rawValue: number)
          node.handle(.awaitAcknowledgement(id, .host, timeout: .seconds(3)), at: now)
        default:
          try? node.edit(.move(lamp, to: .at(-x)), at: now)
          let id = AcknowledgementID(rawValue: number)
          node.handle(.awaitAcknowledgement(id, .everyPresentMember, timeout: .seconds(3)), at: now)
        }
      }
      if let begun { drags[index] = begun }
      if choice >= 4 { open[index, default: []].insert(number) }
    }
  }

  private func fault(_ random: inout SeededRandom, in session: inout TestSession) -> Int? {
    let count = session.simulation.count
    let (one, other) = (random.below(count), random.below(count))
    switch random.below(6) {
    case 0 where one != other: session.apply(.cut(one, other))
    case 1 where one != other: session.apply(.mend(one, other))
    case 2 where one != other: session.apply(.reset(one, other))
    case 3:
      session.apply(.crash(one, silently: random.below(2) == 0))
      return one
    default: session.apply(.start(one))
    }
    return nil
  }

  @Test("every wish and wait ends, every drag is over, and all hold the same", arguments: Tier.seeds(1...10))
  func comesToRest(_ seed: Int) throws {
    var session = try TestSession(4)
    let lamp = try session.place(0)
    session.forgetEvents()
    var apps = Apps(random: SeededRandom(seed: UInt64(seed)))
    var random = SeededRandom(seed: UInt64(seed) + 1000)
    for _ in 0..<150 {
      try apps.act(on: lamp, in: &session)
      if random.below(10) == 0, let dead = fault(&random, in: &session) {
        apps.open[dead] = nil
        apps.drags[dead] = nil
      }
      session.run(.milliseconds(Int64(random.below(200))))
    }
    session.apply(.heal)
    for index in 0..<4 { session.apply(.start(index)) }
    for (index, drag) in apps.drags.sorted(by: { $0.key < $1.key }) {
      try session.perform(index) { node, now in try? node.endDrag(drag, at: now) }
    }
    session.run(.seconds(60))
    let digest = try session.digest(0)
    for index in 0..<4 {
      #expect(try session.digest(index) == digest)
      #expect(settled(index, in: session).isSuperset(of: apps.open[index] ?? []))
      var node = try session.node(index)
      #expect(node.livePoses.allSatisfy { $0.subject == .participant })
      #expect(node.deadline.map { $0 > session.simulation.localTime(index) } ?? false)
    }
  }

  /// Whether every app sees of the others' devices what it wants, where they were last, and nothing else.
  private func expectWanted(_ poses: [Float?], _ reach: [Float?], in session: TestSession) throws {
    for reader in poses.indices {
      let node = try session.node(reader)
      let seen = Dictionary(uniqueKeysWithValues: node.livePoses.map { ($0.origin, $0.pose?.transform) })
      for other in poses.indices where other != reader {
        let wanted = poses[other].flatMap { x in reach[reader].map { x <= $0 } ?? true ? Transform.at(x) : nil }
        let (me, them) = (reader + 1, other + 1)
        #expect(seen[try session.node(other).me] ?? nil == wanted, "\(me) of \(them), wanted within \(reach)")
      }
    }
  }

  @Test(
    "whatever breaks, every app sees the devices it wants and no others, at last along a row",
    arguments: Tier.seeds(1...12))
  func interests(_ seed: Int) throws {
    var session = try TestSession(4)
    var random = SeededRandom(seed: UInt64(seed) + 2000)
    // Where each device stands, and how far from the origin each app looks; nil for nowhere and for everywhere.
    var (poses, reach) = ([Float?](repeating: nil, count: 4), [Float?](repeating: nil, count: 4))
    for _ in 0..<100 {
      let (index, x) = (random.below(4), Float(random.below(20)))
      if session.simulation.node(index) != nil {
        if random.below(3) == 0 {
          reach[index] = random.below(3) == 0 ? nil : x
          let filter = reach[index].map { AnchorFilter(region: .init(center: .zero, radius: $0)) } ?? .all
          try session.perform(index) { node, now in node.handle(.setInterest(filter), at: now) }
        } else {
          poses[index] = x
          try session.perform(index) { try $0.updatePose(.at(x), at: $1) }
        }
      }
      if random.below(8) == 0, let dead = fault(&random, in: &session) { (poses[dead], reach[dead]) = (nil, nil) }
      session.run(.milliseconds(Int64(random.below(300))))
    }
    session.apply(.heal)
    for index in 0..<4 { session.apply(.start(index)) }
    session.run(.seconds(30))
    try expectWanted(poses, reach, in: session)
    for (one, other) in [(0, 2), (0, 3), (1, 3)] { session.apply(.cut(one, other)) }
    session.run(.seconds(20))
    try expectWanted(poses, reach, in: session)
    for index in 0..<4 {
      poses[index] = Float(random.below(20))
      try session.perform(index) { try $0.updatePose(.at(poses[index] ?? 0), at: $1) }
    }
    session.run(.seconds(2))
    try expectWanted(poses, reach, in: session)
  }

  /// The numbers of wishes and waits whose end a node's app was told.
  private func settled(_ index: Int, in session: TestSession) -> Set<UInt64> {
    Set(
      session.simulation.monitor.events[index].compactMap { event in
        switch event {
        case .acknowledged(let id, _): id.rawValue
        case .ownershipSettled(let id, _): id.rawValue
        default: nil
        }
      })
  }
}
